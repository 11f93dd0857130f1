"""From text to tokens: each line gets its kind, and lines that are one get one token.

The kind comes from the line's own beginning (``line_kinds``). What the line
cannot say itself is settled here: how far a log record or a run of stack
frames reaches, whether a line follows a blank one, whether an open traceback
goes on below a foreign line. Nothing is copied, a token is five integers, and
each line is looked at a bounded number of times.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import TypeAlias

from tracelens.events import RecordHeader
from tracelens.parsing.blocks import MAX_DEPTH, Block
from tracelens.parsing.line_kinds import (
    HEAD_TEXT,
    HEADER_FIRST,
    QUALIFIED_NAME,
    gated_kind,
    header,
    indented,
    literal,
    may_have_header,
    name,
    shaped,
    word,
    word_kind,
)
from tracelens.parsing.machine import Token
from tracelens.parsing.records import read_header

#: A longer line is classified by its beginning.
_LONG_LINE = 8192
#: Plain lines in one token that may still belong to what stands around them.
_SHORT_RUN = 8
#: How far a traceback is looked for below a foreign line: characters, not lines.
_RESUMES_WITHIN = 4000
_MAX_NESTED_LINES = 5000
#: How far into a line the first words of a traceback may stand, and how deep.
_HEAD_WITHIN = 200
_HEAD_INDENT = 60
#: Compiler messages and exits may be indented so far.
_RARE_INDENT = 24

_Kinds: TypeAlias = Mapping[str, int]

#: What may follow a name that a message follows, or that stands alone.
_AFTER_NAME = frozenset(":\n(< \t\r")
_PLAIN = frozenset({"TEXT", "INDENTED"})
#: Kinds that can stand between the lines of a traceback without being part of it.
_FOREIGN = frozenset(
    {"TEXT", "INDENTED", "RECORD", "FIRST_RECORD", "WARNING", "DIAGNOSTIC", "DIAGNOSTIC_LEAD", "DIAGNOSTIC_END", "EXIT",
     "FACT", "INVOCATION", "NINJA_STEP", "NINJA_FAILED", "NINJA_STOPPED", "CXX_FRAME", "RULE", "NAMED", "ANNOUNCE", "HINT", "SECTION"}
)  # fmt: skip
_OPENING = frozenset({"HEAD", "FRAMES", "NOTEBOOK_FRAME", "RICH_FRAME", "PYTEST_FRAME", "PYTEST_CODE"})
#: Stack frames below these lines are quoted: no exception line will follow.
_QUOTING = frozenset({"STACK_INTRO", "GRAPH_BREAK", "CUDAGRAPH"})
_BY_PYTEST = frozenset({"PYTEST_FRAME", "PYTEST_CODE"})


@cache
def _frame() -> re.Pattern[str]:
    """One stack frame with its source lines, markers and counts of repetitions."""
    return re.compile(
        r'[ \t]{0,40}File "[^"\n]*", line \d+(?!\d| in )[^\n]*\n(?:[ \t]+(?![ \t]|File ")(?!\d* ?\| )[^\n]*\n){0,32}'
    )


@cache
def _notebook_source() -> re.Pattern[str]:
    """The numbered lines below a frame of IPython; blank lines may stand between."""
    return re.compile(r"(?:[ \t]*(?:-+>)? *\d+(?:[ \t][^\n]*)?\n|[ \t]+\(\.\.\.\)[^\n]*\n)")


@cache
def _dump_frame() -> re.Pattern[str]:
    return re.compile(r'[ \t]{0,8}File "[^"\n]*", line \d+ in [^\n]*\n')


@cache
def _resumes() -> re.Pattern[str]:
    """What shows that an open traceback goes on; a new one that begins before shows the contrary."""
    return re.compile(
        r"^(?:(?P<anew>[^\n]{0,200}Traceback \(most recent call last\))"
        rf'|[ \t]{{0,8}}File "[^"\n]*", line \d| {{4}}(?! *\d* \|)\S|{QUALIFIED_NAME}(?::|$)'
        r"|[^\s:]+\.\w+:\d+: (?:in |[A-Z]|$)|>  +\S)",
        re.MULTILINE,
    )


@cache
def _announcing() -> re.Pattern[str]:
    """Messages that have a traceback printed below them."""
    return re.compile(r"(?:: ?|WON'T CONVERT[^\n]*|due to:? ?|[Ee]xception[^\n]*|Traceback[^\n]*)$")


class Classifier:
    """Turns one block into tokens."""

    def __init__(self, block: Block, kinds: _Kinds) -> None:
        """Take the block and the number of each kind."""
        self._block = block
        self._kinds = kinds
        self._text = block.text
        self._open = False
        self._pytest = False
        self._quoted = False

    def tokens(self) -> Iterator[Token]:
        """Yield the tokens of the block in order."""
        text, size = self._text, self._block.size
        find, startswith = text.find, text.startswith
        position = line = 0
        after_blank = False
        last, kind = "\n", ""  # the line before and its kind: equal lines are of one kind
        run: tuple[str, int, int] | None = None  # kind, start, line of the plain lines in hand
        while position < size:
            end = find("\n", position) + 1
            if not startswith(last, position):
                kind = self._kind(position, end)
                last = text[position:end]
            if kind == "":
                self._block.blank += 1
                after_blank = True
                position, line = end, line + 1
                continue
            if kind in _PLAIN:
                name = "PARAGRAPH" if after_blank and kind == "TEXT" else kind
                if run is not None and (name != run[0] and not (run[0] == "PARAGRAPH" and name == "TEXT")):
                    yield from self._plain(run, position, line)
                    run = None
                if run is None:
                    run = (name, position, line)
                after_blank = False
                position, line = end, line + 1
                continue
            if run is not None:
                yield from self._plain(run, position, line)
                run = None
            final, end, count = self._extend(kind, position, end, line)
            after_blank = False
            if final in _QUOTING:
                self._quoted = True
            elif final != "FRAMES":
                self._quoted = False
            if self._open or final in _OPENING:
                yield from self._fenced(final, position, end, line, count)
            else:
                yield (self._kinds[final], position, end, line, count)
            position, line = end, line + count
        if run is not None:
            yield from self._plain(run, position, line)
        self._open = False

    def _kind(self, position: int, end: int) -> str:
        """Return the kind of one line, ``""`` for a blank one."""
        text = self._text
        if end - position > _LONG_LINE:
            return kind_of(text[position : position + _LONG_LINE - 1] + "\n")
        first = text[position]
        if first in " \t\n\r\x0b\x0c":
            return self._kind_of_indented(position, end)
        line = text[position:end]
        if (first in HEADER_FIRST or may_have_header(line)) and header().match(line) and read_header(line[:-1]):
            return "RECORD"
        if HEAD_TEXT in line and line.find(HEAD_TEXT) < _HEAD_WITHIN:
            return "RELAY" if line.startswith("Original") else "HEAD"
        kind = ""
        match = name().match(line)
        if match is not None and line[match.end()] in _AFTER_NAME:
            match = word().match(line)
            if match is not None:
                kind = word_kind(match.group(1), message=line[match.end(1)] == ":")
                if kind not in {"", "NAMED"}:
                    return kind
        return self._by_pattern(line, first) or kind or ("ANNOUNCE" if line.rstrip().endswith(":") else "TEXT")

    def _kind_of_indented(self, position: int, end: int) -> str:
        text = self._text
        pattern, kinds = indented()
        match = pattern.match(text, position, end)
        if match is not None and match.lastindex is not None:
            return kinds[match.lastindex]
        line = text[position:end]
        solid = line.lstrip()
        if not solid:
            return ""
        margin = len(line) - len(solid)
        if HEAD_TEXT in solid and margin <= _HEAD_INDENT and solid.find(HEAD_TEXT) < 30:
            return "HEAD"
        return (self._by_shape(solid) if margin <= _RARE_INDENT else "") or "INDENTED"

    def _by_pattern(self, line: str, first: str) -> str:
        """Return the kind of a line at the margin that no header and no name begins."""
        alternation = literal(first)
        if alternation is not None:
            match = alternation[0].match(line)
            if match is not None and match.lastindex is not None:
                return alternation[1][match.lastindex]
        return self._by_shape(line)

    def _by_shape(self, line: str) -> str:
        """Return the kind of a line that only its shape tells, else nothing."""
        pattern, kinds = shaped()
        match = pattern.match(line)
        if match is not None and match.lastindex is not None:
            return kinds[match.lastindex]
        return gated_kind(line)

    def _plain(self, run: tuple[str, int, int], end: int, line: int) -> Iterator[Token]:
        """Yield the token of a run of plain lines."""
        name, start, first = run
        count = line - first
        if name == "TEXT" and count > _SHORT_RUN:
            name = "PROSE"
        yield from self._fenced(name, start, end, first, count)

    def _fenced(self, kind: str, start: int, end: int, line: int, count: int) -> Iterator[Token]:
        """Yield the token, and before it the end of a traceback that does not go on."""
        if self._open:
            if kind == "PARAGRAPH" and self._pytest:
                kind = "TEXT"
            if kind in _FOREIGN:
                kind = self._foreign(kind, start, end)
                if not self._open and kind != "NAMED":
                    yield (self._kinds["CUT"], start, start, line, 0)
            elif kind not in _OPENING:
                self._open = False
        if kind in _OPENING and not (kind == "FRAMES" and self._quoted):
            self._open = True
            self._pytest = kind in _BY_PYTEST
        yield (self._kinds[kind], start, end, line, count)

    def _foreign(self, kind: str, start: int, end: int) -> str:
        """Return the kind of lines in an open traceback, which they close if it does not go on below."""
        found = _resumes().search(self._text, end, end + _RESUMES_WITHIN)
        if found is None or found.lastgroup == "anew":
            self._open = False
            return kind
        if kind == "INDENTED" and self._text.startswith("    ", start):
            return "FRAME_SOURCE"
        return "TEXT" if kind in {"NAMED", "ANNOUNCE", "HINT", "SECTION"} else kind

    def _extend(self, kind: str, start: int, end: int, line: int) -> tuple[str, int, int]:
        """Return the final kind, the end and the number of lines of what begins at ``start``."""
        if kind == "FRAMES":
            return self._frames(start, end, line)
        if kind == "RECORD":
            return self._record(start, end)
        if kind == "HEAD":
            return self._head(start, end, line)
        if kind == "EXCEPTION":
            message = self._text[max(start, end - 400) : end].rstrip()
            if message.endswith(":") or ("Error building extension" in message and ": [" in message):
                kind = "EXCEPTION_OPEN"
            return kind, end, 1
        if kind == "EXIT" and _table_row().match(self._text, start, end):
            return self._run(kind, _table_row().match, end)
        runs = {
            "NOTEBOOK_FRAME": _notebook_source,
            "RICH_FRAME": _rich_source,
            "PYTEST_FRAME": _pytest_source,
            "DUMP_FRAMES": _dump_frame,
            "DIAGNOSTIC_SOURCE": _gutter,
            "DIAGNOSTIC_LEAD": _lead,
        }
        if kind in runs:
            return self._run(kind, runs[kind]().match, end)
        return kind, end, 1

    def _run(self, kind: str, match: object, end: int) -> tuple[str, int, int]:
        count = 1
        found = match(self._text, end)  # type: ignore[operator]
        while found:
            end = found.end()
            count += 1
            found = match(self._text, end)  # type: ignore[operator]
        return kind, end, count

    def _frames(self, start: int, end: int, line: int) -> tuple[str, int, int]:
        text = self._text
        indent = end - start - len(text[start:end].lstrip(" \t"))
        if indent > 3 and self._block.depth < MAX_DEPTH:
            return self._nested(start, line, indent - 2)
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
        """Step over the source line of a frame whose indentation was lost."""
        for _ in range(2):
            end = self._text.find("\n", position) + 1
            if end and self._kind(position, end) in {"TEXT", "ANNOUNCE", "PYTEST_CODE"}:
                position = end
        return position

    def _head(self, start: int, end: int, line: int) -> tuple[str, int, int]:
        text = self._text
        indent = end - start - len(text[start:end].lstrip(" \t"))
        if indent and self._block.depth < MAX_DEPTH:
            return self._nested(start, line, indent)
        return "HEAD", end, 1

    def _nested(self, start: int, _line: int, margin: int) -> tuple[str, int, int]:
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

    def _record(self, start: int, end: int) -> tuple[str, int, int]:
        """Take all lines that carry the header of the line at ``start``."""
        text, find = self._text, self._text.find
        header = read_header(text[start : end - 1])
        if header is None:
            return "TEXT", end, 1
        record, offset = header
        if record.location and text.startswith(record.location + ":", start):
            return self._warning(end)
        prefix = text[start : start + offset]
        bare = prefix.rstrip() + "\n"
        group = _Group(text[start + offset : end])
        first, count = end, 1
        while end < self._block.size:
            following = find("\n", end) + 1
            if text.startswith(prefix, end):
                if record.time is None and not group.goes_on(text[end + offset : following]):
                    break
            elif not text.startswith(bare, end):
                later = self._same_record(header, end, following)
                if later is None or not group.goes_on(text[end + later : following]):
                    break
                prefix = text[end : end + later]
                bare = prefix.rstrip() + "\n"
            group.take(text[end + offset : following])
            end, count = following, count + 1
        if count > 1 or _repeats(text[start:first]):
            return "RECORD", end, count
        return ("CARRIER" if _carries(text[start : first - 1], record.level.value) else "FIRST_RECORD"), end, 1

    def _same_record(self, header: tuple[RecordHeader, int], start: int, end: int) -> int | None:
        """Return where the message starts in a line of the same emitter at another time, else ``None``."""
        text = self._text
        if text[start] in " \t\n":
            return None
        other = read_header(text[start : end - 1])
        if other is None or other[1] != header[1]:
            return None
        mine, its = header[0], other[0]
        if (mine.level, mine.location, mine.compile_id) != (its.level, its.location, its.compile_id):
            return None
        return other[1]

    def _warning(self, end: int) -> tuple[str, int, int]:
        """Take the source line that CPython prints below a warning."""
        text = self._text
        if text.startswith("  ", end) and not text.startswith('  File "', end):
            return "WARNING", text.find("\n", end) + 1, 2
        return "WARNING", end, 1


def kind_of(line: str) -> str:
    """Return the kind of a line that ends in a newline, looked at alone; ``""`` if it is blank."""
    return Classifier(Block(text=line, first_lines=(0,), last_lines=(0,)), {})._kind(0, len(line))  # noqa: SLF001


class _Group:
    """The message of a record as far as it has been seen: does the next line belong to it?"""

    __slots__ = ("_open",)

    def __init__(self, line: str) -> None:
        self._open = False
        self.take(line)

    def take(self, line: str) -> None:
        """Take one more line of the message."""
        if HEAD_TEXT in line or line.lstrip(" ").startswith('File "'):
            self._open = True
        elif line[:1] not in " \t\n" and not line.startswith(HEAD_TEXT):
            self._open = False

    def goes_on(self, line: str) -> bool:
        """Tell whether a line goes on with this message though it could be one of its own."""
        return self._open or line[:1] in " \t\n" or line.startswith((HEAD_TEXT, *_LINKS))


_LINKS = ("The above exception was", "During handling of the above")


def _repeats(line: str) -> bool:
    """Tell whether torch's own logging printed a line: it repeats its header on every line."""
    return line[:1] in "VDIWECF" and line[1:5].isdigit() and "]" in line


def _carries(line: str, level: str) -> bool:
    """Tell whether a traceback below this record was printed by it."""
    return level in {"error", "critical"} or bool(_announcing().search(line))


@cache
def _rich_source() -> re.Pattern[str]:
    """The numbered lines below a frame of rich, with or without its own gutter."""
    return re.compile(r"[ \t]*(?:\u2771 ?)? *\d+(?:[ \t]+\u2502?[^\n]*)?\n")


@cache
def _pytest_source() -> re.Pattern[str]:
    return re.compile(r"[ \t]{2,}(?!File \")[^\n]*\S[^\n]*\n")


@cache
def _table_row() -> re.Pattern[str]:
    """A line of torchelastic's summary of failures."""
    return re.compile(
        r"(?:[ \t]+(?:time|host|rank|exitcode|error_file|traceback|msg) {0,8}:[^\n]*|\[\d+\]:[ \t]*|[-=]{10,}"
        r"|Root Cause \(first observed failure\):|(?:Other )?Failures:|[ \t]+<NO_OTHER_FAILURES>)\n"
    )


@cache
def _gutter() -> re.Pattern[str]:
    return re.compile(r"[ \t]{0,8}\d* \|(?:[ \t][^\n]*)?\n")


@cache
def _lead() -> re.Pattern[str]:
    return re.compile(r"[ \t]{4,24}from [^\n]+:\d+(?::\d+)?[,:][^\n]*\n")
