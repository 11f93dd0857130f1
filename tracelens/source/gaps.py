"""Tell how wide a gap a decoration ends in, where some who write it put one and some do not.

One line cannot tell: the space may be the first of an indentation. All lines
that carry the decoration can.
"""

from __future__ import annotations

from tracelens.expressions import expression

_QUOTED_FRAME = expression(r'( *)File "[^"]+", line \d+')


def has_gap(spaced: list[str], unspaced: int) -> bool:
    """Tell it from what follows the decoration: the texts that begin with a space, and how many do not."""
    single = sum(1 for text in spaced if text[1:2] not in {" ", "\t"})
    if single or unspaced:
        return single > unspaced
    # Indented lines only: Python indents a frame by two.
    for text in spaced:
        frame = _QUOTED_FRAME.match(text)
        if frame is not None:
            return len(frame.group(1)) % 2 == 1
    return min(map(_indent_of, spaced), default=0) % 2 == 1


def common_gap(texts: list[str]) -> int:
    """Return how many spaces stand before all these texts, as a tab that became some; 0 where they are frames alone."""
    if any(text and text[0] != " " for text in texts):
        return 0
    narrowest = min(filter(None, texts), key=_indent_of, default="")
    return 0 if _QUOTED_FRAME.match(narrowest) else _indent_of(narrowest)


def _indent_of(text: str) -> int:
    return len(text) - len(text.lstrip(" "))
