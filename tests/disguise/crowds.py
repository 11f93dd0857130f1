"""Logs that more than one process, or more than one failure, has written to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

from tests.disguise.disguise import Disguise

_RANKS = 8
#: Logs of several processes already.
_MANY = re.compile(r"\[rank\d|\[default\d|local_rank|torch/distributed/elastic|(?i:nccl)")
#: What counts how often something happened.
_COUNTED = re.compile(r"Recompiling function")
_NOISE = 10_000


def _training(number: int) -> str:
    speed = f"grad norm 1.{number % 97:02d} | {900 + number % 31} tok/s"
    return f"step {number:>6} | loss {2 + 3 / (number + 1):.4f} | lr 3.0e-04 | {speed}"


def _noise(count: int, start: int = 0) -> list[str]:
    return [_training(number) for number in range(start, start + count)]


def _much_before(lines: Sequence[str], _random: Random) -> list[str]:
    return [*_noise(_NOISE), *lines]


def _much_around(lines: Sequence[str], _random: Random) -> list[str]:
    return [*_noise(_NOISE // 2), *lines, *_noise(_NOISE // 2, _NOISE)]


def _noise_of_another(lines: Sequence[str], _random: Random) -> list[str]:
    """Weave the lines of a healthy rank between those of the failing one."""
    woven: list[str] = []
    for number, line in enumerate(lines):
        woven += [f"[rank1]: {_training(number)}", f"[rank0]: {line}"]
    return woven


def _ranks_one_after_another(lines: Sequence[str], _random: Random) -> list[str]:
    return [f"[rank{rank}]: {line}" for rank in range(_RANKS) for line in lines]


def _ranks_woven(lines: Sequence[str], random: Random) -> list[str]:
    """Let ranks print the same, each at its own speed."""
    positions = [0] * _RANKS
    woven: list[str] = []
    while True:
        behind = [rank for rank in range(_RANKS) if positions[rank] < len(lines)]
        if not behind:
            return woven
        rank = random.choice(behind)
        for _ in range(random.randint(1, 5)):
            if positions[rank] < len(lines):
                woven.append(f"[rank{rank}]: {lines[positions[rank]]}")
                positions[rank] += 1


def _in_step(lines: Sequence[str], _random: Random) -> list[str]:
    """Let two nameless processes print the same line at the same time."""
    return [each for line in lines for each in (line, line)]


def _tried_again(lines: Sequence[str], _random: Random) -> list[str]:
    return [*lines, "Retrying in 5 seconds", *lines, "Giving up after 2 attempts"]


DISGUISES: tuple[Disguise, ...] = (
    Disguise(name="much noise before", change=_much_before),
    Disguise(name="much noise around", change=_much_around),
    Disguise(name="noise of another rank", change=_noise_of_another),
    Disguise(name="ranks one after another", change=_ranks_one_after_another),
    Disguise(name="ranks woven", change=_ranks_woven, unlike=_MANY),
    Disguise(name="two in step", change=_in_step, least=6),
    Disguise(name="tried again", change=_tried_again, unlike=_COUNTED),
)
