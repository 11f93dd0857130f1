"""Stretches of compiler messages that are known by sight.

Each kernel whose build fails prints the same warnings of torch's headers, in
the same order. Where a whole stretch of them stands again, what it says is
known, and once all of it has been read often enough it is counted as one.
"""

from __future__ import annotations

from tracelens.parsing.blocks import Group
from tracelens.typed import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from tracelens.parsing.reading import Reading
    from tracelens.parsing.repeats import Tally

#: A stretch of so many messages is worth to be remembered, and so many that begin alike.
_LEAST = 4
_ALIKE = 4
#: Characters of all stretches that are remembered.
_REMEMBERED = 1 << 20

#: The block, a message in it, and the line of its headline.
Place: TypeAlias = "tuple[Reading, Group, int]"


class Stretch:
    """Messages that follow each other, their offsets counted from the first one's beginning."""

    __slots__ = ("groups", "latest", "lines", "tallies", "text", "times")

    def __init__(self, text: str, groups: list[Group]) -> None:
        """Take the text, and the messages that it is made of."""
        self.text = text
        self.groups = groups
        self.lines = text.count("\n")
        #: What the messages belong to, how many to each, the last of these and its line; when all are but counted.
        self.tallies: list[tuple[Tally, int, Group, int]] | None = None
        self.times = 0
        self.latest: tuple[Reading, int, int] | None = None


class Stretches:
    """The stretches of one process that were seen so far."""

    __slots__ = ("_by_headline", "_remembered", "below", "counted")

    def __init__(self) -> None:
        """Begin with none."""
        #: What was last seen below a headline.
        self.below: dict[str, str] = {}
        #: Those that stood again without being read.
        self.counted: dict[Stretch, None] = {}
        self._by_headline: dict[str, list[Stretch]] = {}
        self._remembered = 0

    def at(self, text: str, start: int, headline: str) -> Stretch | None:
        """Return the longest stretch that stands at ``start``, where a headline or what leads to one begins."""
        for stretch in self._by_headline.get(headline, ()):
            if text.startswith(stretch.text, start):
                return stretch
        return None

    def stretch(self, text: str, groups: list[Group]) -> Stretch:
        """Return a stretch of messages that follow each other, and remember it."""
        start, end = groups[0][0], groups[-1][3]
        moved = [(a - start, b - start, c - start, d - start, leading) for a, b, c, d, leading in groups]
        stretch = Stretch(text[start:end], moved)
        if len(groups) >= _LEAST and self._remembered < _REMEMBERED:
            headline = stretch.text[: stretch.text.find("\n") + 1]
            alike = self._by_headline.setdefault(headline, [])
            if len(alike) < _ALIKE:
                self._remembered += end - start
                alike.append(stretch)
                alike.sort(key=lambda each: -len(each.text))
        return stretch
