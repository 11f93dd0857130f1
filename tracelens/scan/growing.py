"""Turn hit lines into regions, while the window moves.

A region is the union of what its hits reach; see ``reach``. Regions never
overlap and come in order. Where they begin and end depends on the text alone.
"""

from __future__ import annotations

from tracelens.scan.finder import HitFinder
from tracelens.scan.lines import NewlineCounter
from tracelens.scan.novelty import KindCounter, kind_of_line
from tracelens.scan.open_region import OpenRegion
from tracelens.scan.options import ScanOptions
from tracelens.scan.reach import lines_before, reach_back, reach_forward
from tracelens.scan.recurring import KnownRegion, KnownRegions, Times

#: Past the limit by this much a region is cut wherever it is.
_PATIENCE = 1.25


class RawRegion:
    """A region as bytes.

    ``is_new`` tells that it holds a hit line of a rare kind, ``times`` how many
    regions it stands for that are equal but for their times.
    """

    __slots__ = ("complete", "data", "first_line", "is_new", "times")

    def __init__(self, first_line: int, data: bytes, *, complete: bool, is_new: bool, times: int = 1) -> None:
        """Stand for regions of which this one is the last."""
        self.first_line = first_line
        self.data = data
        self.complete = complete
        self.is_new = is_new
        self.times = times


class RegionGrower:
    """Takes segments and their hit lines, gives finished regions."""

    def __init__(
        self, buffer: bytearray, options: ScanOptions, finder: HitFinder, count_newlines: NewlineCounter
    ) -> None:
        """Take the window's buffer, and what finds hit lines and counts newlines in it."""
        self._buffer = buffer
        self._options = options
        self._finder = finder
        self._count = count_newlines
        #: How many hit lines there were.
        self.hit_lines = 0
        self._finished: list[RawRegion] = []
        #: A region that is known, if no other came since: its times, where the line before it begins, its first line.
        self._latest: tuple[KnownRegion, Times, int, int] | None = None
        #: Where the block of the last one ends.
        self._passed = 0
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

    def add(self, base: int, start: int, end: int) -> list[RawRegion]:
        """Take the segment ``start:end`` of a window that has moved to ``base``; return the regions that end there."""
        self._follow(base)
        self._end = end
        if self._head_lines:
            self._grow_head(start, end)
        join, limit = self._options.join_bytes, self._options.region_bytes
        for hit_start, hit_end in self._finder.hits(self._buffer, start, end, self._recall):
            region = self._open
            if region is not None and hit_start - region.live <= join and hit_start - region.start <= limit:
                # Most hits of a log that is full of them end here.
                if hit_end > region.live:
                    self._take(region, hit_start, hit_end)
                else:
                    region.hit_lines += 1
            elif hit_end > self._passed:
                self._hit(hit_start, hit_end)
        self._leave(end)
        self._line_at(end)
        return self._taken()

    def _leave(self, end: int) -> None:
        """Finish the region at hand if no hit behind a segment can join it, else keep what the window may move over."""
        region = self._open
        if self._latest is not None:
            known, _, place, _ = self._latest
            if end - place - known.end > self._options.history_bytes:
                self._count_latest(*self._latest)
        elif region is not None:
            if not region.is_closed:
                self._grow(region, end)
            if region.is_closed and not self._head_lines and end - region.end > self._options.history_bytes:
                self._finish(region)
            else:
                region.copy(self._buffer)

    def finish(self, end: int) -> list[RawRegion]:
        """Return what is left, with the end of the input as the last region."""
        options = self._options
        region = self._open = self._before()
        floor = self._floor if region is None else region.end
        tail = lines_before(self._buffer, end, floor, options.tail_lines, options.end_bytes)
        if region is not None and tail > region.end:
            self._finish(region)
            region = None
        if tail < end:
            if region is None:
                region = OpenRegion(tail, self._line_at(tail))
            region.extend(end)
        if region is not None and region.start < region.end:
            region.is_new = True
            self._finish(region)
        return self._taken()

    def recurred(self) -> list[RawRegion]:
        """Return the last of each region that was counted, in order."""
        return [
            RawRegion(known.first_line, known.text(), complete=True, is_new=True, times=known.count - 1)
            for known in self._known.recurred()
        ]

    def _taken(self) -> list[RawRegion]:
        finished, self._finished = self._finished, []
        return finished

    def _follow(self, base: int) -> None:
        by = base - self._base
        self._passed -= by
        if by:
            self._base = base
            self._floor -= by
            self._counted -= by
            if self._open is not None:
                self._open.move(by)
            if self._latest is not None:
                known, times, place, first_line = self._latest
                self._latest = known, times, place - by, first_line

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

    def _recall(self, line: int) -> int:
        """Pass over the region that should come next, if its first hit line begins there; return how far, or 0."""
        if self._latest is not None:
            known, _, place, _ = self._latest
            if line - place - known.live <= self._options.join_bytes:
                return 0
            floor = place + known.end
        elif self._open is None:
            floor = max(self._floor, 0)
        else:
            return 0
        found = self._known.expected(self._buffer, line, (floor, self._end))
        if found is None:
            return 0
        self._recur(*found, line)
        return self._passed

    def _recur(self, known: KnownRegion, times: Times, line: int) -> None:
        """Begin a region that is known, and has its first hit line there."""
        if self._latest is not None:
            self._count_latest(*self._latest)
        place = line - known.first
        self._latest = known, times, place, self._line_at(place + known.start)
        self._passed = place + known.live

    def _count_latest(self, known: KnownRegion, times: Times, place: int, first_line: int) -> None:
        known.see(first_line, times)
        self.hit_lines += known.hit_lines
        self._floor = place + known.end
        self._latest = None

    def _before(self) -> OpenRegion | None:
        """Return the region at hand, if there is any."""
        if self._latest is not None:
            known, times, place, first_line = self._latest
            self._latest = None
            self._open = OpenRegion(place + known.start, first_line)
            self._open.be(known, times, place)
        return self._open

    def _hit(self, start: int, end: int) -> None:
        region = self._before()
        floor = max(self._floor, 0)
        if region is not None:
            if start - region.live > self._options.join_bytes and not region.is_closed:
                self._grow(region, start)
            floor = region.end
            if start <= floor or start - region.live <= self._options.join_bytes:
                self._join(region, start, end)
                return
        before = reach_back(self._buffer, start, floor, self._options)
        if region is not None:
            if before <= floor:
                self._join(region, start, end)
                return
            self._finish(region)
        found = self._known.find(self._buffer, (start, end), (floor, self._end))
        if found is not None:
            self._recur(*found, start)
        else:
            self._begin(before, start, end, is_free=before > floor)

    def _join(self, region: OpenRegion, start: int, end: int) -> None:
        """Make a hit line part of the region at hand, or begin another where that has become too large."""
        if start - region.start > self._options.region_bytes and self._is_fresh(region, start):
            region.cut(start)
            self._finish(region, complete=False)
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

    def _finish(self, region: OpenRegion, *, complete: bool = True) -> None:
        region.copy(self._buffer)
        data = b"".join(region.parts)
        complete = complete and region.live - region.last_hit < self._options.growth_bytes
        found = region.known
        if found is None and complete and region.is_delimited(self._options.edge_bytes):
            found = self._known.learn(*region.delimited(data))
        self.hit_lines += region.hit_lines
        self._floor = region.end
        self._open = None
        if found is not None:
            known, times = found
            known.see(region.first_line, times)
            if known.count > 1:
                return
            region.is_new = True
        else:
            noted = [self._kinds.note(kind, lines) for kind, lines in region.kinds.items()]
            region.is_new = region.is_new or any(noted)
        self._finished.append(RawRegion(region.first_line, data, complete=complete, is_new=region.is_new))

    def _line_at(self, position: int) -> int:
        """Return the number of the line that starts at a position, counting on from the last one."""
        if position < self._counted:
            return self._line - self._count(position, self._counted)
        self._line += self._count(self._counted, position)
        self._counted = position
        return self._line
