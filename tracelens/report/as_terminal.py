"""Write a laid-out report to a terminal, in colour, through rich.

Only this module knows colours. Pieces reach rich as ``Text``, never as
markup, so nothing in a log is interpreted.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import IO

from rich.console import Console
from rich.text import Text

from tracelens.report.layout import StyledLine

_STYLES = {
    "plain": "",
    "bold": "bold",
    "dim": "dim",
    "label": "bold cyan",
    "command": "bold green",
    "evidence": "yellow",
    "pass": "green",
    "fail": "bold red",
    "warn": "bold yellow",
}


def write_terminal(lines: Iterable[StyledLine], stream: IO[str], *, force_color: bool) -> None:
    """Write the lines to ``stream``; colours as NO_COLOR and the terminal say."""
    console = Console(
        file=stream,
        highlight=False,
        markup=False,
        emoji=False,
        soft_wrap=True,
        force_terminal=True if force_color else None,
    )
    for line in lines:
        text = Text()
        for style, piece in line:
            text.append(piece, style=_STYLES[style])
        text.rstrip()
        console.print(text)
