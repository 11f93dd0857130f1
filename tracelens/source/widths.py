"""The widths at which lines of a text may have been cut."""

from __future__ import annotations

from collections import Counter

_MIN_WIDTH, _MAX_WIDTH = 60, 250
#: So many different lines of exactly the width there must be, and commoner than those a little shorter or longer.
MIN_FULL = 3
NEAR = 8
#: One is enough at the width of a terminal, if it breaks a word and no line of the region is longer.
TERMINALS = frozenset({72, 76, 78, 79, 80, 96, 100, 120, 128, 132, 140, 150, 160, 180, 200, 240})
ALONE = frozenset({80, 100, 120, 132})
#: So many widths are tried.
_MAX_WIDTHS = 6


def may_be_cut(texts: list[str]) -> bool:
    """Tell, fast, whether the longest lines are of one length."""
    lengths = list(map(len, texts))
    longest = max(lengths)
    return _MIN_WIDTH <= longest <= _MAX_WIDTH and (longest in ALONE or lengths.count(longest) > 1)


def widths_of(texts: list[str]) -> list[int]:
    """Return the widths that may be the one of a terminal, commonest first."""
    # A line that is repeated a thousand times says no more than one.
    counts = dict(Counter(map(len, dict.fromkeys(texts))))
    longest = max(counts)
    widths = [
        width
        for width, count in counts.items()
        if _MIN_WIDTH <= width <= _MAX_WIDTH
        and (count >= MIN_FULL or (width == longest and (count > 1 or width in ALONE)))
        and (width in TERMINALS or count * 2 > sum(counts.get(near, 0) for near in range(width - NEAR, width)))
        and count * 3 > sum(counts.get(near, 0) for near in range(width + 1, width + NEAR + 1))
    ]
    return sorted(widths, key=lambda width: (-counts[width], width))[:_MAX_WIDTHS]
