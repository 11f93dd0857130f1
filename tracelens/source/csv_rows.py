"""Take messages out of the rows of a table that a console exported as CSV.

The first field is a time, the message is the last and may be in quotes, which
are doubled within it; a message of several lines is one field. The header of a
logging record has a comma behind its time, too, but before its milliseconds.
"""

from __future__ import annotations

from tracelens.expressions import expression
from tracelens.source.rows import Rows
from tracelens.source.signs import CSV_TIME, may_be_csv

_TIMED = expression(rf"{CSV_TIME}(.*)$")
_NAMES = expression(
    r'"?@?(?:timestamp|time|ts|Date|date|_time)"?,"?@?(?:message|line|Line|log|_raw|content|Content)"?$'
)
#: So many rows are a table, or all there are.
_MIN_ROWS = 4
#: A field goes on over this many lines at most.
_MAX_LINES = 400


def unwrap_csv(rows: Rows) -> Rows | None:
    """Replace each row of a table by its message."""
    if not may_be_csv(rows.text):
        return None
    texts = rows.texts
    found = {i: hit.group(1) for i, text in enumerate(texts) if (hit := _TIMED.match(text))}
    if len(found) < min(_MIN_ROWS, sum(1 for text in texts if text)):
        return None
    pieces: list[list[str] | None] = [[] if _NAMES.match(text) else None for text in texts]
    for i, field in found.items():
        if not field.startswith('"'):
            pieces[i] = [field]
            continue
        pieces[i] = [_plain(field[1:])]
        last, is_open = i, field.count('"') % 2
        while is_open and last + 1 < len(texts) and last + 1 not in found and last - i < _MAX_LINES:
            last += 1
            is_open ^= texts[last].count('"') % 2
            pieces[last] = [_plain(texts[last])]
    return rows.spread(pieces)


def _plain(field: str) -> str:
    """Return a part of a field without the quote that ends it, and with its own quotes as they were."""
    ends = len(field) - len(field.rstrip('"'))
    return (field[:-1] if ends % 2 else field).replace('""', '"')
