"""Render a diagnosis as plain text, for pipes, files and dumb terminals."""

from __future__ import annotations

from collections.abc import Iterable

from tracelens.report.layout import StyledLine


def render_plain(lines: Iterable[StyledLine]) -> str:
    """Return the lines without their styles, each ended by a newline."""
    return "".join("".join(text for _, text in line).rstrip() + "\n" for line in lines)
