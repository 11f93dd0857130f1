"""Logs of which somebody copied a part, or that were cut by a limit."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from tests.disguise.disguise import Disguise

_LAST = 20


def _head_missing(lines: Sequence[str], random: Random) -> list[str]:
    return list(lines[random.randrange(len(lines)) :])


def _tail_missing(lines: Sequence[str], random: Random) -> list[str]:
    return list(lines[: random.randrange(len(lines)) + 1])


def _last_lines(lines: Sequence[str], _random: Random) -> list[str]:
    return list(lines[-_LAST:])


def _ends_in_mid_line(lines: Sequence[str], random: Random) -> list[str]:
    kept = list(lines[: random.randrange(len(lines)) + 1])
    return [*kept[:-1], kept[-1][: random.randrange(len(kept[-1]) + 1)]]


def _middle_missing(lines: Sequence[str], random: Random) -> list[str]:
    start = random.randrange(len(lines))
    return [*lines[:start], "... (output truncated) ...", *lines[start + random.randrange(1, 40) :]]


DISGUISES: tuple[Disguise, ...] = (
    Disguise(name="head missing", change=_head_missing, loses=True),
    Disguise(name="tail missing", change=_tail_missing, loses=True),
    Disguise(name="last lines only", change=_last_lines, loses=True),
    Disguise(name="ends in mid-line", change=_ends_in_mid_line, loses=True),
    Disguise(name="middle missing", change=_middle_missing, loses=True),
)
