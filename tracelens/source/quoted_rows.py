"""Take the quotes off a list of lines that a program printed with a row for each."""

from __future__ import annotations

import re
from itertools import groupby

from tracelens.expressions import expression
from tracelens.source.rows import Rows
from tracelens.source.signs import may_be_quoted

_ROW = expression(r" {0,8}\[?b?(['\"])(.*)\1[,\]]{0,2}$")
_ESCAPED = expression(r"\\(['\"\\t])")
#: So many rows in quotes are a list.
_MIN_ROWS = 4


def unquote(rows: Rows) -> Rows | None:
    """Replace each row of a list by the line that it holds."""
    if not may_be_quoted(rows.text):
        return None
    result: list[str] = []
    for is_row, group in groupby(rows.texts, key=lambda text: _ROW.match(text) is not None):
        run = list(group)
        if is_row and len(run) >= _MIN_ROWS:
            hits = (_ROW.match(text) for text in run)
            run = [_ESCAPED.sub(_character, hit.group(2).removesuffix("\\n")) for hit in hits if hit]
        result += run
    return rows.with_texts(result) if result != rows.texts else None


def _character(escaped: re.Match[str]) -> str:
    return "\t" if escaped.group(1) == "t" else escaped.group(1)
