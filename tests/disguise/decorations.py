"""What launchers, containers, log daemons and build services put before each line."""

from __future__ import annotations

from functools import partial

from tests.disguise.disguise import Disguise, each_line
from tests.source.dressing import DRESSES

#: Only many lines together can show these to be a decoration.
_SHOWN_BY_MANY = (
    "srun label",
    "docker compose",
    "stamp",
    "stamp in brackets",
    "clock",
    "pdsh",
    "accelerate",
    "bar",
    "quote",
)
_FEW = 12


def _put_on(name: str, number: int, line: str) -> str:
    return DRESSES[name](number, line, 0)


DISGUISES: tuple[Disguise, ...] = tuple(
    each_line(name, partial(_put_on, name), least=_FEW if name in _SHOWN_BY_MANY else 1) for name in DRESSES
)
