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
from operator import ne
from struct import Struct

from tracelens.alike import without_numbers
from tracelens.expressions import expression
from tracelens.scan.novelty import kind_of_line
from tracelens.typed import TypeAlias

#: Longer regions are not worth it.
_LARGEST = 32 << 10
#: Bytes of regions that are known, and how many of them for first lines that differ in numbers only.
_ROOM = 2 << 20
_ALIKE = 8
#: So many regions are remembered to have been there once.
_SEEN = 1 << 14
#: How many bits of a region's number tell it apart in a sequence, and all bits of a sequence.
_NUMBER = 12
_SEQUENCE = (1 << 5 * _NUMBER) - 1
#: Bytes of a hit line that tell most others apart.
_SAMPLE = 48
#: Where in a line its time may stand.
_HEAD = 64
_OF_STAMPS = b"0123456789 :.,-/T"

#: Start, first hit, last hit, end of the block, end: of a region, counted from the line before it. And its hit lines.
Places: TypeAlias = "tuple[int, int, int, int, int, int]"
#: The times in a region, each once where it stands in a run of lines.
Times: TypeAlias = "tuple[bytes, ...]"


@cache
def _stamps() -> re.Pattern[bytes]:
    """Return the pattern of lines that begin with a time: behind the day and before the process id, of torch's."""
    return expression(
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
        "_head",
        "_layout",
        "_runs",
        "_sample",
        "_sample_at",
        "_tail",
        "count",
        "end",
        "first",
        "first_line",
        "hit_lines",
        "last_hit",
        "latest",
        "live",
        "number",
        "size",
        "start",
    )

    def __init__(self, whole: bytes, places: Places, number: int) -> None:
        """Take the bytes of the region and of the lines around it, and a number of its own."""
        self.number = number
        self.start, self.first, self.last_hit, self.live, self.end, self.hit_lines = places
        self.size = len(whole)
        #: How many of them there were, and of the latest the number of its first line, and its times.
        self.count = 0
        self.first_line = 0
        #: Some of what its first hit line says, and how far from the start of the line.
        self._sample_at = 0
        # Lines with the time of the one before may be of one record, so these are told apart from others. Of each run
        # of lines with one time the texts behind it are kept, and where to read the first time.
        self._head = self._tail = whole
        self._runs: list[list[bytes]] = []
        layout, latest = "", b""
        position = copied = 0
        for stamp in _stamps().finditer(whole):
            start, end = stamp.span(1)
            if not self._runs:
                self._head = whole[:start]
            else:
                self._runs[-1].append(whole[copied:start])
            if stamp[1] != latest:
                self._runs.append([b""])
                layout += f"{start - position}x{end - start}s"
                position, latest = end, stamp[1]
            if stamp.start() == self.first:
                self._sample_at = end - self.first
            copied = end
        if self._runs:
            self._tail = whole[copied:]
            self._runs[-1].append(self._tail)
        self._layout = Struct(layout)
        self.latest: Times = self._layout.unpack_from(whole)
        place = self.first + self._sample_at
        self._sample = whole[place : place + _SAMPLE].partition(b"\n")[0]

    def times_at(self, buffer: bytearray | bytes, place: int) -> Times | None:
        """Return the times of the bytes from ``place``, if these differ in nothing else."""
        if not buffer.startswith(self._tail, place + self.size - len(self._tail)):
            return None
        times: Times = self._layout.unpack_from(buffer, place)
        if (
            buffer.startswith(self._head, place)
            and buffer.startswith(b"".join(map(bytes.join, times, self._runs)), place + len(self._head))
            and all(map(ne, times, times[1:]))
            and not b"".join(times).strip(_OF_STAMPS)
        ):
            return times
        return None

    def at(self, times: Times) -> bytes:
        """Return the bytes of the region and of the lines around it, at other times."""
        return b"".join((self._head, *map(bytes.join, times, self._runs)))

    def text(self) -> bytes:
        """Return the latest of it."""
        return self.at(self.latest)[self.start : self.end]

    def find(self, buffer: bytearray, first: int, within: tuple[int, int]) -> Times | None:
        """Return its times if it is there, with its first hit line at ``first``, and nowhere beyond bounds."""
        place = first - self.first
        if (
            buffer.startswith(self._sample, first + self._sample_at)
            and place >= within[0]
            and place + self.size <= within[1]
        ):
            return self.times_at(buffer, place)
        return None

    def see(self, first_line: int, times: Times) -> None:
        """Count one more of it."""
        self.count += 1
        self.first_line = first_line
        self.latest = times


class KnownRegions:
    """The regions of one input that come again and again."""

    def __init__(self) -> None:
        """Begin with none."""
        self._all: list[KnownRegion] = []
        self._by_first: dict[bytes, list[KnownRegion]] = {}
        self._seen: set[int] = set()
        self._room = _ROOM
        #: The numbers of the last regions, and which came after such a sequence the last time.
        self._latest = 0
        self._after: dict[int, KnownRegion] = {}

    def expected(self, buffer: bytearray, start: int, within: tuple[int, int]) -> tuple[KnownRegion, Times] | None:
        """Return the region that should come next, and its times, if its first hit line begins at ``start``.

        All of it must stand within the given positions.
        """
        known = self._after.get(self._latest)
        if known is None:
            return None
        times = known.find(buffer, start, within)
        if times is None:
            return None
        self._pass(known)
        return known, times

    def find(
        self, buffer: bytearray, line: tuple[int, int], within: tuple[int, int]
    ) -> tuple[KnownRegion, Times] | None:
        """Return the known region that has a line as its first hit line, and its times."""
        for known in self._by_first.get(kind_of_line(buffer, *line), ()):
            times = known.find(buffer, line[0], within)
            if times is not None:
                self._follow(known)
                return known, times
        return None

    def _follow(self, known: KnownRegion) -> None:
        """Note what came after the latest regions."""
        if self._latest in self._after or len(self._after) < _SEEN:
            self._after[self._latest] = known
        self._pass(known)

    def _pass(self, known: KnownRegion) -> None:
        self._latest = (self._latest << _NUMBER | known.number) & _SEQUENCE

    def recurred(self) -> list[KnownRegion]:
        """Return the regions that were there more than once, in order of the latest of each."""
        return sorted((known for known in self._all if known.count > 1), key=lambda known: known.first_line)

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

    def learn(self, whole: bytes, places: Places) -> tuple[KnownRegion, Times] | None:
        """Return what a region is known as from now on; ``None`` for one that is new, or too large to be known."""
        if len(whole) > _LARGEST:
            return None
        first = places[1]
        kind = kind_of_line(whole, first, whole.find(b"\n", first) + 1 or len(whole))
        alike = self._by_first.get(kind, [])
        for known in alike:
            if known.size == len(whole) and known.first == first and (times := known.times_at(whole, 0)) is not None:
                self._follow(known)
                return known, times
        if len(alike) >= _ALIKE or self._room < len(whole) or not self._is_worth(whole):
            return None
        self._room -= len(whole)
        known = KnownRegion(whole, places, len(self._all))
        self._all.append(known)
        self._by_first[kind] = [*alike, known]
        self._follow(known)
        return known, known.latest
