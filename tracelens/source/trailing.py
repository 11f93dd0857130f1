"""Take off the blanks behind lines that a screen or a table cell was filled up with.

They say nothing, and they would make lines of one length look like lines that
were cut at that length. Where few lines end in blanks, and never several in a
row, they stay: the cut of a wrapped line may fall among them.
"""

from __future__ import annotations

from itertools import groupby

from tracelens.source.rows import Rows
from tracelens.source.signs import RUN, ends_blank


def trim(rows: Rows) -> Rows | None:
    """Take off the blanks behind the rows of a text that was filled up."""
    if " \n" not in rows.text:
        return None
    filled = [text for text in rows.texts if text.strip()]
    padded = sum(1 for text in filled if text.endswith("  "))
    if not filled or (2 * padded < len(filled) and not ends_blank(filled)):
        return _trim_runs(rows) if padded >= RUN else None
    return rows.with_texts([text.rstrip(" ") for text in rows.texts])


def _trim_runs(rows: Rows) -> Rows | None:
    """Take off the blanks behind the rows of which several in a row have some."""
    runs = [(ends, list(run)) for ends, run in groupby(rows.texts, key=lambda text: text.endswith("  "))]
    if not any(ends and len(run) >= RUN for ends, run in runs):
        return None
    texts = [text.rstrip(" ") if ends and len(run) >= RUN else text for ends, run in runs for text in run]
    return rows.with_texts(texts)
