"""Condense a line too long to be a message: its ends, and what surrounds hits.

A line of fifty megabytes is data: weights printed by mistake, an event stream,
a progress bar without newlines. It is cut into pieces whose places depend on
the line alone, and a piece is kept if an anchor matches in it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

#: Tells whether an anchor matches in a piece of a line.
PieceTest = Callable[[bytearray], bool]

_PIECES_PER_LIMIT = 16
_FIRST_HITS = 6
_LAST_HITS = 3


class LongLine:
    """Takes a line bit by bit; keeps no more of it than the limit."""

    def __init__(self, limit: int, is_hit: PieceTest) -> None:
        """Take the limit that the line is longer than."""
        self._is_hit = is_hit
        self._piece = limit // _PIECES_PER_LIMIT
        # A message that begins at the end of one piece is seen whole in it.
        self._overlap = self._piece // 4
        self._pending = bytearray()
        self._start = 0
        self._first: list[tuple[int, bytes]] = []
        self._last: deque[tuple[int, bytes]] = deque(maxlen=_LAST_HITS)
        self._tail = b""
        self.omitted = 0

    def add(self, data: memoryview) -> None:
        """Take the next bytes of the line."""
        self._pending += data
        reach = self._piece + self._overlap
        done = 0
        while len(self._pending) - done >= reach:
            self._keep(self._pending[done : done + reach])
            done += self._piece
        self._tail = (self._tail + bytes(self._pending[:done]))[-self._piece :]
        del self._pending[:done]

    def condensed(self) -> bytes:
        """Return what is kept of the line, with a note wherever something was left out."""
        length = self._start + len(self._pending)
        if self._pending:
            self._keep(self._pending)
        tail = (self._tail + bytes(self._pending))[-self._piece :]
        kept = bytearray()
        end = 0
        for start, data in sorted((*self._first, *self._last, (length - len(tail), tail))):
            if start > end:
                self.omitted += start - end
                kept += b" [... %d bytes left out ...] " % (start - end)
            # Pieces overlap: what the one before has is not said twice.
            kept += data[max(0, end - start) :]
            end = max(end, start + len(data))
        return bytes(kept)

    def _keep(self, piece: bytearray) -> None:
        if self._start == 0 or self._is_hit(piece):
            kept = (self._start, bytes(piece))
            if len(self._first) < _FIRST_HITS:
                self._first.append(kept)
            else:
                self._last.append(kept)
        self._start += self._piece
