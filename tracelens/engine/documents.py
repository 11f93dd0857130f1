"""Findings of a log and of artifacts beside it: which of them says what.

All of them were judged in one numbering of lines. Here each line goes back to
the file that it is in, and a finding says whether the sources agree.
"""

from __future__ import annotations

from collections.abc import Sequence

from tracelens.engine.log import Log
from tracelens.engine.rank import Ranked
from tracelens.findings import Diagnosis, Evidence, Finding
from tracelens.record import replace
from tracelens.text import Documents, Span


def place(answer: Diagnosis, ranked: Sequence[Ranked], log: Log, documents: Documents) -> Diagnosis:
    """Return an answer whose every line is that of the file which it names."""
    findings = (
        _placed_finding(finding, item, log, documents, answer.source)
        for finding, item in zip(answer.findings, ranked, strict=True)
    )
    return replace(
        answer,
        findings=tuple(findings),
        evidence=tuple(_placed(item, documents) for item in answer.evidence),
    )


def _placed(evidence: Evidence, documents: Documents) -> Evidence:
    source, line = documents.place(evidence.span.line)
    if source is None:
        return evidence
    length = evidence.span.end_line - evidence.span.line
    return replace(evidence, span=Span(line=line, end_line=line + length), source=source)


def _placed_finding(finding: Finding, item: Ranked, log: Log, documents: Documents, own: str) -> Finding:
    times: dict[str | None, int] = {}
    for event in dict.fromkeys(candidate.match.primary.subject.event for candidate in item.all):
        source = documents.place(log.events[event].span.line)[0]
        times[source] = times.get(source, 0) + log.counts[event]
    artifacts = [source for source in times if source is not None]
    if not artifacts:
        return finding
    return replace(
        finding,
        evidence=tuple(_placed(evidence, documents) for evidence in finding.evidence),
        sources=tuple(source or own for source in sorted(times, key=lambda source: source is not None)),
        # The log and the trace of one process tell of the same failure.
        occurrences=times.get(None) or sum(times.values()),
        because=_agreement(finding, artifacts, has_log=None in times),
    )


def _agreement(finding: Finding, artifacts: Sequence[str], *, has_log: bool) -> str:
    own = artifacts[0].replace("\\", "/").rpartition("/")[2]
    names = own if len(artifacts) == 1 else f"{len(artifacts)} artifacts"
    said = f"{names} confirm{'s' if len(artifacts) == 1 else ''} it." if has_log else f"It stands in {names}."
    return f"{finding.because} {said}".strip()
