"""Know a region again that says what earlier ones said, at other times.

A run that compiles the same again prints the same again: megabytes that differ
in times and process ids only. Such a region is known by its first hit line,
before it is grown, and counted instead of read. That nothing else differs is
compared byte by byte, with the lines around it that decide where it ends; so
a region is found to be known or not whichever way its input is cut.
"""

from __future__ import annotations

import re
from functools import cache
from operator import eq
from struct import Struct

from tracelens.scan.novelty import kind_of_line, without_numbers
from tracelens.typed import TypeAlias

#: Longer regions are not worth it.
_LARGEST = 32 << 10
#: Bytes of regions that are known, and how many of them for first lines that differ in numbers only.
_ROOM = 2 << 20
_ALIKE = 8
#: So many regions are remembered to have been there once.
_SEEN = 1 << 14
#: Where in a line its time may stand.
_HEAD = 64

#: Start, first hit, last hit, end of the block, end: of a region, counted from the line before it.
Places: TypeAlias = "tuple[int, int, int, int, int]"


@cache
def _stamps() -> re.Pattern[bytes]:
    """Return the pattern of lines that begin with a time: behind the day and before the process id, of torch's."""
    return re.compile(
        rb"^[^\n]{0,%d}?((?<=[VDIWECF])\d{4} \d\d:\d\d:\d\d\.\d{3,9} +\d+(?= )"
        rb"|(?:\d{4}[-/]\d\d[-/]\d\d[T ])?\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)" % _HEAD,
        re.MULTILINE,
    )


class KnownRegion:
    """A region that was there before, with a line before and a line behind it.

    Positions count from where the line before it begins: ``start`` and ``end``
    are those of the region, ``first`` is where its first hit line begins,
    ``last_hit`` where its last one ends, ``live`` where the block of its hits does.
    """

    __slots__ = ("_layout", "_rhythm", "_texts", "end", "first", "last_hit", "live", "size", "start", "times")

    def __init__(self, whole: bytes, places: Places) -> None:
        """Take the bytes of the region and of the lines around it."""
        self.start, self.first, self.last_hit, self.live, self.end = places
        self.size = len(whole)
        #: How many of them were found.
        self.times = 0
        sizes = []
        position = 0
        for stamp in _stamps().finditer(whole):
            sizes += [stamp.start(1) - position, stamp.end(1) - stamp.start(1)]
            position = stamp.end(1)
        self._layout = Struct("".join(f"{size}s" for size in (*sizes, len(whole) - position)))
        parts = self._layout.unpack(whole)
        self._texts = parts[::2]
        self._rhythm = _rhythm(parts[1::2])

    def is_within(self, first: int, bounds: tuple[int, int]) -> bool:
        """Tell whether all of it would stand within bounds, if its first hit line began there."""
        return first - self.first >= bounds[0] and first - self.first + self.size <= bounds[1]

    def is_at(self, buffer: bytearray | bytes, place: int) -> bool:
        """Tell whether the bytes from ``place`` differ from these in times only."""
        parts = self._layout.unpack_from(buffer, place)
        return parts[::2] == self._texts and _rhythm(parts[1::2]) == self._rhythm


def _rhythm(stamps: tuple[bytes, ...]) -> list[bool]:
    """Return which lines have the time of the one before: those may be of one record."""
    return list(map(eq, stamps, stamps[1:]))


class KnownRegions:
    """The regions of one input that come again and again."""

    def __init__(self) -> None:
        """Begin with none."""
        self._by_first: dict[bytes, list[KnownRegion]] = {}
        self._seen: set[int] = set()
        self._room = _ROOM
        #: What was found after what, the last time.
        self._after: dict[KnownRegion | None, KnownRegion] = {}
        self._found: KnownRegion | None = None

    def find(self, buffer: bytearray, start: int, end: int, within: tuple[int, int]) -> tuple[KnownRegion, int] | None:
        """Return the known region whose first hit line is ``buffer[start:end]``, and where the line before it begins.

        All of it must stand within the given positions.
        """
        expected = self._after.get(self._found)
        if expected is not None and expected.is_within(start, within) and expected.is_at(buffer, start - expected.first):
            self._found = expected
            return expected, start - expected.first
        for known in self._by_first.get(kind_of_line(buffer, start, end), ()):
            if known.is_within(start, within) and known.is_at(buffer, start - known.first):
                self._after[self._found] = known
                self._found = known
                return known, start - known.first
        return None

    def learn(self, whole: bytes, places: Places) -> KnownRegion | None:
        """Return what a region is known as; ``None`` for one that is new, or too large to be known."""
        if len(whole) > _LARGEST:
            return None
        first = places[1]
        kind = kind_of_line(whole, first, whole.find(b"\n", first) + 1 or len(whole))
        alike = self._by_first.get(kind, [])
        for known in alike:
            if known.size == len(whole) and known.first == first and known.is_at(whole, 0):
                return known
        digest = hash(without_numbers(whole))
        if digest not in self._seen:
            if len(self._seen) < _SEEN:
                self._seen.add(digest)
            return None
        if len(alike) >= _ALIKE or self._room < len(whole):
            return None
        self._room -= len(whole)
        known = KnownRegion(whole, places)
        self._by_first[kind] = [*alike, known]
        return known
