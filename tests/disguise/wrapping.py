"""Lines cut at the width of a terminal or a page."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from functools import partial
from random import Random

from tests.disguise.disguise import Disguise

_WIDTHS = (80, 100, 120)
#: A cut is seen by several lines of one length. Little tells that words were wrapped: what counts is no wrong answer.
_FEW = 8


def _cut(width: int, lines: Sequence[str], _random: Random) -> list[str]:
    return [part for line in lines for part in ([line[i : i + width] for i in range(0, len(line), width)] or [""])]


def _by_words(width: int, lines: Sequence[str], _random: Random) -> list[str]:
    return [
        part
        for line in lines
        for part in (
            textwrap.wrap(line, width, break_on_hyphens=False, drop_whitespace=True, replace_whitespace=False) or [""]
        )
    ]


DISGUISES: tuple[Disguise, ...] = (
    *(Disguise(name=f"cut at {width}", change=partial(_cut, width), least=_FEW) for width in _WIDTHS),
    *(
        Disguise(name=f"wrapped by words at {width}", change=partial(_by_words, width), least=_FEW, loses=True)
        for width in _WIDTHS
    ),
)
