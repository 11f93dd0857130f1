"""Where text stood, and the undecorated text of one process.

Line numbers are 1-based and count the newlines of the input as given.
Offsets are 0-based and half-open, into ``Strand.text``. The two never mix.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from tracelens.record import Record

#: How a report in Markdown begins that tracelens wrote, and the heading under which it carries the log.
REPORT_MARK = "<!-- tracelens report 1 -->"
LOG_HEADING = "### Error logs"


class Span(Record, order=True):
    """A run of whole lines of the input; both ends are 1-based, inclusive."""

    line: int
    end_line: int

    def covers(self, other: Span) -> bool:
        """Tell whether every line of ``other`` lies in this span."""
        return self.line <= other.line and other.end_line <= self.end_line

    def distance(self, other: Span) -> int:
        """Return the number of lines between two spans, 0 if they touch."""
        return max(0, other.line - self.end_line, self.line - other.end_line)


class Process(Record):
    """Who printed a line, as its decorations say.

    ``name`` tells processes of one log apart ("rank 3", "EngineCore_DP0 73",
    "worker-1"). ``rank`` and ``pid`` are ``None`` where the log names none.
    """

    name: str
    rank: int | None = None
    pid: int | None = None


class Strand:
    """The lines of one process in one region, without their decorations.

    ``text`` holds the lines, each ended by one newline. ``line_numbers[i]``
    is the line of the input where line ``i`` of ``text`` starts, and
    ``last_line_numbers[i]`` where it ends: they differ where a terminal or a
    mail program had wrapped the line.
    """

    __slots__ = ("_starts", "last_line_numbers", "line_numbers", "process", "text")

    def __init__(
        self,
        *,
        process: Process | None,
        text: str,
        line_numbers: Sequence[int],
        last_line_numbers: Sequence[int] | None = None,
    ) -> None:
        """Take text whose every line ends in a newline, and its line numbers."""
        self.process = process
        self.text = text
        self.line_numbers = line_numbers
        self.last_line_numbers = line_numbers if last_line_numbers is None else last_line_numbers
        self._starts: list[int] | None = None

    def line_at(self, offset: int) -> int:
        """Return the 0-based line of ``text`` that holds ``offset``."""
        if self._starts is None:
            starts = [0]
            find = self.text.find
            position = find("\n")
            while position >= 0:
                starts.append(position + 1)
                position = find("\n", position + 1)
            self._starts = starts
        return min(bisect_right(self._starts, offset), len(self.line_numbers)) - 1

    def span(self, start: int, end: int) -> Span:
        """Return the input lines that hold ``text[start:end]``."""
        first = self.line_numbers[self.line_at(start)]
        last = self.last_line_numbers[self.line_at(max(start, end - 1))]
        return Span(line=first, end_line=max(first, last))


class Region(Record):
    """A run of whole lines of the input that may matter, as raw text.

    ``first_line`` is the 1-based number of its first line. Undecodable bytes
    of the input stand in ``text`` as lone surrogates, so nothing is lost.
    ``complete`` is ``False`` where the region was cut at a size limit. It is the
    last of ``times`` regions that say the same at other times.
    """

    first_line: int
    text: str
    complete: bool = True
    times: int = 1


class Documents:
    """Several inputs behind each other in one numbering of lines; the first is the log itself."""

    __slots__ = ("_bases", "_names")

    def __init__(self) -> None:
        """Start with the log alone, whose lines keep their numbers."""
        self._bases: list[int] = []
        self._names: list[str] = []

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all but the log, in their order."""
        return tuple(self._names)

    def begin(self, name: str, base: int) -> None:
        """Take note that line 1 of an input is line ``base + 1`` of all."""
        self._bases.append(base)
        self._names.append(name)

    def place(self, line: int) -> tuple[str | None, int]:
        """Return the input that a line is in, ``None`` for the log, and its number there."""
        number = bisect_right(self._bases, line - 1) - 1
        return (None, line) if number < 0 else (self._names[number], line - self._bases[number])


def line_around(text: str, place: int) -> str:
    """Return the line of a text that holds an offset; nothing else of it is copied, for it may be pages."""
    start, end = text.rfind("\n", 0, place) + 1, text.find("\n", place)
    return text[start:] if end < 0 else text[start:end]
