"""Take messages out of objects that are spread over lines.

``aws logs get-log-events`` and ``gcloud logging read`` print one member of an object
a line, and many objects in a row. Of such a stretch nothing but the messages is kept.
"""

from __future__ import annotations

from itertools import groupby
from json import loads

from tracelens.expressions import expression
from tracelens.source.controls import rows_of
from tracelens.source.rows import Rows

_TEXT = r'"(?:[^"\\]|\\.)*"'
_MEMBER = expression(
    rf"\s*(?:[\[\]{{}}]{{1,3}}|{_TEXT}(?:\s?:\s(?:{_TEXT}|[\d.eE+-]{{1,30}}|true|false|null|[\[{{]{{1,2}}[\]}}]?))?),?\s*"
)
_MESSAGE = expression(rf'\s*"(?:@?message|textPayload)": ({_TEXT}),?\s*')
#: What an object of a log has beside its message.
_STAMP = expression(r'\s*"(?:@?timestamp|time|ts|insertId|ingestionTime|severity|level)": ')


def gather(rows: Rows) -> Rows | None:
    """Replace each stretch of members by the messages in it, if there is any."""
    pieces: list[list[str] | None] = []
    for is_member, group in groupby(rows.texts, key=lambda text: _MEMBER.fullmatch(text) is not None):
        stretch = list(group)
        messages = [_MESSAGE.fullmatch(text) for text in stretch] if is_member else []
        if any(messages) and any(_STAMP.match(text) for text in stretch):
            pieces += [rows_of(_decoded(found[1]).rstrip(), 0).texts if found else [] for found in messages]
        else:
            pieces += [None] * len(stretch)
    return rows.spread(pieces) if any(piece is not None for piece in pieces) else None


def _decoded(text: str) -> str:
    try:
        return str(loads(text, strict=False))
    except ValueError:  # no JSON, which only looks for its end
        return text[1:-1]
