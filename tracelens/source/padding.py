"""Drop the empty line that a page, a mail or a double line end put behind each line.

Only where every line of a stretch has one: paragraphs stand apart too.
"""

from __future__ import annotations

from itertools import pairwise

from tracelens.source.line_starts import begins_something
from tracelens.source.rows import Rows
from tracelens.source.signs import may_be_padded

#: So many rows in a row, each with an empty one behind it, are padded; fewer, if they are all there is, or records.
_MIN_ROWS = 8
_FEW_ROWS = 4


def drop_padding(rows: Rows) -> Rows | None:
    """Drop the empty row behind each row, where every row of a stretch has one."""
    if not may_be_padded(rows.text):
        return None
    filled = [i for i, text in enumerate(rows.texts) if text.strip()]
    dropped: set[int] = set()
    run: list[int] = []
    for place, i in enumerate(filled):
        run.append(i)
        following = filled[place + 1] if place + 1 < len(filled) else None
        # An empty line of the text became three: it has one behind it too.
        if following is not None and (following - i) % 2 == 0:
            continue
        dropped |= _padding_of(run, rows.texts, is_all=len(run) == len(filled))
        run = []
    if not dropped:
        return None
    return rows.pick(i for i in range(len(rows.texts)) if i not in dropped)


def _padding_of(run: list[int], texts: list[str], *, is_all: bool) -> set[int]:
    """Return the empty rows to drop in a run of rows that each have one behind them."""
    begun = sum(1 for i in run if begins_something(texts[i]))
    # The last row may be of what stands below.
    if len(run) < (_FEW_ROWS if is_all or begun >= max(_FEW_ROWS, len(run) - 1) else _MIN_ROWS):
        return set()
    pairs = list(pairwise(run))
    far = sum(1 for before, after in pairs if after - before > 2)
    telling = sum(1 for i in run if texts[i][0] in " \t" or begins_something(texts[i]))
    # Paragraphs are apart too, but they are no records, and not indented.
    if far * 2 > len(pairs) or (telling * 5 < len(run) and len(run) < 3 * _MIN_ROWS):
        return set()
    dropped = {place for before, after in pairs for place in range(before + 1, after, 2)}
    end = run[-1] + 1
    while end < len(texts) and not texts[end].strip():
        end += 1
    # At the end of the region, empty lines have one behind them likewise.
    dropped.update(range(run[-1] + 1, end if end == len(texts) else min(end, run[-1] + 2), 2))
    return dropped
