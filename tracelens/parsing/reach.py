"""How far a thing reaches that begins on one line and is one token in all.

A run of stack frames with their source lines, the lines of one log record,
the quoted source below a compiler's message, a summary table, lines that
somebody indented as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from tracelens.events import RecordHeader
from tracelens.expressions import expression
from tracelens.parsing.blocks import MAX_DEPTH, Block
from tracelens.parsing.diagnostic_runs import leads_below, sources_below
from tracelens.parsing.line_kinds import HEAD_TEXT, NO_HEADER, header_of, kind_of
from tracelens.typed import cache

_MAX_NESTED_LINES = 5000
#: Characters that tell whether an exception line goes on.
_LINE_END = 400
#: A stack frame is indented by two; torch's quoted ones by three.
_FRAME_INDENT = 3
LINKS = ("The above exception was", "During handling of the above")

#: Final kind, end offset, number of lines.
Reached = tuple[str, int, int]


class Reach:
    """Follows what begins on a line of one block."""

    __slots__ = ("_block", "_text")

    def __init__(self, block: Block) -> None:
        """Take the block."""
        self._block = block
        self._text = block.text

    def follow(self, kind: str, start: int, end: int, *, inside: bool) -> Reached:
        """Return the final kind and the reach of what begins at ``start``.

        ``inside`` tells that a traceback is open: whatever the indentation
        of its frames, they are its own.
        """
        if kind == "RECORD":
            return self._record(start, end)
        if kind == "EXCEPTION":
            whole = ends_as_exception(self._text[max(start, end - _LINE_END) : end])
            return "EXCEPTION" if whole else "EXCEPTION_OPEN", end, 1
        if kind in {"FRAMES", "HEAD"}:
            indent = end - start - len(self._text[start:end].lstrip(" \t"))
            margin = indent if kind == "HEAD" else indent - 2
            # nanobind tells a whole traceback, whose frames do not stand below these words.
            told = kind == "HEAD" and self._text.startswith("what():", start + indent)
            deep = not told and indent > (0 if kind == "HEAD" else _FRAME_INDENT)
            if deep and not inside and self._block.depth < MAX_DEPTH:
                return self._nested(start, margin)
            return self._frames(start, end, indent) if kind == "FRAMES" else (kind, end, 1)
        if kind == "EXIT" and not _table_row().match(self._text, start, end):
            return kind, end, 1
        below = _BELOW.get(kind)
        found = below().match(self._text, end) if below is not None else None
        if kind == "CALLED_AT" and not found:
            kind = "ANNOUNCE"
        return (kind, found.end(), 1 + self._text.count("\n", end, found.end())) if found else (kind, end, 1)

    def _frames(self, start: int, end: int, indent: int) -> Reached:
        text = self._text
        match = _frame().match
        found = match(text, start)
        position = start
        while found:
            position = found.end()
            if indent == 0 and position == text.find("\n", found.start()) + 1:
                position = self._source_at_margin(position)
            found = match(text, position)
        position = max(position, end)
        return "FRAMES", position, text.count("\n", start, position)

    def _source_at_margin(self, position: int) -> int:
        """Step over the source line of a frame whose indentation was lost, and its markers."""
        for _ in range(2):
            end = self._text.find("\n", position) + 1
            if end and kind_of(self._text[position:end]) in {"TEXT", "ANNOUNCE", "PYTEST_CODE"}:
                position = end
        return position

    def _nested(self, start: int, margin: int) -> Reached:
        """Take the lines from ``start`` that are indented by ``margin`` or more."""
        text, find = self._text, self._text.find
        prefix = text[start : start + margin]
        position = solid = start
        count = lines = 0
        while position < self._block.size and count < _MAX_NESTED_LINES:
            end = find("\n", position) + 1
            if text.startswith(prefix, position):
                solid, lines = end, count + 1
            elif text[position:end].strip():
                break
            position, count = end, count + 1
        return "NESTED", solid, lines

    def _record(self, start: int, end: int) -> Reached:
        """Take all lines that carry the header of the line at ``start``."""
        text, find = self._text, self._text.find
        header = header_of(text[start:end]) or NO_HEADER
        record, offset = header
        if is_warning(record, text[start:end]):
            return self._warning(end)
        prefix = text[start : start + offset]
        bare = prefix.rstrip() + "\n"
        message = _Message(text[start + offset : end])
        first, count = end, 1
        while end < self._block.size:
            following = find("\n", end) + 1
            if text.startswith(prefix, end):
                if record.time is None and not message.goes_on(text[end + offset : following]):
                    break
            elif not text.startswith(bare, end):
                if not self._same_record(header, end, following):
                    break
                if not message.goes_on(text[end + offset : following]):
                    break
                prefix = text[end : end + offset]
                bare = prefix.rstrip() + "\n"
            message.take(text[end + offset : following])
            end, count = following, count + 1
        if count > 1 or _repeats(text[start:first]):
            return "RECORD", end, count
        carries = _carries(text[start : first - 1], record.level.value)
        return ("CARRIER" if carries else "FIRST_RECORD"), end, 1

    def _same_record(self, header: tuple[RecordHeader, int], start: int, end: int) -> bool:
        """Tell whether a line is of the same emitter as a record, though its time differs."""
        line = self._text[start:end]
        if line[0] in " \t\n" or (header[0].location and header[0].location not in line):
            return False
        other = header_of(line)
        if other is None or other[1] != header[1]:
            return False
        mine, its = header[0], other[0]
        return (mine.level, mine.location, mine.compile_id) == (its.level, its.location, its.compile_id)

    def _warning(self, end: int) -> Reached:
        """Take the source line that CPython prints below a warning."""
        text = self._text
        if text.startswith("  ", end) and not text.startswith('  File "', end):
            return "WARNING", text.find("\n", end) + 1, 2
        return "WARNING", end, 1


class _Message:
    """The message of a record as far as it has been seen: does the next line belong to it?"""

    __slots__ = ("_open",)

    def __init__(self, line: str) -> None:
        self._open = False
        self.take(line)

    def take(self, line: str) -> None:
        """Take one more line of the message."""
        if HEAD_TEXT in line or line.lstrip(" ").startswith('File "'):
            self._open = True
        elif line[:1] not in " \t\n":
            self._open = False

    def goes_on(self, line: str) -> bool:
        """Tell whether a line goes on with this message though it could be one of its own."""
        return self._open or line[:1] in " \t\n" or line.startswith((HEAD_TEXT, *LINKS))


def ends_as_exception(line: str) -> bool:
    """Tell an exception line from one that must go on, by its last characters."""
    end = line[-_LINE_END:].rstrip()
    building = ("Error building extension" in end and ": [" in end) or "Failed to import " in end
    return not building and not end.endswith(":")


def is_warning(record: RecordHeader, line: str) -> bool:
    """Tell a line of CPython's ``warnings``, which begins with its place, from log records."""
    return bool(record.location) and line.startswith(f"{record.location}:")


def is_table_row(line: str) -> bool:
    """Tell whether a line is of torchelastic's summary of failures."""
    return _table_row().match(line) is not None


def _repeats(line: str) -> bool:
    """Tell whether torch's own logging printed a line: it repeats its header on every line."""
    return line[:1] in "VDIWECF" and line[1:5].isdigit() and "]" in line


def _carries(line: str, level: str) -> bool:
    """Tell whether a traceback below this record was printed by it."""
    return level in {"error", "critical"} or line.endswith(_LEADING) or any(map(line.__contains__, _ANNOUNCING))


#: What ends, or stands in, messages that have a traceback printed below them.
_LEADING = (":", ": ", "due to", "due to ")
_ANNOUNCING = ("WON'T CONVERT", "exception", "Exception", "Traceback")


@cache
def _frame() -> re.Pattern[str]:
    """One stack frame with its source lines, markers and counts of repetitions."""
    return expression(
        r'[ \t]{0,40}(?:> )?File "[^"\n]*", line \d+(?!\d| in )[^\n]*\n(?:[ \t]+(?!File "|\d* ?\| )\S[^\n]*\n){0,32}'
    )


@cache
def _notebook_source() -> re.Pattern[str]:
    """The numbered lines below a frame of IPython."""
    return expression(r"(?:[ \t]*(?:-+>)? *\d+(?:[ \t][^\n]*)?\n|[ \t]+\(\.\.\.\)[^\n]*\n)+")


@cache
def _rich_source() -> re.Pattern[str]:
    """The numbered lines below a frame of rich, with or without its own gutter."""
    return expression(r"(?:[ \t]*(?:\u2771 ?)? *\d+(?:[ \t]+\u2502?[^\n]*)?\n)+")


@cache
def _pytest_source() -> re.Pattern[str]:
    return expression(r"(?:[ \t]{2,}(?!File \")[^\n]*\S[^\n]*\n)+")


@cache
def _dump_frame() -> re.Pattern[str]:
    return expression(r'(?:[ \t]{0,8}File "[^"\n]*", line \d+ in [^\n]*\n)+')


@cache
def _called_at() -> re.Pattern[str]:
    return expression(r"(?:[ \t]*(?:/|<frozen |[ \t][^\s(]|[A-Za-z]:\\)[^\n]*\(\d{1,18}\): [^\n]+\n)+")


@cache
def _table_row() -> re.Pattern[str]:
    """The lines of torchelastic's summary of failures."""
    return expression(
        r"(?:(?:[ \t]+(?:time|host|rank|exitcode|error_file|traceback|msg) {0,8}:[^\n]*|\[\d+\]:[ \t]*|[-=]{10,}"
        r"|Root Cause \(first observed failure\):|(?:Other )?Failures:|[ \t]+<NO_OTHER_FAILURES>)\n)+"
    )


#: What may stand below the first line, by kind.
_BELOW: dict[str, Callable[[], re.Pattern[str]]] = {
    "EXIT": _table_row,
    "NOTEBOOK_FRAME": _notebook_source,
    "RICH_FRAME": _rich_source,
    "PYTEST_FRAME": _pytest_source,
    "DUMP_FRAMES": _dump_frame,
    "CALLED_AT": _called_at,
    "DIAGNOSTIC_SOURCE": sources_below,
    "DIAGNOSTIC_LEAD": leads_below,
}
