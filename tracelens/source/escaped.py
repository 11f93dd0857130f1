r"""Give tracebacks that stand in one line, with their line ends spelled out, their lines back.

``key="Traceback (most recent call last):\n  File \"...`` is what formatters of keys
and values and ``repr`` make of a traceback, and what is left of an object that was cut.
"""

from __future__ import annotations

import re

from tracelens.expressions import expression
from tracelens.source.controls import rows_of
from tracelens.source.field_names import QUOTED
from tracelens.source.rows import Rows
from tracelens.source.signs import has_escaped_traceback

_ESCAPED = expression(r"Traceback \(most recent call last\):\\+n(?: |\\+t)*File ")
#: The quote before a value, and the name of the field, if there is one.
_OPENING = expression(r"""(?:(?<![\w.@-])([\w.@-]+)\\{0,8}["']?[=:] ?|^|[ (,\[{])[ub]?(\\{0,8}["'])""")
_CODE = expression(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)")
_MEANT = {"n": "\n", "r": "", "t": "\t"}
#: The quote is looked for so far before the traceback.
_REACH = 4000
#: What a test compared.
_COMPARED = expression(r"(?:[\w.]{1,80}: )?assert ")


def unescape(rows: Rows) -> Rows | None:
    """Replace each row with a spelled-out traceback by what stands before, in and behind it."""
    if not has_escaped_traceback(rows.text):
        return None
    pieces = [_lines_in(text) if has_escaped_traceback(text) else None for text in rows.texts]
    return rows.spread(pieces) if any(piece is not None for piece in pieces) else None


def _lines_in(text: str) -> list[str] | None:
    found = _ESCAPED.search(text)
    if found is None or _COMPARED.match(text.lstrip()):
        return None
    start, end, after, name = _value_around(text, found.start())
    if QUOTED.fullmatch(name) is not None:
        return None
    value = _CODE.sub(lambda code: _meant(code[1]), text[start:end])
    around = (text[:start].rstrip("\"'\\"), text[after:])
    before, behind = ([part] if part.strip("\"'\\()[]{}, ") else [] for part in around)
    return [*before, *rows_of(value.rstrip("\r\n"), 0).texts, *behind]


def _value_around(text: str, place: int) -> tuple[int, int, int, str]:
    """Return where the value around a place starts and ends, where the row goes on, and the name of its field."""
    for opening in reversed(list(_OPENING.finditer(text, max(0, place - _REACH), place))):
        name, quote = opening[1] or "", opening[2]
        closing = re.compile(rf"(?<!\\){re.escape(quote)}")
        # Most quotes do not stand between at all, which is told without a pattern.
        if text.find(quote, opening.end(), place) < 0 or closing.search(text, opening.end(), place) is None:
            found = closing.search(text, place)
            end, after = (len(text), len(text)) if found is None else found.span()
            return opening.end(), end, after, name
    return place, len(text), len(text), ""


def _meant(code: str) -> str:
    return chr(int(code[1:], 16)) if len(code) > 1 else _MEANT.get(code, code)
