"""Write a laid-out report to a terminal, in colour.

Only this module knows colours. They are nine fixed codes around text that
``harmless`` has been over, so nothing in a log is interpreted; rich, whose
import takes as long as the analysis of a log, is left to the consoles of old
Windows, which know no codes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable

from tracelens.report.layout import StyledLine
from tracelens.typed import IO

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
_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}


def write_terminal(lines: Iterable[StyledLine], stream: IO[str], *, force_color: bool) -> None:
    """Write the lines to ``stream``; in colour if it is a terminal, or by force."""
    if sys.platform == "win32" and not force_color:
        _write_by_rich(lines, stream)
        return
    is_coloured = force_color or stream.isatty()
    stream.writelines(f"{_coloured(line) if is_coloured else _plain(line)}\n" for line in lines)


def _plain(line: StyledLine) -> str:
    return "".join(piece for _, piece in line).rstrip()


def _coloured(line: StyledLine) -> str:
    left = len(_plain(line))
    pieces: list[str] = []
    for style, piece in line:
        text = piece[:left]
        left -= len(text)
        codes = ";".join(_CODES[word] for word in _STYLES[style].split())
        pieces.append(f"\x1b[{codes}m{text}\x1b[0m" if codes and text else text)
    return "".join(pieces)


def _write_by_rich(lines: Iterable[StyledLine], stream: IO[str]) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(file=stream, highlight=False, markup=False, emoji=False, soft_wrap=True)
    for line in lines:
        # As ``Text``, never as markup.
        text = Text.assemble(*((piece, _STYLES[style]) for style, piece in line))
        text.rstrip()
        console.print(text)
