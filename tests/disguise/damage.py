"""What terminals, editors, mail programs and web pages do to the characters of a log."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

from tests.disguise.disguise import Disguise, each_line

_BAR = "Epoch 3:  47%|████▋     | 188/400 [02:11<02:28,  1.43it/s, loss=2.31]"
_COLOURS = ("31", "1;31", "36", "38;5;208", "0;33")


def _gappy(lines: Sequence[str], _random: Random) -> list[str]:
    return [each for line in lines for each in (line, "")]


def _coloured(lines: Sequence[str], random: Random) -> list[str]:
    coloured = []
    for line in lines:
        words = line.split(" ")
        place = random.randrange(len(words))
        words[place] = f"\x1b[{random.choice(_COLOURS)}m{words[place]}\x1b[0m"
        coloured.append(" ".join(words))
    return coloured


def _flattened(lines: Sequence[str], _random: Random) -> list[str]:
    """Lose all indentation, as a page that joins white space does; marks under a source line go with it."""
    return [line.strip() for line in lines if line.strip(" ^~")]


def _bars_before(lines: Sequence[str], random: Random) -> list[str]:
    """Glue progress bars before lines, as a bar that was not ended does."""
    return [f"{_BAR}\r{line}" if random.random() < 0.2 else line for line in lines]


def _redrawn_between(lines: Sequence[str], random: Random) -> list[str]:
    return [each for line in lines for each in ((_BAR + "\r" + _BAR, line) if random.random() < 0.1 else (line,))]


DISGUISES: tuple[Disguise, ...] = (
    each_line("carriage returns", lambda _i, line: f"{line}\r"),
    each_line("doubled carriage returns", lambda _i, line: f"{line}\r\r"),
    each_line("trailing blanks", lambda _i, line: f"{line}   "),
    each_line("padded to a column", lambda _i, line: f"{line:<160}"),
    each_line("tabs for indentation", lambda _i, line: re.sub(r"^ +", lambda m: "\t" * ((len(m[0]) + 3) // 4), line)),
    each_line("four blanks for two", lambda _i, line: re.sub(r"^ +", lambda m: m[0] * 2, line)),
    each_line("no-break spaces", lambda _i, line: re.sub(r"^ +", lambda m: "\xa0" * len(m[0]), line)),
    each_line("indented by a tab", lambda _i, line: f"\t{line}"),
    Disguise(name="empty line after each", change=_gappy, least=4),
    Disguise(name="colours inside", change=_coloured),
    Disguise(name="lost indentation", change=_flattened),
    Disguise(name="progress bars before lines", change=_bars_before),
    Disguise(name="redrawn bars between lines", change=_redrawn_between),
)
