"""What the page of one answer shows, before any markup.

Every text here is harmless, and becomes markup in the template only, which
escapes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tracelens.findings import Diagnosis, Environment, Evidence, EvidenceRole, Finding, Outcome, Severity, StageStatus
from tracelens.record import Record, field_names
from tracelens.report.as_plain import render_plain
from tracelens.report.harmless import harmless, harmless_line
from tracelens.report.layout import Layout
from tracelens.report.page_timeline import TimelineView, view_timeline
from tracelens.report.words import STAGE_NAMES, UNEXPLAINED_TITLE, clean_title, fix_facts, standing

_STAGE_MARKS = {
    StageStatus.PASSED: ("✓", "passed"),
    StageStatus.FAILED: ("✗", "failed"),
    StageStatus.NOT_REACHED: ("·", "waiting"),
    StageStatus.UNKNOWN: ("·", "waiting"),
}
#: A page of a hundred thousand lines helps nobody; the log itself is at hand.
_MAX_ROWS = 200
_MAX_ROW = 2000
_MAX_OTHERS = 20
_MAX_CELLS = 256
_STRIP_WIDTH = 1024
_VERIFIED_WIDTH = 96


class Row(Record):
    """One line of the log, or what stands between two: a gap, or the name of an artifact."""

    number: int = 0
    text: str = ""
    is_root: bool = False
    gap: bool = False


class FixView(Record):
    """One fix, with the note of its re-run."""

    title: str
    facts: tuple[str, ...]
    commands: tuple[str, ...]
    note: str | None


class Advice(Record):
    """Advice that will not help, and why."""

    advice: str
    why: str


class Reference(Record):
    """Something to read; only what is plainly a web address becomes a link."""

    text: str
    is_link: bool


class FindingView(Record):
    """One finding in full."""

    title: str
    label: str
    severity: str
    line: int | None
    summary: str
    explanation: str
    because: str
    evidence: tuple[Row, ...]
    fixes: tuple[FixView, ...]
    not_helpful: tuple[Advice, ...]
    references: tuple[Reference, ...]


class StageView(Record):
    """One stage of the pipeline picture."""

    name: str
    mark: str
    status: str
    style: str


class Cell(Record):
    """One rank of the strip, or several that are too narrow alone."""

    x: float
    width: float
    style: str
    text: str


class RankStrip(Record):
    """Which ranks the finding was seen on."""

    cells: tuple[Cell, ...]
    text: str
    width: int = _STRIP_WIDTH


class AnswerView(Record):
    """Everything the page shows of one answer."""

    id: str
    source: str
    facts: tuple[str, ...]
    mood: str
    mark: str
    title: str
    label: str | None
    code: str | None
    standing: tuple[str, ...]
    pipeline: tuple[StageView, ...]
    finding: FindingView | None
    seen: str
    next_command: str
    evidence: tuple[Row, ...]
    ranks: RankStrip | None
    others: tuple[FindingView, ...]
    environment: tuple[tuple[str, str], ...]
    remarks: tuple[str, ...]
    timeline: TimelineView | None
    verified: str


def view_answer(diagnosis: Diagnosis, identity: str, *, source: str | None = None) -> AnswerView:
    """Return what the page shows of one answer; ``identity`` is unique on the page."""
    is_clean = diagnosis.outcome is Outcome.CLEAN
    answers = diagnosis.outcome in (Outcome.DIAGNOSED, Outcome.OUTSIDE)
    first = diagnosis.findings[0] if answers else None
    others = diagnosis.findings[1:] if answers else diagnosis.findings
    shown = [other for other in others if is_clean or other.severity is not Severity.HANDLED]
    unexplained = diagnosis.unexplained
    mark, mood, title = _verdict(diagnosis, first)
    return AnswerView(
        id=identity,
        source=harmless_line(diagnosis.source if source is None else source),
        facts=(f"{diagnosis.coverage.lines:,} lines",),
        mood=mood,
        mark=mark,
        title=title,
        label=diagnosis.label,
        code=None if first is None else first.code,
        standing=() if first is None else tuple(standing(first)),
        pipeline=tuple(
            StageView(
                name=STAGE_NAMES[item.stage],
                mark=_STAGE_MARKS[item.status][0],
                status=item.status.value,
                style=_STAGE_MARKS[item.status][1],
            )
            for item in diagnosis.pipeline
        ),
        finding=None if first is None else _view_finding(first),
        seen="" if unexplained is None else harmless_line(unexplained.seen),
        next_command="" if unexplained is None else harmless_line(unexplained.next_command),
        evidence=tuple(_rows(diagnosis.evidence)),
        ranks=None if first is None else _strip(first, diagnosis.environment.ranks),
        others=tuple(_view_finding(other) for other in shown[:_MAX_OTHERS]),
        environment=tuple(_facts(diagnosis.environment)),
        remarks=tuple(harmless_line(remark.message) for remark in diagnosis.diagnostics),
        timeline=None if diagnosis.timeline is None else view_timeline(diagnosis.timeline),
        verified=_verified(diagnosis),
    )


def _verified(diagnosis: Diagnosis) -> str:
    if diagnosis.verification is None:
        return ""
    # Only `verify` has asked the machine.
    from tracelens.report.verified import lay_out_verification

    return render_plain(lay_out_verification(diagnosis.verification, Layout(width=_VERIFIED_WIDTH)))


def _verdict(diagnosis: Diagnosis, first: Finding | None) -> tuple[str, str, str]:
    if first is not None:
        return "✗", "warn" if first.severity is Severity.DEGRADED else "bad", harmless_line(first.title)
    if diagnosis.outcome is Outcome.CLEAN:
        return "✓", "good", clean_title(diagnosis)
    return "?", "warn", UNEXPLAINED_TITLE


def _view_finding(finding: Finding) -> FindingView:
    return FindingView(
        title=harmless_line(finding.title),
        label=finding.label,
        severity=finding.severity.value,
        line=finding.line,
        summary=harmless_line(finding.summary),
        explanation=harmless_line(finding.explanation),
        because=harmless_line(finding.because),
        evidence=tuple(_rows(finding.evidence)),
        fixes=tuple(
            FixView(
                title=harmless_line(fix.title),
                facts=tuple(harmless_line(fact) for fact in fix_facts(fix)),
                commands=tuple(harmless(command) for command in fix.commands),
                note=None if fix.verification is None else harmless_line(fix.verification.note or "") or None,
            )
            for fix in finding.fixes
        ),
        not_helpful=tuple(
            Advice(advice=harmless_line(item.advice), why=harmless_line(item.why)) for item in finding.not_helpful
        ),
        references=tuple(
            Reference(text=harmless_line(text), is_link=text.startswith(("https://", "http://")))
            for text in finding.references
        ),
    )


def _rows(evidence: Sequence[Evidence]) -> Iterator[Row]:
    last = count = 0
    source: str | None = None
    for item in sorted(evidence, key=lambda item: (item.source or "", item.span)):
        if item.source is not None and item.source != source:
            yield Row(gap=True, text=f"in {harmless_line(item.source)}")
            source, last = item.source, 0
        if last and item.span.line > last + 1:
            yield Row(gap=True, text="⋮")
        for offset, line in enumerate(harmless(item.text).split("\n")):
            count += 1
            if count > _MAX_ROWS:
                yield Row(gap=True, text="⋮")
                return
            text = line if len(line) <= _MAX_ROW else f"{line[:_MAX_ROW]}…"
            yield Row(number=item.span.line + offset, text=text, is_root=item.role is EvidenceRole.ROOT)
        last = item.span.end_line


def _strip(finding: Finding, ranks: int | None) -> RankStrip | None:
    hit = set(finding.ranks)
    total = max(ranks or 0, max(hit, default=0) + 1)
    if not hit or total < 2:
        return None
    group = -(-total // _MAX_CELLS)
    count = -(-total // group)
    width = _STRIP_WIDTH / count
    cells = []
    for number in range(count):
        members = range(number * group, min(total, (number + 1) * group))
        seen = sum(member in hit for member in members)
        style = "first" if finding.rank in members else "hit" if seen else "none"
        name = f"rank {members[0]}" if len(members) == 1 else f"ranks {members[0]} to {members[-1]}"
        state = "first to fail" if style == "first" else "failed" if seen else "nothing found"
        cells.append(Cell(x=number * width, width=width * 0.9, style=style, text=f"{name}: {state}"))
    first = "" if finding.rank is None else f", rank {finding.rank} first"
    return RankStrip(cells=tuple(cells), text=f"Seen on {len(hit)} of {total} ranks{first}.")


def _facts(environment: Environment) -> Iterator[tuple[str, str]]:
    for name in field_names(type(environment)):
        value = getattr(environment, name)
        if value is not None:
            yield name.replace("_", " "), harmless_line(str(value))
