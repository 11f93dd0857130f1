"""Two logs in one: of two different failures, or of a failure and a run that went well."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from corpus.score import Case
from tests.corpus_cases import all_cases, diagnose_case
from tracelens.findings import Confidence, Severity

#: Between the logs of two commands of one session.
_BETWEEN = "\n$ python train.py --resume last.pt\n"
_LONG = 100_000
_TESTS_PASSED = "TL011"
_CAUSES = ("toolchain", "cache", "dynamic-shapes", "abi")


def failing_cases() -> tuple[tuple[Case, Severity], ...]:
    """Return the cases of the four causes that are answered surely, with what their failure did to the run."""
    cases = []
    for case in all_cases().values():
        answer = diagnose_case(case.id)
        if answer.label == case.label and case.label.partition("/")[0] in _CAUSES:
            finding = answer.findings[0]
            if finding.confidence is Confidence.CERTAIN:
                cases.append((case, finding.severity))
    return tuple(cases)


def clean_cases() -> tuple[Case, ...]:
    """Return the cases without a failure that are answered so, but for test runs: what is printed there is excused."""
    cases = []
    for case in all_cases().values():
        if case.label == "none/clean" and case.log.stat().st_size < _LONG:
            answer = diagnose_case(case.id)
            if answer.label == case.label and _TESTS_PASSED not in {found.code for found in answer.findings}:
                cases.append(case)
    return tuple(cases)


def pairs_of(cases: Sequence[tuple[Case, Severity]]) -> Iterator[tuple[Case, Case, str | None]]:
    """Yield two cases of different causes, and the label that has to be on top; ``None`` where both were fatal."""
    for (one, first), (other, second) in product(cases, cases):
        if one.label.partition("/")[0] != other.label.partition("/")[0]:
            fatal = [case.label for case, severity in ((one, first), (other, second)) if severity is Severity.FATAL]
            yield one, other, fatal[0] if len(fatal) == 1 else None


def joined(one: Case, other: Case) -> str:
    """Return the logs of two cases as one."""
    return _BETWEEN.join(case.log.read_text(encoding="utf-8", errors="surrogateescape") for case in (one, other))
