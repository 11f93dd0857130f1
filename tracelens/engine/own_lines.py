"""How far apart two lines are in what their own process has printed.

Rules say how many lines apart things stand in the log of one process. Ranks
write between each other's lines, and decorations that came off leave lines of
the input without text; neither moves apart what was printed together.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from operator import sub

from tracelens.text import Span


class OwnLines:
    """The lines that each process has not printed, as far as they stand between its own."""

    __slots__ = ("_gaps",)

    def __init__(self) -> None:
        """Know of no line that is another's."""
        self._gaps: dict[str | None, _Gaps] = {}

    def add(self, process: str | None, line_numbers: Sequence[int]) -> None:
        """Take note of the lines of a process in one region, in ascending order; regions may come in any."""
        if isinstance(line_numbers, range):
            return
        gaps = self._gaps.get(process)
        before = line_numbers[0] if line_numbers else 0
        for line in line_numbers:
            if line - before > 1:
                if gaps is None:
                    gaps = self._gaps[process] = _Gaps()
                gaps.add(before, line)
            before = line

    def distance(self, process: str | None, one: Span, other: Span) -> int:
        """Return how many lines of its own a process printed between two spans, and 0 if they touch."""
        gaps = self._gaps.get(process)
        if gaps is None:
            return one.distance(other)
        if other.line > one.end_line:
            return gaps.place(other.line) - gaps.place(one.end_line)
        return gaps.place(one.line) - gaps.place(other.end_line) if one.line > other.end_line else 0

    def above(self, process: str | None, line: int, count: int) -> int:
        """Return the line that stands so many of a process's own above a line, the first of the log at most."""
        gaps = self._gaps.get(process)
        return max(1, line - count if gaps is None else gaps.line(gaps.place(line) - count))

    def below(self, process: str | None, line: int, count: int) -> int:
        """Return the line that stands so many of a process's own below a line."""
        gaps = self._gaps.get(process)
        return line + count if gaps is None else max(line, gaps.line(gaps.place(line) + count))


class _Gaps:
    """Where the lines of one process go on, and how many lines above were not its own."""

    __slots__ = ("_lines", "_others", "_places", "_sizes")

    def __init__(self) -> None:
        self._lines: list[int] = [0]
        self._sizes: list[int] = [0]
        #: How many lines above are not its own, and the lines as they would be numbered without those.
        self._others: list[int] = []
        self._places: list[int] = []

    def add(self, last: int, following: int) -> None:
        self._lines.append(following)
        self._sizes.append(following - last - 1)

    def _settle(self) -> None:
        if len(self._others) < len(self._lines):
            # The last of regions that are counted comes behind all others.
            pairs = sorted(zip(self._lines, self._sizes, strict=True))
            self._lines, self._sizes = [line for line, _ in pairs], [size for _, size in pairs]
            self._others = list(accumulate(self._sizes))
            self._places = list(map(sub, self._lines, self._others))

    def place(self, line: int) -> int:
        """Return the number that a line would have without those of others; theirs count as the one above them."""
        self._settle()
        number = bisect_right(self._lines, line) - 1
        place = line - self._others[number]
        return min(place, self._places[number + 1] - 1) if number + 1 < len(self._places) else place

    def line(self, place: int) -> int:
        """Return the line that would have this number."""
        self._settle()
        return place + self._others[max(0, bisect_right(self._places, place) - 1)]
