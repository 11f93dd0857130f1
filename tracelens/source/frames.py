"""Mend the frames of tracebacks that were torn over several lines.

A frame has a form that nothing else has, so a line that begins like one and
breaks off is joined with what completes it, wherever the break was: in the
path, before the line number or before the name of the function.
"""

from __future__ import annotations

import re
from functools import cache

from tracelens.expressions import expression
from tracelens.source.rows import Rows
from tracelens.source.signs import may_be_torn

#: A frame is torn into this many lines at most, and is no longer than that.
_MAX_PIECES = 3
_MAX_FRAME = 4096

_HEAD = expression(r'\s*File "')
_NAME = expression(r"\d{0,6}, in [\w<]")


#: What a row may end with where it is torn at a space.
_TORN_ENDS = ("File", '",', "most", "recent", "call")


@cache
def _torn_at() -> tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]:
    """Return where what Python prints as one may be torn, as the end of a row and the beginning of the next."""
    return (
        (expression(r"\bFile$"), expression(r'"[^"]+"?,?')),
        (expression(r'",$'), expression(r"line \d+(?:,|$)")),
        (expression(r"\bTraceback \(most(?: recent)?$"), expression(r"recent call|call last\)")),
        (expression(r"\bTraceback \(most recent call$"), expression(r"last\):")),
    )


@cache
def _frame() -> re.Pattern[str]:
    return expression(r'\s*File "[^"]+", line \d+(?:, in \S.*)?$')


def is_frame(text: str) -> bool:
    """Tell whether a row is a whole frame."""
    return _frame().match(text) is not None


def is_torn(text: str) -> bool:
    """Tell whether a row begins like a frame and is none yet."""
    return _HEAD.match(text) is not None and not is_frame(text)


def is_torn_at_space(text: str, following: str) -> bool:
    """Tell whether a row ends, and the next begins, in the middle of what Python prints as one."""
    return text.endswith(_TORN_ENDS) and any(end.search(text) and start.match(following) for end, start in _torn_at())


def mend_frames(rows: Rows) -> Rows | None:
    """Join each frame of a traceback that was torn over two or three rows."""
    if not may_be_torn(rows.text):
        return None
    texts = rows.texts
    groups: list[tuple[int, int, str]] = []
    i = 0
    while i < len(texts):
        mended = _mend(texts, i) if _HEAD.match(texts[i]) else None
        if mended is None:
            i += 1
            continue
        last, text = mended
        groups.append((i, last, text))
        i = last + 1
    return rows.joined(groups) if groups else None


def _mend(texts: list[str], first: int) -> tuple[int, str] | None:
    """Return the last row of a torn frame and its text, or ``None`` if it is whole or hopeless."""
    text = texts[first]
    if len(text) > _MAX_FRAME or (_frame().match(text) and not text.endswith(", in")):
        return _mend_name(texts, first)
    for last in range(first + 1, min(first + _MAX_PIECES, len(texts))):
        piece = texts[last]
        if not piece or piece[0] in " \t" or len(piece) > _MAX_FRAME:
            return None
        # The space at which a line was broken is gone, or stayed at its end.
        glued, spaced = text + piece, f"{text} {piece}"
        inside_path = text.count('"') < 2
        text = glued if inside_path or text.endswith(" ") or not _frame().match(spaced) else spaced
        if _frame().match(text):
            return last, text
    return None


def _mend_name(texts: list[str], first: int) -> tuple[int, str] | None:
    """Join the function's name, where the frame broke off behind the line number."""
    following = texts[first + 1] if first + 1 < len(texts) else ""
    if texts[first][-1:].isdigit() and _NAME.match(following):
        return first + 1, texts[first] + following
    return None
