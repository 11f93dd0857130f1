"""Lay out what was looked at on a machine, and below it what is wrong."""

from __future__ import annotations

from collections.abc import Iterator

from tracelens.findings import CheckStatus, Diagnosis, Outcome
from tracelens.report.harmless import harmless_line
from tracelens.report.layout import Layout, StyledLine, lay_out
from tracelens.report.wrap import wrap

_NAME_WIDTH = 26


def lay_out_checks(diagnosis: Diagnosis, layout: Layout) -> list[StyledLine]:
    """Return a line for each look, then the diagnosis if anything is wrong."""
    lines: list[StyledLine] = [(("bold", harmless_line(diagnosis.source)),), ()]
    symbols = layout.symbols
    marks = {
        CheckStatus.PASSED: ("pass", symbols.passed),
        CheckStatus.FAILED: ("fail", symbols.failed),
        CheckStatus.NOT_RUN: ("dim", symbols.unknown),
    }
    for check in diagnosis.checks:
        detail = harmless_line(check.detail)
        if check.status is CheckStatus.NOT_RUN:
            detail = f"not looked at: {detail}"
        lines += _rows(marks[check.status], harmless_line(check.name), detail, layout)
    lines.append(())
    if diagnosis.outcome is Outcome.CLEAN:
        missed = sum(check.status is CheckStatus.NOT_RUN for check in diagnosis.checks)
        words = "Nothing is wrong with what was looked at" + (f"; {missed} things were not" if missed else "")
        lines.append((("pass", f"{symbols.passed} "), ("bold", words)))
        return lines
    # The banner of a log, which says how long it is, has no place here.
    return [*lines, *lay_out(diagnosis, layout)[2:]]


def _rows(mark: tuple[str, str], name: str, detail: str, layout: Layout) -> Iterator[StyledLine]:
    style, sign = mark
    rows = wrap(detail, layout.width - _NAME_WIDTH - 4) or [""]
    head = wrap(name, _NAME_WIDTH)
    for number in range(max(len(rows), len(head))):
        left = head[number] if number < len(head) else ""
        right = rows[number] if number < len(rows) else ""
        yield ((style, f"{sign} " if number == 0 else "  "), ("plain", f"{left:<{_NAME_WIDTH}}  "), ("dim", right))
