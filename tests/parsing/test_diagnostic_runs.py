from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.parsing.strand import corpus_text, parsed, strand
from tracelens.events import CompilerDiagnostic
from tracelens.parsing import Memory, parse_strand
from tracelens.parsing.blocks import block_of
from tracelens.parsing.diagnostic_runs import DiagnosticRuns
from tracelens.parsing.stretches import Stretches
from tracelens.record import replace
from tracelens.text import Span

WARNING = (
    "/inc/a.h:7:12: warning: unused parameter 'x' [-Wunused-parameter]\n    7 | int f(int x);\n      |       ~~~~^\n"
)
ERROR = "/src/b.cpp:3:1: error: 'y' was not declared in this scope\n"
LED = "In file included from /src/b.cpp:1,\n                 from /src/c.cpp:2:\n" + ERROR
GROUPS = st.sampled_from([WARNING, ERROR, LED])


@given(st.lists(GROUPS, min_size=1, max_size=12))
def test_any_run_reads_as_its_messages_do_one_by_one(groups):
    expected = []
    line = 0
    for group in groups:
        alone = parsed(group).events
        spans = [Span(line=event.span.line + line, end_line=event.span.end_line + line) for event in alone]
        expected += [replace(event, span=span) for event, span in zip(alone, spans, strict=True)]
        line += group.count("\n")
    assert list(parsed("".join(groups)).events) == expected
    assert all(isinstance(event, CompilerDiagnostic) for event in expected)


@pytest.mark.parametrize(("text", "messages"), [(WARNING * 3, 2), (WARNING, 0), (LED * 2 + "done\n", 1), ("done\n", 0)])
def test_the_last_message_is_left_to_the_grammar(text, messages):
    found = DiagnosticRuns(block_of(strand(text)), Stretches()).find(0)
    assert sum(len(stretch.groups) for _start, stretch in found) == messages


def test_a_flood_of_warnings_in_a_message_is_read_to_the_end():
    result = parsed(corpus_text("lab/2.13.0/codegen-bad-cpp"))
    found = [event for event in result.events if isinstance(event, CompilerDiagnostic)]
    assert len(found) > 300
    assert sum(event.severity == "error" for event in found) > 0


def test_what_a_message_has_below_it_is_its_own():
    first, second = (event for event in parsed(WARNING + WARNING).events if isinstance(event, CompilerDiagnostic))
    assert (first.span, second.span) == (Span(line=1, end_line=3), Span(line=4, end_line=6))
    assert first.context == second.context == "    7 | int f(int x);\n      |       ~~~~^"


PAGE = "".join(f"/inc/{name}.h:7:12: warning: unused parameter 'x'\n    7 | int f(int x);\n" for name in "ghijk")


def test_a_page_that_comes_again_is_counted_and_its_last_place_told():
    memory = Memory()
    for _ in range(10):
        parse_strand(strand(PAGE * 5), memory)
    result = parse_strand(strand(PAGE * 5 + "done\n\n" + PAGE * 5), memory)
    # The last message of a run is always read by the grammar.
    assert [event.span.line for event in result.events if isinstance(event, CompilerDiagnostic)] == [49, 101]
    told = [(times, event.span.line) for event, times in result.repeats]
    assert told == [(10, 93), (10, 95), (10, 97), (10, 99), (8, 91)]
