"""A window of bounded size that moves over an input, in complete lines.

Behind the lines that come next it keeps some of those that have passed, since
a region may still reach back to them. A line longer than the limit is replaced
by its condensed form before anything else sees it, so no input makes the
window grow; see ``long_lines``.
"""

from __future__ import annotations

from tracelens.scan.feed import ByteFeed
from tracelens.scan.long_lines import LongLine, PieceTest
from tracelens.scan.options import ScanLedger, ScanOptions


class LineWindow:
    """Reads a feed into ``buffer``, segment by segment.

    Positions are indices into ``buffer``; ``base`` is what to add to get an
    offset that stays valid when the window moves. ``base`` counts condensed
    lines by their condensed length. The byte before a segment is a newline.
    """

    def __init__(self, feed: ByteFeed, options: ScanOptions, ledger: ScanLedger, is_hit: PieceTest) -> None:
        """Take a feed; ``is_hit`` tells which pieces of a long line to keep."""
        self._feed = feed
        self._ledger = ledger
        self._is_hit = is_hit
        self._read_bytes = options.read_bytes
        self._line_bytes = options.line_bytes
        self._history = options.history_bytes
        # Twice the reads, so that what is kept moves once in a few reads only.
        self.buffer = bytearray(self._history + 2 * options.line_bytes + 4 * options.read_bytes)
        self._view = memoryview(self.buffer)
        # The first line too has a newline before it, so that no one need ask.
        self.buffer[0] = ord("\n")
        self._filled = 1
        self._done = 1
        self._at_end = False
        self.base = -1

    def advance(self) -> tuple[int, int] | None:
        """Read until there are complete lines and return where they stand; ``None`` at the end.

        Only the last line of an input can lack its newline.
        """
        while not self._at_end:
            self._make_room()
            start = self._filled
            first = self._read_line_end(start)
            if (self._filled if first < 0 else first) - self._done > self._line_bytes:
                first = self._condense(first)
            if self._at_end:
                return self._segment(self._filled) if self._filled > self._done else None
            if first >= 0:
                return self._segment(self.buffer.rfind(b"\n", first, self._filled) + 1)
        return None

    def _segment(self, end: int) -> tuple[int, int]:
        start, self._done = self._done, end
        return start, end

    def _make_room(self) -> None:
        if self._filled + self._read_bytes <= len(self.buffer):
            return
        keep = max(0, self._done - self._history)
        self._view[: self._filled - keep] = self._view[keep : self._filled]
        self._filled -= keep
        self._done -= keep
        self.base += keep

    def _read_line_end(self, start: int) -> int:
        """Read once to ``start`` and return where the first newline in it stands, or -1."""
        count = self._feed.readinto(self._view[start : start + self._read_bytes])
        self._filled = start + count
        self._ledger.bytes += count
        self._at_end = count == 0
        return self.buffer.find(b"\n", start, self._filled)

    def _condense(self, newline: int) -> int:
        """Put the condensed form of the line at hand in its place; return its newline, or -1 at the end."""
        start = self._done
        long_line = LongLine(self._line_bytes, self._is_hit)
        long_line.add(self._view[start : self._filled if newline < 0 else newline])
        while newline < 0 and not self._at_end:
            newline = self._read_line_end(start)
            long_line.add(self._view[start : self._filled if newline < 0 else newline])
        rest = b"" if newline < 0 else bytes(self._view[newline : self._filled])
        condensed = long_line.condensed()
        self._ledger.omitted_bytes += long_line.omitted
        end = start + len(condensed)
        self._filled = end + len(rest)
        self._view[start : self._filled] = condensed + rest
        return end if rest else -1
