"""Which finding is the answer."""

from __future__ import annotations

import pytest

from tests.engine.by_hand import (
    RANK0,
    RANK1,
    RANK3,
    chain,
    diagnosis_of,
    diagnostic,
    exit_of,
    guard,
    recompile,
    rule,
    text,
)
from tracelens.engine.store import EventStore
from tracelens.events import Event, GuardKind, Level
from tracelens.findings import Outcome, Role
from tracelens.record import replace
from tracelens.text import Process

CXX = rule("said: no compiler")
HEADERS = rule("said: Python\\.h", code="TL102", label="toolchain/python-headers")
CACHE = rule("said: cache denied", code="TL201", label="cache/permission")
NCCL = rule("said: NCCL timeout", code="TL901", label="outside/distributed", more="role: consequence")
USER = rule("exception: {type: '[A-Za-z]'}", code="TL902", label="outside/runtime-error", more="role: fallback")


def codes(events, *rules) -> list[str]:
    return [finding.code for finding in diagnosis_of(events, *rules).findings]


def test_fatal_comes_before_degraded_wherever_it_stands():
    events = [
        chain("RuntimeError: cache denied", line=1, level=Level.WARNING),
        chain("RuntimeError: no compiler", line=90),
    ]
    assert codes(events, CXX, CACHE) == ["TL101", "TL201"]


def test_a_cause_comes_before_a_consequence_that_stands_earlier():
    events = [chain("RuntimeError: NCCL timeout", line=1), chain("RuntimeError: no compiler", line=90)]
    assert codes(events, CXX, NCCL) == ["TL101", "TL901"]
    assert diagnosis_of(events, CXX, NCCL).findings[1].role is Role.CONSEQUENCE


def test_a_fallback_is_dropped_where_a_better_rule_knows_the_same_failure():
    same = chain("RuntimeError: no compiler", "InductorError: RuntimeError", line=1)
    assert codes([same], CXX, USER) == ["TL101"]
    assert codes([chain("RuntimeError: else", line=1)], CXX, USER) == ["TL902"]
    assert codes([same, chain("ValueError: other", line=90)], CXX, USER) == ["TL101", "TL902"]


def test_a_general_word_on_a_build_is_dropped_right_beside_what_is_known_of_it():
    source = rule("diagnostic: {severity: [error]}", code="TL911", label="outside/runtime-error", more="role: fallback")
    known = diagnostic("Python.h: not found", 10)
    assert codes([known, diagnostic("compilation failed", 12, path=None)], HEADERS, source) == ["TL102"]
    # Another file, another process, and what stands further away may have failed for reasons of their own.
    assert codes([known, diagnostic("expected ;", 12, path="b.c")], HEADERS, source) == ["TL102", "TL911"]
    other = replace(diagnostic("failed", 12, path=None), process=RANK0)
    assert codes([known, other], HEADERS, source) == ["TL102", "TL911"]
    assert codes([known, diagnostic("failed", 90, path=None)], HEADERS, source) == ["TL102", "TL911"]
    # What other ranks write in between moves nothing apart.
    store = EventStore(replace(each, process=RANK0) for each in (known, diagnostic("failed", 90, path=None)))
    store.own_lines.add(RANK0.name, [10, 90])
    assert codes(store, HEADERS, source) == ["TL102"]


def test_a_rule_that_knows_a_failure_to_be_mild_is_believed_over_a_fallback():
    mild = rule("said: cache denied", code="TL201", label="cache/permission", more="severity: degraded")
    assert codes([chain("RuntimeError: cache denied", line=1)], mild, USER) == ["TL201"]


def test_within_one_chain_the_innermost_exception_wins_whatever_the_weight():
    heavy = rule("said: cache denied", code="TL201", label="cache/permission", more="weight: 90")
    events = [chain("OSError: no compiler", "RuntimeError: cache denied", line=1)]
    assert codes(events, CXX, heavy) == ["TL101", "TL201"]


def test_the_compilers_own_error_comes_before_the_exception_that_relays_it():
    relayed = chain("CppCompileError: cache denied\nmain.c:5: error: Python.h", line=10)
    assert codes([relayed, diagnostic("Python.h: No such file", 13)], HEADERS, CACHE) == ["TL102", "TL201"]
    assert codes([diagnostic("Python.h: No such file", 2), relayed], HEADERS, CACHE) == ["TL102", "TL201"]


@pytest.mark.parametrize(("traceback", "shown"), [(5, [7]), (40, [3, 42])])
def test_the_exception_is_shown_in_place_of_a_line_right_above_that_announces_it(traceback, shown):
    events: list[Event] = [
        text("sampling failed: no compiler", line=3),
        chain("RuntimeError: no compiler", line=traceback),
    ]
    assert [finding.evidence[0].span.line for finding in diagnosis_of(events, CXX).findings] == shown


def test_between_failures_weight_decides_and_then_the_line():
    events = [chain("RuntimeError: no compiler", line=1), chain("RuntimeError: cache denied", line=90)]
    assert codes(events, CXX, CACHE) == ["TL101", "TL201"]
    heavy = rule("said: cache denied", code="TL201", label="cache/permission", more="weight: 90")
    assert codes(events, CXX, heavy) == ["TL201", "TL101"]


def test_the_process_that_failed_first_comes_first_whatever_the_weight():
    heavy = rule("said: cache denied", code="TL201", label="cache/permission", more="weight: 90")
    events = [
        chain("RuntimeError: no compiler", line=1, process=RANK3),
        chain("RuntimeError: cache denied", line=90, process=RANK0),
    ]
    answer = diagnosis_of(events, CXX, heavy)
    assert [finding.code for finding in answer.findings] == ["TL101", "TL201"]
    assert answer.findings[0].rank == 3
    assert "Rank 3 failed first." in answer.findings[0].because


def test_torchelastic_knows_who_failed_first():
    events = [
        chain("RuntimeError: cache denied", line=1, process=RANK0),
        chain("RuntimeError: no compiler", line=50, process=RANK3),
        exit_of("Root Cause (first observed failure)", 90, rank=3, first=True),
    ]
    assert codes(events, CXX, CACHE) == ["TL101", "TL201"]


def test_the_same_failure_on_eight_ranks_is_one_finding():
    events = [
        chain(
            f"RuntimeError: no compiler for /tmp/x{rank}/a.c at 0x{rank}f",
            line=10 * (8 - rank),
            process=Process(name=f"rank {rank}", rank=rank),
        )
        for rank in range(8)
    ]
    (finding,) = diagnosis_of(events, CXX).findings
    assert finding.ranks == tuple(range(8))
    assert finding.occurrences == 8
    assert finding.rank == 7
    assert "8 ranks show it, rank 7 first." in finding.because


def test_different_causes_of_one_rule_are_different_findings_up_to_a_few():
    events = [
        chain(f"RuntimeError: no compiler {name}", line=10 * number)
        for number, name in enumerate("abcdefghijk", start=1)
    ]
    assert codes(events, CXX) == ["TL101"] * 6


def test_recompilations_of_one_function_are_one_finding():
    storm = rule(
        "recompile: {kind: [size]}\ncount: 3",
        code="TL301",
        label="dynamic-shapes/recompile-limit",
        more="severity: degraded",
    )
    events = [recompile(line, guard(GuardKind.SIZE, line + 1, f"size {line}")) for line in range(10, 50, 10)]
    (finding,) = diagnosis_of(events, storm).findings
    assert finding.occurrences == 4


def test_the_commonest_reason_for_recompilations_comes_first_and_then_the_weightier_rule():
    rules = [
        rule(
            f"recompile: {{kind: [{kind}]}}\ncount: 3",
            code=code,
            label="dynamic-shapes/recompile-limit",
            more=f"severity: degraded\nweight: {weight}",
        )
        for code, kind, weight in (("TL302", "symbolic shape", 70), ("TL303", "stride", 50))
    ]
    strides = [recompile(line, guard(GuardKind.STRIDE, line + 1, "stride")) for line in range(10, 50, 10)]
    symbols = [recompile(line, guard(GuardKind.SYMBOLIC, line + 1, "2 <= s0")) for line in range(100, 140, 10)]
    assert codes([*strides, *symbols[:3]], *rules) == ["TL303", "TL302"]
    assert codes([*strides, *symbols], *rules) == ["TL302", "TL303"]


def test_two_different_failures_are_both_found():
    events = [chain("RuntimeError: no compiler", line=1), chain("RuntimeError: cache denied", line=90)]
    answer = diagnosis_of(events, CACHE, CXX)
    assert {finding.label for finding in answer.findings} == {"toolchain/cxx-missing", "cache/permission"}


def test_the_order_of_the_rules_does_not_matter():
    events: list[Event] = [
        chain("OSError: no compiler", "RuntimeError: cache denied", line=1),
        text("NCCL timeout", 60),
        diagnostic("Python.h: No such file", 4),
    ]
    rules = (CXX, HEADERS, CACHE, NCCL, USER)
    assert diagnosis_of(events, *rules) == diagnosis_of(events, *reversed(rules))


def test_an_unexplained_failure_before_a_consequence_is_the_answer():
    events = [
        chain("WeirdError: who knows", line=1, process=RANK1),
        chain("RuntimeError: NCCL timeout", line=90, process=RANK0),
    ]
    answer = diagnosis_of(events, NCCL)
    assert answer.outcome is Outcome.UNEXPLAINED
    assert answer.unexplained is not None
    assert answer.unexplained.seen == "WeirdError: who knows"
    assert [finding.code for finding in answer.findings] == ["TL901"]


def test_a_consequence_alone_is_an_answer():
    answer = diagnosis_of([chain("RuntimeError: NCCL timeout", line=1, process=RANK0)], NCCL)
    assert answer.outcome is Outcome.OUTSIDE
    assert "usually follows from another failure" in answer.findings[0].because


@pytest.mark.parametrize(
    ("events", "because"),
    [
        ([chain("RuntimeError: no compiler")], "It is the exception that was raised."),
        (
            [chain("OSError: no compiler", "InductorError: x", "BackendCompilerFailed: y")],
            "Of 3 chained exceptions it is the innermost; InductorError, BackendCompilerFailed only pass it on.",
        ),
        (
            [chain("KeyError: x", "OSError: no compiler")],
            "Of 2 chained exceptions it is the innermost one that a rule knows.",
        ),
        (
            [diagnostic("no compiler", 1), diagnostic("y", 2), diagnostic("z", 3)],
            "It is the first error of the compiler or linker; 2 more errors follow it.",
        ),
        (
            [chain("CppCompileError: a\nb\nc", line=1), diagnostic("no compiler", 4)],
            "It is the first error of the compiler or linker that the traceback only relays.",
        ),
        ([text("no compiler", 1)], "The log says so itself."),
        ([text("no compiler", 1), text("no compiler", 5)], "The log says so 2 times."),
        ([chain("RuntimeError: no compiler", level=Level.WARNING)], "It was logged as a warning"),
        ([chain("RuntimeError: no compiler", level=Level.DEBUG)], "torch recovered from this by itself"),
    ],
)
def test_each_finding_says_why_it_stands_where_it_does(events, because):
    assert because in diagnosis_of(events, CXX).findings[0].because


def test_the_answer_says_what_did_not_count():
    events = [
        chain("RuntimeError: no compiler", line=1),
        chain("RuntimeError: cache denied", line=50, level=Level.WARNING),
        chain("RuntimeError: Python.h", line=90, level=Level.DEBUG),
    ]
    because = diagnosis_of(events, CXX, CACHE, HEADERS).findings[0].because
    assert "1 other finding did not end the run." in because
    assert "1 thing that torch handled by itself did not count." in because
