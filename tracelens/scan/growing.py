"""Turn hit lines into regions, while the window moves.

A region is the union of what its hits reach; see ``growth``. Regions never
overlap and come in order. Where they begin and end depends on the text alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from tracelens.scan.growth import lines_before, reach_back, reach_forward
from tracelens.scan.lines import NewlineCounter
from tracelens.scan.novelty import KindCounter
from tracelens.scan.options import ScanOptions

#: No line of a block has been seen yet.
_NEVER = -(1 << 62)
#: Past the limit by this much a region is cut wherever it is.
_PATIENCE = 1.25


@dataclass(slots=True, kw_only=True)
class RawRegion:
    """A region as bytes; ``is_new`` if it holds a hit line of a rare kind."""

    first_line: int
    data: bytes
    complete: bool
    is_new: bool


@dataclass(slots=True, kw_only=True)
class _Open:
    """The region at hand; positions are those of the window.

    ``live`` is the end of the last line that surely belongs to a block, ``end``
    that of its context so far, ``is_closed`` tells that the context is all of it.
    """

    start: int
    first_line: int
    end: int
    live: int = _NEVER
    last_hit: int = _NEVER
    is_closed: bool = False
    is_new: bool = False
    copied: int = 0
    parts: list[bytes] = field(default_factory=list)

    def move(self, by: int) -> None:
        """Follow the window."""
        self.start -= by
        self.end -= by
        self.live -= by
        self.last_hit -= by
        self.copied -= by


class RegionGrower:
    """Takes segments and their hit lines, gives finished regions."""

    def __init__(self, buffer: bytearray, options: ScanOptions, count_newlines: NewlineCounter) -> None:
        """Take the window's buffer."""
        self._buffer = buffer
        self._options = options
        self._count = count_newlines
        self._kinds = KindCounter()
        self._base = 0
        self._floor = 0
        self._counted = 0
        self._line = 1
        self._head_lines = options.head_lines
        self._head_bytes = options.end_bytes
        self._unlimited = options.keep_bytes // 2
        self._patience = int(options.region_bytes * _PATIENCE)
        # The beginning of the input is a region that has no hit yet.
        self._open: _Open | None = _Open(start=0, first_line=1, end=0, is_closed=True) if options.head_lines else None

    @property
    def lines(self) -> int:
        """Return the number of newlines in all segments taken."""
        return self._line - 1

    def add(self, base: int, start: int, end: int, hits: Iterable[tuple[int, int]]) -> Iterator[RawRegion]:
        """Take the segment ``start:end`` of a window that has moved to ``base``."""
        self._follow(base)
        if self._head_lines:
            self._grow_head(start, end)
        join, limit = self._options.join_bytes, self._options.region_bytes
        for hit_start, hit_end in hits:
            region = self._open
            if region is not None and hit_start - region.live <= join and hit_start - region.start <= limit:
                # Most hits of a log that is full of them end here.
                region.live = region.last_hit = hit_end
                region.end = max(region.end, hit_end)
                region.is_closed = False
                region.is_new = region.is_new or self._is_new(hit_start, hit_end)
            else:
                yield from self._hit(hit_start, hit_end)
        region = self._open
        if region is not None:
            if not region.is_closed:
                self._grow(region, end)
            if region.is_closed and not self._head_lines and end - region.end > self._options.history_bytes:
                yield self._finish(region)
            else:
                self._copy(region)
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
                region = _Open(start=tail, first_line=self._line_at(tail), end=end, copied=tail)
            region.end = end
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
            region.end = max(region.end, position)

    def _hit(self, start: int, end: int) -> Iterator[RawRegion]:
        region = self._open
        is_new = self._is_new(start, end)
        if region is not None:
            if start - region.live > self._options.join_bytes and not region.is_closed:
                self._grow(region, start)
            before = region.end
            is_joined = start <= before or start - region.live <= self._options.join_bytes
            if not is_joined:
                before = reach_back(self._buffer, start, region.end, self._options)
                is_joined = before <= region.end
            if is_joined:
                if start - region.start > self._options.region_bytes and self._is_fresh(region, start):
                    region.end = start
                    yield self._finish(region, complete=False)
                    self._begin(start, start, end, is_new=is_new)
                    return
                region.live = region.last_hit = end
                region.end = max(region.end, end)
                region.is_closed = False
                region.is_new = region.is_new or is_new
                return
            yield self._finish(region)
        else:
            before = reach_back(self._buffer, start, max(self._floor, 0), self._options)
        self._begin(before, start, end, is_new=is_new)

    def _is_new(self, start: int, end: int) -> bool:
        # The keeper has room for a while, and does not ask.
        return self._floor + self._base < self._unlimited or self._kinds.note(self._buffer, start, end)

    def _begin(self, before: int, start: int, end: int, *, is_new: bool) -> None:
        self._open = _Open(
            start=before,
            first_line=self._line_at(before),
            end=max(end, start),
            live=end,
            last_hit=end,
            is_new=is_new,
            copied=before,
        )

    def _is_fresh(self, region: _Open, start: int) -> bool:
        """Tell whether a region that is too large may be cut before a hit line."""
        if start - region.start > self._patience:
            return True
        previous = self._buffer.rfind(b"\n", 0, max(0, start - 1)) + 1
        return self._buffer[start] not in b" \t" and self._buffer[previous] not in b" \t"

    def _grow(self, region: _Open, until: int) -> None:
        region.live, end, region.is_closed = reach_forward(
            self._buffer,
            region.live,
            until,
            region.last_hit + self._options.growth_bytes,
            self._options,
        )
        region.end = max(region.end, end)

    def _copy(self, region: _Open) -> None:
        """Save what the window may soon move over."""
        if region.end > region.copied:
            region.parts.append(bytes(memoryview(self._buffer)[region.copied : region.end]))
            region.copied = region.end

    def _finish(self, region: _Open, *, complete: bool = True) -> RawRegion:
        self._copy(region)
        self._floor = region.end
        self._open = None
        return RawRegion(
            first_line=region.first_line,
            data=b"".join(region.parts),
            complete=complete and region.live - region.last_hit < self._options.growth_bytes,
            is_new=region.is_new,
        )

    def _line_at(self, position: int) -> int:
        """Return the number of the line that starts at a position, counting on from the last one."""
        if position < self._counted:
            return self._line - self._count(self._buffer, position, self._counted)
        self._line += self._count(self._buffer, self._counted, position)
        self._counted = position
        return self._line
