"""Render a diagnosis as plain text, for pipes, files and dumb terminals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tracelens.findings import Diagnosis
from tracelens.report.layout import Layout, StyledLine, lay_out, lay_out_verdict


def render_plain(lines: Iterable[StyledLine]) -> str:
    """Return the lines without their styles, each ended by a newline."""
    return "".join("".join(text for _, text in line).rstrip() + "\n" for line in lines)


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
