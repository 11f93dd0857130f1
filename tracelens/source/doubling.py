"""Take lines once that several processes printed at the same time.

Ranks that fail alike write the same traceback, and where nothing names them
their lines come in pairs, or in eights: every frame twice, every source line
twice. Equal lines in a row are common, a stretch in which every line is there
equally often is not, unless it was printed by that many.
"""

from __future__ import annotations

from itertools import groupby
from math import gcd

from tracelens.expressions import expression
from tracelens.source.rows import Rows
from tracelens.source.signs import may_be_doubled

_FRAME = expression(r'\s*File "[^"]+", line \d')
#: Different lines in a row that must be there equally often.
_MIN_LINES = 4


def take_once(rows: Rows) -> Rows | None:
    """Keep one of each set of equal rows in the stretches where every row is there equally often."""
    if not may_be_doubled(rows.text):
        return None
    kept: list[int] = []
    run: list[range] = []
    place = 0
    for _text, group in groupby(rows.texts):
        count = sum(1 for _ in group)
        if count == 1:
            kept += _once(run, rows.texts)
            kept.append(place)
            run = []
        else:
            run.append(range(place, place + count))
        place += count
    kept += _once(run, rows.texts)
    return rows.pick(kept) if len(kept) < len(rows.texts) else None


def _once(run: list[range], texts: list[str]) -> list[int]:
    """Return the rows to keep of neighbouring sets of equal rows."""
    times = gcd(*(len(group) for group in run)) if run else 1
    has_frame = any(_FRAME.match(texts[group[0]]) for group in run)
    if times < 2 or len(run) < _MIN_LINES or not has_frame:
        return [place for group in run for place in group]
    return [place for group in run for place in group[: len(group) // times]]
