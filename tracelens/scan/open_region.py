"""A region on its way: what is known of it while more of the input comes."""

from __future__ import annotations

from tracelens.scan.recurring import KnownRegion, Places, Times

#: No line of a block has been seen yet.
_NEVER = -(1 << 62)


class OpenRegion:
    """The region at hand; positions are those of the window.

    ``live`` is the end of the last line that surely belongs to a block, ``end``
    that of its context so far, ``is_closed`` tells that the context is all of it.
    """

    __slots__ = (
        "_above",
        "_below",
        "_copied",
        "_first",
        "end",
        "first_line",
        "hit_lines",
        "is_closed",
        "is_new",
        "kinds",
        "known",
        "last_hit",
        "live",
        "parts",
        "start",
    )

    def __init__(self, start: int, first_line: int) -> None:
        """Begin without a hit."""
        self.start = self.end = self._copied = start
        self.first_line = first_line
        self.live = self.last_hit = _NEVER
        self.is_closed = True
        self.hit_lines = 0
        #: Whether a hit line is of a rare kind, and those that are still to be asked for, with their numbers.
        self.is_new = False
        self.kinds: dict[bytes, int] = {}
        self.parts: list[bytes] = []
        #: The region that this one is equal to but for its times, and what can show it: first hit, lines around it.
        self.known: tuple[KnownRegion, Times] | None = None
        self._first = 0
        self._above = self._below = b""

    def take(self, end: int) -> None:
        """Have a hit line that ends there."""
        self.live = self.last_hit = end
        self.hit_lines += 1
        self.is_closed = False
        self.known = None
        self.end = max(self.end, end)

    def extend(self, end: int) -> None:
        """Reach up to ``end`` for another reason than hits."""
        self.end = max(self.end, end)
        self.known = None
        self._below = b""

    def move(self, by: int) -> None:
        """Follow the window."""
        self.start -= by
        self.end -= by
        self.live -= by
        self.last_hit -= by
        self._copied -= by

    def copy(self, buffer: bytearray) -> None:
        """Save what the window may soon move over."""
        if self.end > self._copied:
            self.parts.append(bytes(memoryview(buffer)[self._copied : self.end]))
            self._copied = self.end

    def be(self, known: KnownRegion, times: Times, place: int) -> None:
        """Be a region that is known, with the line before it at ``place``."""
        whole = known.at(times)
        self.known = known, times
        self.hit_lines = known.hit_lines
        self.end = self._copied = place + known.end
        self.live = place + known.live
        self.last_hit = place + known.last_hit
        self.parts = [whole[known.start : known.end]]
        self._first = known.first - known.start
        self._above = whole[: known.start]

    def note_first(self, buffer: bytearray, hit: int) -> None:
        """Remember where the first hit line begins, and the line before the region."""
        self._first = hit - self.start
        self._above = bytes(buffer[buffer.rfind(b"\n", 0, self.start - 1) + 1 : self.start])

    def note_last(self, buffer: bytearray, until: int) -> None:
        """Remember the line that ended the context."""
        self._below = bytes(buffer[self.end : buffer.find(b"\n", self.end, until) + 1 or until])

    def cut(self, end: int) -> None:
        """End there, whatever follows."""
        self.end = end
        self.known = None
        self._below = b""

    def is_delimited(self, limit: int) -> bool:
        """Tell whether lines around it, none longer than a limit, and nothing else decided where it begins and ends."""
        return self.is_closed and 0 < len(self._above) <= limit and 0 < len(self._below) <= limit

    def delimited(self, data: bytes) -> tuple[bytes, Places]:
        """Return its bytes with the lines around it, and what is where in them."""
        start = len(self._above)
        offset = start - self.start
        places = (
            start,
            start + self._first,
            self.last_hit + offset,
            self.live + offset,
            self.end + offset,
            self.hit_lines,
        )
        return self._above + data + self._below, places
