from __future__ import annotations

from dataclasses import replace

from tests.engine.by_hand import RANK0, RANK1, RANK3, chain, diagnosis_of, rule
from tracelens.engine.combine import combine
from tracelens.events import Event, Level
from tracelens.findings import Diagnosis, Diagnostic, Outcome

CXX = rule("said: no compiler")
CACHE = rule("said: cache denied", code="TL201", label="cache/permission")
NCCL = rule("said: NCCL timeout", code="TL901", label="outside/distributed", more="role: consequence")


def answer(name: str, *events: Event) -> Diagnosis:
    found = replace(diagnosis_of(events, CXX, CACHE, NCCL), source=name)
    return replace(found, diagnostics=(Diagnostic(code="remark", message="about it"),))


def codes(found: Diagnosis) -> list[str]:
    return [finding.code for finding in found.findings]


def test_one_input_is_its_own_verdict():
    only = answer("a", chain("RuntimeError: no compiler"))
    assert combine([only]) is only


def test_the_same_failure_in_several_inputs_is_one_finding():
    logs = [
        answer("rank0.log", chain("RuntimeError: no compiler", process=RANK0)),
        answer("rank1.log", chain("RuntimeError: no compiler", process=RANK1)),
        answer("rank3.log"),
    ]
    together = combine(logs)
    (finding,) = together.findings
    assert (finding.ranks, finding.occurrences, finding.sources) == ((0, 1), 2, ("rank0.log", "rank1.log"))
    assert finding.because.endswith("Found in 2 of 3 inputs.")
    assert (together.outcome, together.label, together.source) == (
        Outcome.DIAGNOSED,
        "toolchain/cxx-missing",
        "3 inputs",
    )
    assert together.coverage.lines == 3000
    assert [remark.message for remark in together.diagnostics] == [f"{log.source}: about it" for log in logs]


def test_a_cause_in_one_input_comes_before_its_consequences_in_others():
    logs = [
        answer("0", chain("RuntimeError: NCCL timeout", process=RANK0)),
        answer("1", chain("RuntimeError: NCCL timeout", process=RANK1)),
        answer("3", chain("RuntimeError: cache denied", process=RANK3)),
    ]
    together = combine(logs)
    assert codes(together) == ["TL201", "TL901"]
    assert together.label == "cache/permission"


def test_what_most_inputs_share_comes_first_among_equals():
    logs = [
        answer("0", chain("RuntimeError: cache denied")),
        answer("1", chain("RuntimeError: no compiler")),
        answer("2", chain("RuntimeError: no compiler")),
    ]
    assert codes(combine(logs)) == ["TL101", "TL201"]
    assert codes(combine(logs[:2])) == ["TL201", "TL101"]


def test_fatal_in_one_input_comes_before_degraded_in_many():
    logs = [
        answer("0", chain("RuntimeError: no compiler", level=Level.WARNING)),
        answer("1", chain("RuntimeError: no compiler", level=Level.WARNING)),
        answer("2", chain("RuntimeError: cache denied")),
    ]
    assert codes(combine(logs)) == ["TL201", "TL101"]


def test_an_unexplained_input_counts_unless_a_cause_is_known():
    weird = answer("0", chain("WeirdError: deep"))
    consequence = answer("1", chain("RuntimeError: NCCL timeout"))
    together = combine([consequence, weird])
    assert (together.outcome, together.label) == (Outcome.UNEXPLAINED, None)
    assert together.unexplained == weird.unexplained
    assert codes(together) == ["TL901"]
    assert combine([weird, answer("2", chain("RuntimeError: no compiler"))]).outcome is Outcome.DIAGNOSED


def test_clean_inputs_together_are_clean():
    together = combine([answer("0"), answer("1", chain("RuntimeError: no compiler", level=Level.DEBUG))])
    assert (together.outcome, together.label) == (Outcome.CLEAN, "none/clean")
    assert codes(together) == ["TL101"]


def test_facts_of_all_inputs_are_joined():
    first = answer("0")
    second = answer("1")
    first = replace(first, environment=replace(first.environment, torch="2.5.1"))
    second = replace(second, environment=replace(second.environment, torch="2.6", python="3.11", ranks=8))
    environment = combine([first, second]).environment
    assert (environment.torch, environment.python, environment.ranks) == ("2.5.1", "3.11", 8)
