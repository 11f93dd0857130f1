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
from itertools import accumulate, groupby
from operator import mul, ne
from struct import Struct

from tracelens.alike import without_numbers
from tracelens.scan.novelty import kind_of_line
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
_OF_STAMPS = b"0123456789 :.,-/T"

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

    __slots__ = (
        "_lengths",
        "_stamp_layout",
        "_starts",
        "_text_layout",
        "_texts",
        "end",
        "first",
        "last_hit",
        "live",
        "size",
        "start",
        "times",
    )

    def __init__(self, whole: bytes, places: Places) -> None:
        """Take the bytes of the region and of the lines around it."""
        self.start, self.first, self.last_hit, self.live, self.end = places
        self.size = len(whole)
        #: How many of them were found.
        self.times = 0
        texts, stamps = [], []
        position = 0
        for stamp in _stamps().finditer(whole):
            start, end = stamp.span(1)
            texts.append(f"{start - position}s{end - start}x")
            stamps.append(f"{start - position}x{end - start}s")
            position = end
        self._text_layout = Struct(f"{''.join(texts)}{len(whole) - position}s")
        self._stamp_layout = Struct("".join(stamps))
        self._texts = self._text_layout.unpack(whole)
        # Lines with the time of the one before may be of one record, so these are told apart from others.
        runs = [(stamp, len(list(lines))) for stamp, lines in groupby(self._stamp_layout.unpack_from(whole))]
        self._lengths = [length for _, length in runs]
        self._starts = list(accumulate(self._lengths, initial=0))[:-1]

    def is_at(self, buffer: bytearray | bytes, place: int) -> bool:
        """Tell whether the bytes from ``place`` differ from these in times only."""
        if self._text_layout.unpack_from(buffer, place) != self._texts:
            return False
        stamps = self._stamp_layout.unpack_from(buffer, place)
        firsts = [stamps[start] for start in self._starts]
        return (
            b"".join(map(mul, firsts, self._lengths)) == b"".join(stamps)
            and all(map(ne, firsts, firsts[1:]))
            and not b"".join(firsts).strip(_OF_STAMPS)
        )

    def stands(self, buffer: bytearray, first: int, within: tuple[int, int]) -> bool:
        """Tell whether it is there, with its first hit line at ``first``, and nowhere beyond bounds."""
        place = first - self.first
        return place >= within[0] and place + self.size <= within[1] and self.is_at(buffer, place)


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
        known = self._after.get(self._found)
        if known is None or not known.stands(buffer, start, within):
            alike = self._by_first.get(kind_of_line(buffer, start, end), ())
            known = next((each for each in alike if each.stands(buffer, start, within)), None)
            if known is None:
                return None
            self._after[self._found] = known
        self._found = known
        return known, start - known.first

    def _is_worth(self, whole: bytes) -> bool:
        """Tell whether a region may come again: while there is much room any may, later one with an earlier like it."""
        if self._room > _ROOM // 2:
            return True
        digest = hash(without_numbers(whole))
        if digest in self._seen:
            return True
        if len(self._seen) < _SEEN:
            self._seen.add(digest)
        return False

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
        if len(alike) >= _ALIKE or self._room < len(whole) or not self._is_worth(whole):
            return None
        self._room -= len(whole)
        known = KnownRegion(whole, places)
        self._by_first[kind] = [*alike, known]
        return known
