"""The whole pipeline in two functions: one log in, one answer out; many in, one verdict.

``analyze_feed`` reads any amount in bounded memory. Nothing here prints,
asks the clock or touches the machine; a log never raises, only an input that
cannot be read and a rule file that is wrong do.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Protocol, overload

from tracelens.engine.diagnose import Reading, diagnose
from tracelens.engine.raw import RawLines
from tracelens.engine.store import EventStore
from tracelens.findings import (
    Coverage,
    Diagnosis,
    Diagnostic,
    Environment,
    Finding,
    Outcome,
    Role,
    Severity,
)
from tracelens.parsing import ANCHORS, parse_strand
from tracelens.ruleset.bundled import load_ruleset
from tracelens.ruleset.compiled import RuleSet
from tracelens.scan import ScanLedger, ScanOptions, find_regions
from tracelens.source import split_strands

_SEVERITIES = tuple(Severity)
_ROLES = tuple(Role)
_DEFAULT_SCAN = ScanOptions()


class LogFeed(Protocol):
    """What a log is read from: UTF-8 bytes, and remarks on how reading went."""

    @property
    def remarks(self) -> tuple[Diagnostic, ...]:
        """What was wrong with the input, complete once it was read."""

    def readinto(self, view: memoryview, /) -> int:
        """Fill the view from its beginning; return how much, 0 at the end only."""


class _TextFeed:
    """Text that is already in memory."""

    remarks: tuple[Diagnostic, ...] = ()

    def __init__(self, text: str) -> None:
        self._bytes = io.BytesIO(text.encode("utf-8", "surrogatepass"))

    def readinto(self, view: memoryview, /) -> int:
        return self._bytes.readinto(view)


class _Anchors(Sequence[str]):
    """What the scan looks for; derived when an input is large enough to need it."""

    def __init__(self, ruleset: RuleSet) -> None:
        self._ruleset = ruleset
        self._anchors: tuple[str, ...] | None = None

    def _all(self) -> tuple[str, ...]:
        if self._anchors is None:
            from tracelens.ruleset.triggers import rule_anchors

            self._anchors = tuple(dict.fromkeys((*ANCHORS, *rule_anchors(self._ruleset))))
        return self._anchors

    def __len__(self) -> int:
        return len(self._all())

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...
    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        return self._all()[index]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())


def analyze_text(text: str, ruleset: RuleSet | None = None, *, source: str = "-") -> Diagnosis:
    """Diagnose a log that is in memory; ``None`` stands for our own rules."""
    return analyze_feed(_TextFeed(text), load_ruleset() if ruleset is None else ruleset, source=source)


def analyze_feed(
    feed: LogFeed, ruleset: RuleSet, *, source: str = "-", options: ScanOptions = _DEFAULT_SCAN, strict: bool = False
) -> Diagnosis:
    """Diagnose one log, read to its end.

    ``strict`` lets a crashing rule raise instead of noting it. Raises
    ``InputError`` when nothing of the input can be read.
    """
    ledger = ScanLedger()
    raw = RawLines()
    store = EventStore()
    parsed = unparsed = 0
    remarks: list[Diagnostic] = []
    for region in find_regions(feed, _Anchors(ruleset), options=options, ledger=ledger):
        raw.add(region)
        for strand in split_strands(region):
            reading = parse_strand(strand)
            store.extend(reading.events)
            parsed += reading.parsed_lines
            unparsed += reading.unparsed_lines
            remarks += reading.diagnostics
    return diagnose(
        store,
        ruleset,
        excerpt=raw.excerpt,
        reading=Reading(
            coverage=Coverage(lines=ledger.lines, parsed=parsed, unparsed=unparsed),
            source=source,
            diagnostics=(*feed.remarks, *ledger.diagnostics(), *remarks),
        ),
        strict=strict,
    )


def combine(answers: Sequence[Diagnosis]) -> Diagnosis:
    """Return the verdict for several inputs together, such as the logs of all ranks.

    The finding that leads is the worst one, then the one that most inputs
    share, then that of the earlier input. A failure that no rule explains
    counts only where no input explains one.
    """
    merged = _merged_findings(answers)
    leading = _leading(answers, merged)
    environment = Environment(
        **{
            name: next((value for answer in answers if (value := getattr(answer.environment, name)) is not None), None)
            for name in Environment.__slots__
        }
    )
    coverages = [answer.coverage for answer in answers]
    return replace(
        leading,
        findings=merged,
        confidence=merged[0].confidence if merged and leading.label else None,
        environment=environment,
        coverage=Coverage(
            lines=sum(one.lines for one in coverages),
            parsed=sum(one.parsed for one in coverages),
            unparsed=sum(one.unparsed for one in coverages),
        ),
        diagnostics=(),
        source=f"{len(answers)} inputs",
    )


def _merged_findings(answers: Sequence[Diagnosis]) -> tuple[Finding, ...]:
    groups: dict[tuple[str, Severity], list[tuple[int, str, Finding]]] = {}
    for number, answer in enumerate(answers):
        for finding in answer.findings:
            groups.setdefault((finding.code, finding.severity), []).append((number, answer.source, finding))
    ordered = sorted(
        groups.values(),
        key=lambda group: (
            _SEVERITIES.index(group[0][2].severity),
            _ROLES.index(group[0][2].role),
            -len({number for number, _, _ in group}),
            group[0][0],
        ),
    )
    return tuple(_merged(group) for group in ordered)


def _merged(group: Sequence[tuple[int, str, Finding]]) -> Finding:
    ranks = {rank for _, _, finding in group for rank in finding.ranks}
    return replace(
        group[0][2],
        occurrences=sum(finding.occurrences for _, _, finding in group),
        ranks=tuple(sorted(ranks)),
        sources=tuple(dict.fromkeys(source for _, source, _ in group)),
    )


def _leading(answers: Sequence[Diagnosis], merged: Sequence[Finding]) -> Diagnosis:
    """Return the answer of the input whose outcome speaks for all."""
    if merged and merged[0].severity is not Severity.HANDLED:
        for answer in answers:
            explained = answer.outcome in (Outcome.DIAGNOSED, Outcome.OUTSIDE)
            if explained and answer.findings and answer.findings[0].code == merged[0].code:
                return answer
    for outcome in (Outcome.DIAGNOSED, Outcome.OUTSIDE, Outcome.UNEXPLAINED):
        for answer in answers:
            if answer.outcome is outcome:
                return answer
    return answers[0]
