"""Lay a diagnosis out for reading: lines of styled pieces, any width.

The first screen answers what failed, why, and what to type. The same layout
serves terminals and plain text; a style is a name, and colour is the
writer's business.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tracelens.findings import (
    Diagnosis,
    Evidence,
    EvidenceRole,
    Finding,
    Fix,
    Outcome,
    Severity,
    StageStatus,
)
from tracelens.record import Record
from tracelens.report.harmless import harmless, harmless_line
from tracelens.report.words import (
    STAGE_NAMES,
    UNEXPLAINED_TITLE,
    banner_facts,
    clean_title,
    fix_facts,
    other_findings,
    standing,
    unhelpful_advice,
)
from tracelens.report.wrap import cell_width, shorten, wrap

#: A line of the report: pieces of text, each with the name of its style.
StyledLine = tuple[tuple[str, str], ...]

_MAX_EVIDENCE_ROWS = 8
_MAX_CONTEXT_ROWS = 2
_MAX_OTHER_FINDINGS = 5


class Symbols(Record):
    """The few characters beyond ASCII, or what stands for them."""

    failed: str
    passed: str
    unknown: str
    question: str
    separator: str
    gutter: str
    arrow: str
    ellipsis: str


UNICODE = Symbols(
    failed="✗", passed="✓", unknown="·", question="?", separator=" · ", gutter="│", arrow="──", ellipsis="…"
)
ASCII = Symbols(
    failed="x", passed="+", unknown="-", question="?", separator=" - ", gutter="|", arrow="--", ellipsis="..."
)


class Layout(Record):
    """How wide, and with which characters."""

    width: int = 80
    symbols: Symbols = UNICODE


def lay_out(diagnosis: Diagnosis, layout: Layout) -> list[StyledLine]:
    """Return the whole report of one input, line by line."""
    lines: list[StyledLine] = [_banner(diagnosis, layout), ()]
    if diagnosis.outcome is Outcome.CLEAN:
        lines += _clean(diagnosis, layout)
    elif diagnosis.outcome is Outcome.UNEXPLAINED:
        lines += _unexplained(diagnosis, layout)
    else:
        lines += _answer(diagnosis, layout)
    if not diagnosis.findings or diagnosis.outcome is Outcome.CLEAN:
        lines += [(), *_verified(diagnosis, layout)]
    if diagnosis.timeline is not None:
        # Only a trace has one.
        from tracelens.report.timeline import lay_out_timeline

        lines += [(), *lay_out_timeline(diagnosis.timeline, layout), ()]
    for remark in diagnosis.diagnostics:
        lines += _paragraph("Note", harmless_line(remark.message), layout, "dim")
    while lines and not lines[-1]:
        lines.pop()
    return lines


def lay_out_report(diagnosis: Diagnosis, inputs: Sequence[Diagnosis], layout: Layout) -> list[StyledLine]:
    """Lay out one answer, or those of several inputs and then the joint one."""
    if not inputs:
        return lay_out(diagnosis, layout)
    lines: list[StyledLine] = []
    for one in inputs:
        lines += [*lay_out(one, layout), (), (("dim", layout.symbols.arrow * (layout.width // 2)),), ()]
    lines.append((("bold", f"{len(inputs)} inputs together"),))
    lines += [lay_out_verdict(one, layout) for one in inputs]
    return [*lines, (), *lay_out(diagnosis, layout)]


def lay_out_verdict(diagnosis: Diagnosis, layout: Layout) -> StyledLine:
    """Return the verdict of one input on one line."""
    dot = layout.symbols.separator
    name = harmless_line(diagnosis.source)
    label = diagnosis.label or diagnosis.outcome.value
    if diagnosis.outcome is Outcome.CLEAN:
        return (("pass", layout.symbols.passed), ("plain", f" {name}{dot}{label}"))
    if not diagnosis.findings:
        return (("warn", layout.symbols.question), ("plain", f" {name}{dot}{label}"))
    finding = diagnosis.findings[0]
    where = "" if finding.line is None else f"{dot}{_place(finding, finding.line)}"
    rest = f" {name}{dot}{label}{dot}{finding.confidence.value}{where}{dot}{harmless_line(finding.title)}"
    return (("fail", layout.symbols.failed), ("plain", rest))


def _place(finding: Finding, line: int) -> str:
    source = finding.root.source if finding.root else None
    return f"line {line}" if source is None else f"{_file_name(source)} line {line}"


def _file_name(source: str) -> str:
    return harmless_line(source.replace("\\", "/").rpartition("/")[2])


def _banner(diagnosis: Diagnosis, layout: Layout) -> StyledLine:
    dot = layout.symbols.separator
    rest = harmless_line("".join(dot + part for part in banner_facts(diagnosis)))
    name = shorten(harmless_line(diagnosis.source), max(12, layout.width - cell_width(rest)), layout.symbols.ellipsis)
    return (("bold", name), ("dim", shorten(rest, layout.width - cell_width(name), layout.symbols.ellipsis)))


def _answer(diagnosis: Diagnosis, layout: Layout) -> Iterator[StyledLine]:
    finding = diagnosis.findings[0]
    yield from _headline(finding, layout)
    yield ()
    yield from _pipeline(diagnosis, layout)
    yield ()
    yield from _evidence_block(finding.evidence, layout)
    yield ()
    yield from _paragraph("Why", harmless_line(finding.summary), layout, "plain")
    if finding.explanation:
        yield from _paragraph("", harmless_line(finding.explanation), layout, "plain")
    if finding.because:
        yield from _paragraph("", harmless_line(finding.because), layout, "dim")
    yield ()
    if finding.fixes:
        for number, fix in enumerate(finding.fixes, 1):
            yield from _fix(number, fix, layout)
        yield ()
    yield from _verified(diagnosis, layout)
    if finding.not_helpful:
        yield from _wrapped("  ", f"Will not help: {harmless_line(unhelpful_advice(finding))}.", layout, "dim")
        yield ()
    yield from _others(other_findings(diagnosis), layout)


def _headline(finding: Finding, layout: Layout) -> Iterator[StyledLine]:
    dot = layout.symbols.separator
    name = f"{finding.label}{dot}{finding.code}"
    title = harmless_line(finding.title)
    mark = "warn" if finding.severity is Severity.DEGRADED else "fail"
    room = layout.width - 2 - cell_width(title) - cell_width(name)
    if room >= 2:
        yield ((mark, f"{layout.symbols.failed} "), ("bold", title), ("plain", " " * room), (mark, name))
    else:
        rows = wrap(title, layout.width - 2)
        yield ((mark, f"{layout.symbols.failed} "), ("bold", rows[0]))
        for row in rows[1:]:
            yield (("bold", f"  {row}"),)
        yield ((mark, f"  {name}"),)
    yield from _wrapped("  ", dot.join(standing(finding)), layout, "dim")


def _pipeline(diagnosis: Diagnosis, layout: Layout) -> Iterator[StyledLine]:
    symbols = layout.symbols
    marks = {
        StageStatus.PASSED: ("pass", symbols.passed),
        StageStatus.FAILED: ("fail", symbols.failed),
        StageStatus.NOT_REACHED: ("dim", symbols.unknown),
        StageStatus.UNKNOWN: ("dim", symbols.unknown),
    }
    pieces: list[tuple[str, str]] = [("plain", "  ")]
    reached = [item for item in diagnosis.pipeline if item.status in (StageStatus.PASSED, StageStatus.FAILED)]
    others = [item for item in diagnosis.pipeline if item not in reached]
    for number, item in enumerate(reached):
        if number:
            pieces.append(("dim", f" {symbols.arrow} "))
        style, mark = marks[item.status]
        name_style = "bold" if item.status is StageStatus.FAILED else "plain"
        pieces += [(name_style, f"{STAGE_NAMES[item.stage]} "), (style, mark)]
    for item in others:
        style, mark = marks[item.status]
        pieces += [("plain", "  " if pieces[1:] else ""), (style, f"{STAGE_NAMES[item.stage]} {mark}")]
    if diagnosis.pipeline:
        yield tuple(pieces)


def _evidence_block(evidence: Sequence[Evidence], layout: Layout) -> Iterator[StyledLine]:
    gutter = max((len(str(item.span.end_line)) for item in evidence), default=1)
    last_line = 0
    source: str | None = None
    for item in sorted(evidence, key=lambda item: (item.source or "", item.span)):
        if item.source is not None and item.source != source:
            yield (("dim", f"  {' ' * gutter} {layout.symbols.gutter} in {_file_name(item.source)}"),)
            source, last_line = item.source, 0
        if last_line and item.span.line > last_line + 1:
            yield (("dim", f"  {' ' * gutter} {layout.symbols.gutter}"),)
        yield from _evidence_rows(item, gutter, layout)
        last_line = item.span.end_line


def _evidence_rows(item: Evidence, gutter: int, layout: Layout) -> Iterator[StyledLine]:
    is_root = item.role is EvidenceRole.ROOT
    limit = _MAX_EVIDENCE_ROWS if is_root else _MAX_CONTEXT_ROWS
    room = max(20, layout.width - gutter - 5)
    style = "evidence" if is_root else "dim"
    rows: list[tuple[str, str]] = []
    for offset, line in enumerate(harmless(item.text).split("\n")):
        for part, text in enumerate(wrap(line[: room * limit], room)):
            rows.append((str(item.span.line + offset) if part == 0 else "", text))
        if len(rows) > limit:
            break
    if len(rows) > limit:
        rows = [*rows[: limit - 1], ("", layout.symbols.ellipsis)]
    for number, text in rows:
        yield (("dim", f"  {number:>{gutter}} {layout.symbols.gutter} "), (style, text.rstrip()))


def _fix(number: int, fix: Fix, layout: Layout) -> Iterator[StyledLine]:
    dot = layout.symbols.separator
    head = "  Fix   " if number == 1 else "        "
    text = f"{harmless_line(fix.title)}  ({dot.join(fix_facts(fix))})"
    rows = wrap(text, layout.width - 11)
    for index, row in enumerate(rows):
        lead = f"{head}{number:<3}" if index == 0 else " " * 11
        yield (("label", lead), ("plain", row))
    for command in fix.commands:
        # A command is never wrapped: it is there to be copied.
        for line in harmless(command).split("\n"):
            yield (("plain", " " * 13), ("command", line))


def _verified(diagnosis: Diagnosis, layout: Layout) -> Iterator[StyledLine]:
    if diagnosis.verification is not None:
        from tracelens.report.verified import lay_out_verification

        yield from lay_out_verification(diagnosis.verification, layout)


def _others(findings: Sequence[Finding], layout: Layout) -> Iterator[StyledLine]:
    shown = findings[:_MAX_OTHER_FINDINGS]
    for number, finding in enumerate(shown):
        where = "" if finding.line is None else f", {_place(finding, finding.line)}"
        text = f"{finding.severity.value}: {harmless_line(finding.title)} ({finding.label}{where})"
        yield from _paragraph("Also" if number == 0 else "", text, layout, "dim")
    if len(findings) > len(shown):
        yield from _paragraph("", f"and {len(findings) - len(shown)} more in --format json", layout, "dim")


def _clean(diagnosis: Diagnosis, layout: Layout) -> Iterator[StyledLine]:
    yield (("pass", f"{layout.symbols.passed} "), ("bold", clean_title(diagnosis)))
    if diagnosis.findings:
        yield ()
        yield (("plain", "  torch met these and recovered by itself:"),)
        yield from _others(diagnosis.findings, layout)


def _unexplained(diagnosis: Diagnosis, layout: Layout) -> Iterator[StyledLine]:
    yield (("warn", f"{layout.symbols.question} "), ("bold", UNEXPLAINED_TITLE))
    yield ()
    yield from _pipeline(diagnosis, layout)
    yield ()
    if diagnosis.evidence:
        yield from _evidence_block(diagnosis.evidence, layout)
        yield ()
    if diagnosis.unexplained is not None:
        yield from _paragraph("Seen", harmless_line(diagnosis.unexplained.seen), layout, "plain")
        yield ()
        yield from _paragraph("Next", harmless_line(diagnosis.unexplained.next_command), layout, "command")
        yield ()
    yield from _others(diagnosis.findings, layout)


def _paragraph(head: str, text: str, layout: Layout, style: str) -> Iterator[StyledLine]:
    for number, row in enumerate(wrap(text, layout.width - 8)):
        yield (("label", f"  {head if number == 0 else '':<6}"), (style, row))


def _wrapped(indent: str, text: str, layout: Layout, style: str) -> Iterator[StyledLine]:
    for row in wrap(text, layout.width - len(indent)):
        yield ((style, indent + row),)
