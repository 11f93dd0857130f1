from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.engine.by_hand import (
    RANK0,
    RANK1,
    chain,
    diagnosis_of,
    diagnostic,
    frame,
    guard,
    header,
    recompile,
    rule,
    span,
    text,
)
from tracelens.engine.evidence import MAX_BYTES, MAX_LINES, show
from tracelens.events import Event, ExceptionChain, GuardKind, Level, Owner, Text
from tracelens.findings import Evidence, EvidenceRole
from tracelens.ruleset.model import Rule

OMP = rule("said: 'omp\\.h: No such file'")


def evidence_of(raw: str, *events: Event, by: Rule = OMP) -> tuple[Evidence, ...]:
    return diagnosis_of(events, by, raw=raw).findings[0].evidence


def long_message(lines: int, proof: int) -> str:
    body = [f"note {number}" for number in range(lines)]
    body[proof] = "x.cpp:3:10: fatal error: omp.h: No such file or directory"
    return "\n".join(["C++ compile error", *body])


def raw_of(one: ExceptionChain, decoration: str = "") -> str:
    lines = ["Traceback (most recent call last):", '  File "a.py", line 10, in f']
    exception = one.exceptions[0]
    lines += f"{exception.type_name}: {exception.message}".split("\n")
    return "\n".join(f"{decoration}{line}" for line in lines)


def test_what_a_rule_calls_the_root_leads_what_came_of_it():
    lost = rule("all:\n- exception: {type: AttributeError}\n- said: 'failed to load'\n  before: true\n  root: true")
    warned, ended = text("lib.so failed to load", 2), chain("AttributeError: no such operator", line=5)
    raw = "a\nlib.so failed to load\nb\nTraceback\nAttributeError: no such operator"
    reason, effect = evidence_of(raw, warned, ended, by=lost)
    assert (reason.span, reason.role) == (span(2), EvidenceRole.ROOT)
    assert (effect.span, effect.role) == (ended.exceptions[0].span, EvidenceRole.ROOT)


def test_evidence_is_the_very_line_that_matched_and_the_name_of_the_exception_beside_it():
    failed = chain(f"CppCompileError: {long_message(900, 700)}")
    root, context = evidence_of(raw_of(failed), failed)
    assert root == Evidence(
        span=span(704), text="x.cpp:3:10: fatal error: omp.h: No such file or directory", role=EvidenceRole.ROOT
    )
    assert context == Evidence(span=span(3), text="CppCompileError: C++ compile error", role=EvidenceRole.CONTEXT)


def test_the_message_of_what_was_raised_is_root_from_its_first_line_on():
    failed = chain("RecompileError: Recompiling function f\n    triggered by\n    - omp.h: No such file")
    deepest, first = evidence_of(raw_of(failed), failed)
    assert (deepest.span.line, deepest.role) == (5, EvidenceRole.ROOT)
    assert (first.span.line, first.role) == (3, EvidenceRole.ROOT)


def test_a_message_that_starts_with_an_empty_line_tells_nothing_there():
    failed = chain("RuntimeError: \n  omp.h: No such file")
    assert [item.role for item in evidence_of(raw_of(failed), failed)] == [EvidenceRole.ROOT, EvidenceRole.CONTEXT]


INNER = "a.Missing: omp.h: No such file"
OUTER = f"b.Failed: building raised {INNER}"


def raw_chain(*said: str) -> str:
    traceback = ["Traceback (most recent call last):", '  File "a.py", line 10, in f']
    return "\n".join(line for one in said for line in (*traceback, one))


def test_what_the_chain_ended_with_is_quoted_too_where_it_says_the_same():
    failed = chain(INNER, "x.Between: y", OUTER)
    first, last = evidence_of(raw_chain(INNER, "x.Between: y", OUTER), failed)
    assert [(item.text, item.role) for item in (first, last)] == [
        (INNER, EvidenceRole.ROOT),
        (OUTER, EvidenceRole.ROOT),
    ]


def test_what_the_chain_ended_with_is_quoted_though_the_rule_asks_for_more_than_it_says():
    needed = rule("exception: {type: '^Missing$', message: 'omp\\.h'}")
    inner, outer = "Missing: omp.h", "b.Failed: Missing: omp.h"
    evidence = evidence_of(raw_chain(inner, outer), chain(inner, outer), by=needed)
    assert [item.text for item in evidence] == [inner, outer]


def test_what_adds_no_word_to_the_first_proof_is_not_quoted():
    failed = chain(INNER, "Missing: omp.h: No such file")
    assert len(evidence_of(raw_chain(INNER, "Missing: omp.h: No such file"), failed)) == 1


def test_the_end_of_a_run_is_quoted_where_it_is_of_the_same_label():
    early, late = "licence not agreed", "No compiler found: c++"
    rules = (
        rule("said: 'licence not agreed'", code="TL101"),
        rule("said: 'No compiler found'", code="TL102"),
        rule("said: 'No right'", code="TL203", label="cache/permission"),
    )
    raw = f"{early}\n{late}\nNo right"
    events = [text(early, 1), text(late, 2), text("No right", 3)]
    assert [item.span.line for item in diagnosis_of(events, *rules, raw=raw).findings[0].evidence] == [1, 2]
    milder = (rules[0], rule("said: 'No compiler found'", code="TL102", more="severity: degraded"))
    assert len(diagnosis_of(events, *milder, raw=raw).findings[0].evidence) == 1
    generic = (rules[0], rule("said: 'No compiler found'", code="TL102", more="role: fallback"))
    assert len(diagnosis_of(events, *generic, raw=raw).findings[0].evidence) == 1


def test_the_same_of_another_thread_is_not_quoted():
    one, other, end = (f"thread [{number},0,0] omp.h: No such file" for number in (1, 2, 3))
    assert len(evidence_of(f"{one}\n{other}\n{end}", text(one, 1), text(other, 2), text(end, 3))) == 1


def test_of_compiler_errors_only_the_first_is_quoted():
    events = [diagnostic("omp.h: No such file", 1), diagnostic("stddef.h: No such file", 2)]
    raw = "a.c:1: omp.h: No such file\na.c:1: stddef.h: No such file"
    assert len(evidence_of(raw, *events, by=rule("said: 'No such file'"))) == 1


def test_another_process_does_not_speak_for_the_one_that_failed_first():
    events = [text("omp.h: No such file", 1, RANK0), text("the omp.h: No such file", 2, RANK1)]
    assert len(evidence_of("omp.h: No such file\nthe omp.h: No such file", *events)) == 1


def test_decorations_do_not_hide_the_line_and_stay_in_the_text():
    failed = chain(f"CppCompileError: {long_message(30, 20)}")
    root = evidence_of(raw_of(failed, decoration="[rank3]: "), failed)[0]
    assert (root.span, root.text.startswith("[rank3]: x.cpp:3:10")) == (span(24), True)


def test_lines_that_the_input_has_more_of_are_searched_for():
    failed = chain(f"CppCompileError: {long_message(30, 20)}")
    raw = raw_of(failed).replace("\n", "\n\n")
    spread = replace(failed, exceptions=(replace(failed.exceptions[0], span=span(5, 65)),), span=span(1, 65))
    root = evidence_of(raw, spread)[0]
    assert root.text == "x.cpp:3:10: fatal error: omp.h: No such file or directory"
    assert raw.split("\n")[root.span.line - 1] == root.text


def test_a_wrapped_line_is_shown_to_its_end():
    message = "C++ compile error\n/a/very/long/path/to/a/kernel.cpp:3:10: fatal error: omp.h: No such file or directory"
    failed = chain(f"CppCompileError: {message}")
    raw = raw_of(failed).replace(": omp.h: No such", ": omp.h: No\nsuch")
    wrapped = replace(failed, exceptions=(replace(failed.exceptions[0], span=span(3, 5)),), span=span(1, 5))
    root = evidence_of(raw, wrapped)[0]
    assert root.span == span(4, 5)
    assert root.text.endswith("such file or directory")


def test_a_match_over_several_lines_shows_all_of_them():
    both = rule("said: 'omp\\.h: No such file.*\\nnote 21'")
    failed = chain(f"CppCompileError: {long_message(30, 20)}")
    assert evidence_of(raw_of(failed), failed, by=both)[0].span == span(24, 25)


def test_without_raw_text_the_event_speaks():
    failed = chain(f"CppCompileError: {long_message(30, 20)}")
    root = evidence_of("", failed)[0]
    assert root.text == "x.cpp:3:10: fatal error: omp.h: No such file or directory"
    assert root.span == span(24)


def test_an_exception_known_by_its_type_shows_its_message_up_to_a_limit():
    by_type = rule("exception: {type: CppCompileError}")
    short = chain("CppCompileError: one\ntwo")
    assert evidence_of(raw_of(short), short, by=by_type)[0].text == "CppCompileError: one\ntwo"
    long = chain(f"CppCompileError: {long_message(900, 700)}")
    assert evidence_of(raw_of(long), long, by=by_type)[0].span == span(3, 2 + MAX_LINES)


def test_a_stack_frame_that_was_needed_is_evidence_too():
    needed = rule("exception: {type: KeyError, innermost: 'triton/driver\\.py'}")
    place = '  File "/p/triton/driver.py", line 10, in f\n    return x[key]'
    raw = f"Traceback (most recent call last):\n{place}\nKeyError: k"
    failed = replace(chain("KeyError: k", frames=[frame("/p/triton/driver.py", Owner.TRITON)]), span=span(1, 4))
    failed = replace(failed, exceptions=(replace(failed.exceptions[0], span=span(4)),))
    root, deepest = evidence_of(raw, failed, by=needed)
    assert root.text == "KeyError: k"
    assert deepest == Evidence(span=span(2, 3), text=place, role=EvidenceRole.ROOT)


def test_a_recompile_shows_the_function_and_the_guard_that_matched():
    by_guard = rule("recompile: {kind: [int]}")
    raw = "Recompiling function forward\n  triggered by\n  - size\n  - size\n  - L['n'] == 4"
    event = recompile(1, *(guard(GuardKind.SIZE, line) for line in (3, 4)), guard(GuardKind.INT, 5, "L['n'] == 4"))
    root, reason = evidence_of(raw, event, by=by_guard)
    assert root.text.startswith("Recompiling function forward")
    assert (reason.text, reason.role) == ("  - L['n'] == 4", EvidenceRole.ROOT)


def test_a_storm_of_recompiles_shows_each_thing_that_guards_of_its_kind_looked_at():
    by_guard = rule("recompile: {kind: [int]}")
    raw = "Recompiling function f\n  - a\nRecompiling function f\n  - a\n  - b\n  - size"
    ints = [replace(guard(GuardKind.INT, line), source=source) for line, source in ((2, "a"), (4, "a"), (5, "b"))]
    events = (recompile(1, ints[0]), recompile(3, *ints[1:], guard(GuardKind.SIZE, 6)))
    roots = [item for item in evidence_of(raw, *events, by=by_guard) if item.role is EvidenceRole.ROOT]
    assert [item.text for item in roots[-1:]] == ["  - b"]
    assert not any("size" in item.text for item in roots)


def test_context_is_bounded_and_never_repeats_the_root():
    condition = "all:\n" + "".join(f"- said: word{number}\n" for number in range(8))
    events = [text(f"word{number}", 10 + number) for number in range(8)]
    raw = "\n".join(f"line {number}" for number in range(1, 30))
    evidence = evidence_of(raw, *events, by=rule(condition))
    assert [item.span.line for item in evidence] == [10, 11, 12, 13, 14]
    same = evidence_of("one two", text("one two", 1), by=rule("all:\n- said: one\n- said: two\n"))
    assert len(same) == 1


def test_a_line_that_is_pages_long_is_cut_around_the_match():
    line = "a" * 20_000 + " omp.h: No such file " + "b" * 20_000
    root = evidence_of(line, Text(span=span(1), message=line))[0]
    assert len(root.text) == MAX_BYTES + 2
    assert "omp.h: No such file" in root.text
    assert root.text.startswith("…")
    assert root.text.endswith("…")


@pytest.mark.parametrize("said", ["omp.h: No such file", 'cannot open "omp.h": No such file'])
def test_an_object_of_a_json_log_is_shown_from_shortly_before_the_match(said):
    message = f"{'a frame, ' * 200}{said}"
    line = json.dumps({"level": "ERROR", "message": message})
    root = evidence_of(line, Text(span=span(1), message=message), by=rule(f"said: {json.dumps(said)}"))[0]
    assert root.text.endswith(json.dumps(said)[1:-1] + '"}')
    assert root.text.startswith("…")
    assert len(root.text) < 300


def test_a_diagnostic_shows_its_own_lines():
    quoted = replace(diagnostic("omp.h: No such file", 2), span=span(2, 4))
    raw = "x\nmain.c:5: fatal error: omp.h: No such file\n 5 | #include <omp.h>\n   |  ^~~~~\ny"
    assert evidence_of(raw, quoted)[0].span == span(2)


def test_a_localised_diagnostic_is_found_by_its_place():
    quoted = replace(diagnostic("omp.h: No such file", 2), span=span(2, 4))
    raw = "x\nmain.c:5: schwerwiegender Fehler: omp.h: No such file\n 5 | #include <omp.h>\n   |  ^~~~~\ny"
    assert evidence_of(raw, quoted)[0].text.startswith("main.c:5: schwerwiegender Fehler")


def test_a_carried_traceback_is_shown_with_its_headers():
    failed = chain("RuntimeError: omp.h: No such file", level=Level.WARNING)
    assert failed.record == header(Level.WARNING)
    raw = raw_of(failed, decoration="W1201 02:32:13.949000 1 torch/x.py:1] [0/0] ")
    assert evidence_of(raw, failed)[0].text.startswith("W1201")


def test_show_is_bounded_and_falls_back_to_what_was_said():
    shown = show(span(1, 100), lambda part: "\n".join("x" * (part.end_line - part.line + 1)), role=EvidenceRole.ROOT)
    assert shown.span == span(1, MAX_LINES)
    assert shown.text.count("\n") == MAX_LINES - 1
    assert show(span(1), lambda _: "", role=EvidenceRole.ROOT, spoken="said").text == "said"
