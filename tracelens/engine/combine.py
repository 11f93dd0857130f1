"""One verdict for several inputs, such as the logs of all ranks.

Each input has been judged by itself. Here their findings are merged and
ranked again: what failed in one input is not excused by others that are clean.
"""

from __future__ import annotations

from collections.abc import Sequence

from tracelens.engine.judge import gravity
from tracelens.expressions import expression
from tracelens.findings import (
    Confidence,
    Coverage,
    Diagnosis,
    Diagnostic,
    Environment,
    Finding,
    Outcome,
    Role,
    Severity,
)
from tracelens.record import field_names, replace
from tracelens.timeline import Timeline
from tracelens.typed import NamedTuple

_ROLES = {Role.CAUSE: 0, Role.CONSEQUENCE: 1, Role.FALLBACK: 2}
_VARIABLE = expression(r"0x[0-9a-fA-F]+|\d+")


class _Found(NamedTuple):
    """One finding, the number and name of its input, and its place there."""

    number: int
    place: int
    finding: Finding
    source: str


def combine(diagnoses: Sequence[Diagnosis]) -> Diagnosis:
    """Return the verdict for several inputs together, such as the logs of all ranks.

    A failure that no rule explains counts unless another input ended for a
    reason that is known. There must be at least one input.
    """
    if len(diagnoses) == 1:
        return diagnoses[0]
    findings = _merged(diagnoses)
    top = findings[0] if findings and findings[0].severity is not Severity.HANDLED else None
    together = replace(_clean(diagnoses), findings=findings)
    unexplained = next((diagnosis for diagnosis in diagnoses if diagnosis.outcome is Outcome.UNEXPLAINED), None)
    answers = top is not None and top.severity is Severity.FATAL and top.role is not Role.CONSEQUENCE
    if unexplained and not answers:
        return replace(
            together,
            outcome=Outcome.UNEXPLAINED,
            label=None,
            confidence=None,
            pipeline=unexplained.pipeline,
            unexplained=unexplained.unexplained,
            evidence=unexplained.evidence,
            fingerprint=unexplained.fingerprint,
        )
    if top is None:
        return together
    holder = next(diagnosis for diagnosis in diagnoses if diagnosis.source == top.sources[0])
    return replace(
        together,
        outcome=Outcome.DIAGNOSED if top.root_cause else Outcome.OUTSIDE,
        root_cause=top.root_cause,
        label=top.label,
        confidence=top.confidence,
        pipeline=holder.pipeline,
        fingerprint=top.fingerprint,
    )


def _clean(diagnoses: Sequence[Diagnosis]) -> Diagnosis:
    """Return the verdict for inputs none of which has failed, with all that is known of them."""
    return Diagnosis(
        outcome=Outcome.CLEAN,
        root_cause=None,
        label="none/clean",
        confidence=Confidence.CERTAIN if any(diagnosis.coverage.lines for diagnosis in diagnoses) else None,
        findings=(),
        environment=_environment(diagnoses),
        pipeline=diagnoses[0].pipeline,
        coverage=Coverage(
            lines=sum(diagnosis.coverage.lines for diagnosis in diagnoses),
            parsed=sum(diagnosis.coverage.parsed for diagnosis in diagnoses),
            unparsed=sum(diagnosis.coverage.unparsed for diagnosis in diagnoses),
        ),
        diagnostics=tuple(
            Diagnostic(code=remark.code, message=f"{diagnosis.source}: {remark.message}", line=remark.line)
            for diagnosis in diagnoses
            for remark in diagnosis.diagnostics
        ),
        source=f"{len(diagnoses)} inputs",
        timeline=_timeline(diagnoses),
    )


def _timeline(diagnoses: Sequence[Diagnosis]) -> Timeline | None:
    """Return the timeline of the one input that has any; several stay with their inputs."""
    known = [diagnosis.timeline for diagnosis in diagnoses if diagnosis.timeline]
    return known[0] if len(known) == 1 else None


def _merged(diagnoses: Sequence[Diagnosis]) -> tuple[Finding, ...]:
    """Merge equal findings of different inputs; the most severe and earliest one speaks for all."""
    groups: dict[tuple[str, str], list[_Found]] = {}
    for number, diagnosis in enumerate(diagnoses):
        for place, finding in enumerate(diagnosis.findings):
            key = finding.code, _VARIABLE.sub("#", finding.title)
            groups.setdefault(key, []).append(_Found(number, place, finding, diagnosis.source))
    merged = [sorted(group, key=_grade) for group in groups.values()]
    # What most inputs share comes before what befell one of them.
    merged.sort(key=lambda group: (_grade(group[0])[:2], -len({found.number for found in group}), _grade(group[0])))
    return tuple(_speaker(group, len(diagnoses)) for group in merged)


def _grade(found: _Found) -> tuple[int, int, int, int]:
    return -gravity(found.finding.severity), _ROLES[found.finding.role], found.number, found.place


def _speaker(group: Sequence[_Found], inputs: int) -> Finding:
    finding = group[0].finding
    sources = tuple(dict.fromkeys(found.source for found in group))
    ranks = {rank for found in group for rank in (*found.finding.ranks, found.finding.rank) if rank is not None}
    return replace(
        finding,
        occurrences=sum(found.finding.occurrences for found in group),
        ranks=tuple(sorted(ranks)),
        sources=sources,
        because=f"{finding.because} Found in {len(sources)} of {inputs} inputs.",
    )


def _environment(diagnoses: Sequence[Diagnosis]) -> Environment:
    known = {
        name: next((value for diagnosis in diagnoses if (value := getattr(diagnosis.environment, name))), None)
        for name in field_names(Environment)
    }
    ranks = {rank for diagnosis in diagnoses for finding in diagnosis.findings for rank in finding.ranks}
    known["ranks"] = max((known["ranks"] or 0, len(ranks))) or None
    return Environment(**known)
