"""Turn hit lines into regions, while the window moves.

A region is the union of what its hits reach; see ``reach``. Regions never
overlap and come in order. Where they begin and end depends on the text alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tracelens.scan.lines import NewlineCounter
from tracelens.scan.novelty import KindCounter, kind_of_line
from tracelens.scan.open_region import OpenRegion
from tracelens.scan.options import ScanOptions
from tracelens.scan.reach import lines_before, reach_back, reach_forward
from tracelens.scan.recurring import KnownRegion, KnownRegions

#: Past the limit by this much a region is cut wherever it is.
_PATIENCE = 1.25


class RawRegion:
    """A region as bytes.

    ``is_new`` tells that it holds a hit line of a rare kind, ``known`` what it
    has in common with regions that are equal but for their times; ``times`` is
    how many of these it stands for.
    """

    __slots__ = ("complete", "data", "first_line", "is_new", "known", "times")

    def __init__(
        self, first_line: int, data: bytes, *, complete: bool, is_new: bool, known: KnownRegion | None
    ) -> None:
        """Stand for one region."""
        self.first_line = first_line
        self.data = data
        self.complete = complete
        self.is_new = is_new
        self.known = known
        self.times = 1


class RegionGrower:
    """Takes segments and their hit lines, gives finished regions."""

    def __init__(self, buffer: bytearray, options: ScanOptions, count_newlines: NewlineCounter) -> None:
        """Take the window's buffer."""
        self._buffer = buffer
        self._options = options
        self._count = count_newlines
        self._kinds = KindCounter()
        self._known = KnownRegions()
        self._base = 0
        self._floor = 0
        self._end = 0
        self._counted = 0
        self._line = 1
        self._head_lines = options.head_lines
        self._head_bytes = options.end_bytes
        self._unlimited = options.keep_bytes // 2
        self._patience = int(options.region_bytes * _PATIENCE)
        # The beginning of the input is a region that has no hit yet.
        self._open: OpenRegion | None = OpenRegion(0, 1) if options.head_lines else None

    @property
    def lines(self) -> int:
        """Return the number of newlines in all segments taken."""
        return self._line - 1

    def add(self, base: int, start: int, end: int, hits: Iterable[tuple[int, int]]) -> Iterator[RawRegion]:
        """Take the segment ``start:end`` of a window that has moved to ``base``."""
        self._follow(base)
        self._end = end
        if self._head_lines:
            self._grow_head(start, end)
        join, limit = self._options.join_bytes, self._options.region_bytes
        for hit_start, hit_end in hits:
            region = self._open
            if region is not None and hit_start - region.live <= join and hit_start - region.start <= limit:
                # Most hits of a log that is full of them end here.
                if hit_end > region.live:
                    self._take(region, hit_start, hit_end)
            else:
                yield from self._hit(hit_start, hit_end)
        region = self._open
        if region is not None:
            if not region.is_closed:
                self._grow(region, end)
            if region.is_closed and not self._head_lines and end - region.end > self._options.history_bytes:
                yield self._finish(region)
            else:
                region.copy(self._buffer)
        self._line_at(end)

    def finish(self, end: int) -> Iterator[RawRegion]:
        """Give what is left, with the end of the input as the last region."""
        options = self._options
        region = self._open
        floor = self._floor if region is None else region.end
        tail = lines_before(self._buffer, end, floor, options.tail_lines, options.end_bytes)
        if region is not None and tail > region.end:
            yield self._finish(region)
            region = None
        if tail < end:
            if region is None:
                region = OpenRegion(tail, self._line_at(tail))
            region.extend(end)
        if region is not None and region.start < region.end:
            region.is_new = True
            yield self._finish(region)

    def _follow(self, base: int) -> None:
        by = base - self._base
        if by:
            self._base = base
            self._floor -= by
            self._counted -= by
            if self._open is not None:
                self._open.move(by)

    def _grow_head(self, start: int, end: int) -> None:
        region = self._open
        position = start
        while self._head_lines and position < end:
            line_end = self._buffer.find(b"\n", position, end) + 1 or end
            self._head_bytes -= line_end - position
            self._head_lines = self._head_lines - 1 if self._head_bytes >= 0 else 0
            position = line_end if self._head_bytes >= 0 else position
        if region is not None:
            region.extend(position)

    def _hit(self, start: int, end: int) -> Iterator[RawRegion]:
        region = self._open
        floor = max(self._floor, 0)
        if region is not None:
            if start - region.live > self._options.join_bytes and not region.is_closed:
                self._grow(region, start)
            floor = region.end
            if start <= floor or start - region.live <= self._options.join_bytes:
                yield from self._join(region, start, end)
                return
        found = self._known.find(self._buffer, start, end, (floor, self._end))
        if found is None:
            before = reach_back(self._buffer, start, floor, self._options)
            if region is not None and before <= floor:
                yield from self._join(region, start, end)
                return
        if region is not None:
            yield self._finish(region)
        if found is not None:
            known, place = found
            self._open = OpenRegion(place + known.start, self._line_at(place + known.start))
            self._open.note_first(self._buffer, start)
            self._open.be(known, place)
        else:
            self._begin(before, start, end, is_free=before > floor)

    def _join(self, region: OpenRegion, start: int, end: int) -> Iterator[RawRegion]:
        """Make a hit line part of the region at hand, or begin another where that has become too large."""
        if start - region.start > self._options.region_bytes and self._is_fresh(region, start):
            region.cut(start)
            yield self._finish(region, complete=False)
            self._begin(start, start, end, is_free=False)
        else:
            self._take(region, start, end)

    def _take(self, region: OpenRegion, start: int, end: int) -> None:
        region.take(end)
        # The keeper has room for a while, and does not ask.
        if self._floor + self._base < self._unlimited:
            region.is_new = True
        elif not region.is_new:
            kind = kind_of_line(self._buffer, start, end)
            region.kinds[kind] = region.kinds.get(kind, 0) + 1

    def _begin(self, before: int, start: int, end: int, *, is_free: bool) -> None:
        """Begin a region; ``is_free`` tells that nothing but its own text decided where."""
        region = self._open = OpenRegion(before, self._line_at(before))
        if is_free:
            region.note_first(self._buffer, start)
        self._take(region, start, end)

    def _is_fresh(self, region: OpenRegion, start: int) -> bool:
        """Tell whether a region that is too large may be cut before a hit line."""
        if start - region.start > self._patience:
            return True
        previous = self._buffer.rfind(b"\n", 0, max(0, start - 1)) + 1
        return self._buffer[start] not in b" \t" and self._buffer[previous] not in b" \t"

    def _grow(self, region: OpenRegion, until: int) -> None:
        region.live, end, region.is_closed = reach_forward(
            self._buffer,
            region.live,
            until,
            region.last_hit + self._options.growth_bytes,
            self._options,
        )
        region.end = max(region.end, end)
        if region.is_closed:
            region.note_last(self._buffer, until)

    def _finish(self, region: OpenRegion, *, complete: bool = True) -> RawRegion:
        region.copy(self._buffer)
        data = b"".join(region.parts)
        complete = complete and region.live - region.last_hit < self._options.growth_bytes
        known = region.known
        if known is None and complete and region.is_delimited(self._options.edge_bytes):
            known = self._known.learn(*region.delimited(data))
        if known is not None:
            region.is_new = True
        else:
            noted = [self._kinds.note(kind, lines) for kind, lines in region.kinds.items()]
            region.is_new = region.is_new or any(noted)
        self._floor = region.end
        self._open = None
        return RawRegion(region.first_line, data, complete=complete, is_new=region.is_new, known=known)

    def _line_at(self, position: int) -> int:
        """Return the number of the line that starts at a position, counting on from the last one."""
        if position < self._counted:
            return self._line - self._count(self._buffer, position, self._counted)
        self._line += self._count(self._buffer, self._counted, position)
        self._counted = position
        return self._line
