"""From text to tokens: each line gets its kind, and lines that are one get one token.

The kind comes from the line's own beginning (``line_kinds``). What the line
cannot say itself is settled here: how far a log record or a run of stack
frames reaches, whether a line follows a blank one, whether an open traceback
goes on below a foreign line. Nothing is copied, a token is five integers, and
each line is looked at a bounded number of times.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import TypeAlias

from tracelens.parsing.blocks import Block
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
from tracelens.parsing.reach import Reach

#: A longer line is classified by its beginning.
_LONG_LINE = 8192
#: Plain lines in one token that may still belong to what stands around them.
_SHORT_RUN = 8
#: How far a traceback is looked for below a foreign line: characters, not lines.
_RESUMES_WITHIN = 4000
#: How far into a line the first words of a traceback may stand, and how deep.
_HEAD_WITHIN = 200
_HEAD_INDENT = 60
#: Compiler messages and exits may be indented so far.
_RARE_INDENT = 24

_Kinds: TypeAlias = Mapping[str, int]

#: What may follow a name that a message follows, or that stands alone.
_AFTER_NAME = frozenset(":\n(< \t\r")
#: Kinds of which a run of lines is one token; ``""`` is a blank line.
_PLAIN = frozenset({"TEXT", "INDENTED", ""})
#: Kinds that can stand between the lines of a traceback without being part of it.
_FOREIGN = frozenset(
    {"TEXT", "INDENTED", "RECORD", "FIRST_RECORD", "WARNING", "DIAGNOSTIC", "DIAGNOSTIC_LEAD", "DIAGNOSTIC_END", "EXIT",
     "FACT", "INVOCATION", "NINJA_STEP", "NINJA_FAILED", "NINJA_STOPPED", "CXX_FRAME", "RULE", "NAMED", "ANNOUNCE",
     "HINT", "SECTION"}
)  # fmt: skip
_OPENING = frozenset({"HEAD", "FRAMES", "NOTEBOOK_FRAME", "RICH_FRAME", "PYTEST_FRAME", "PYTEST_CODE"})
#: Stack frames below these lines are quoted: no exception line will follow.
_QUOTING = frozenset({"STACK_INTRO", "GRAPH_BREAK", "CUDAGRAPH"})
_BY_PYTEST = frozenset({"PYTEST_FRAME", "PYTEST_CODE"})


@cache
def _resumes() -> re.Pattern[str]:
    """What shows that an open traceback goes on; a new one that begins before shows the contrary."""
    return re.compile(
        r"^(?:(?P<anew>[^\n]{0,200}Traceback \(most recent call last\))"
        rf'|[ \t]{{0,8}}File "[^"\n]*", line \d| {{4}}(?! *\d* \|)\S|{QUALIFIED_NAME}(?::|$)'
        r"|[^\s:]+\.\w+:\d+: (?:in |[A-Z]|$)|>  +\S)",
        re.MULTILINE,
    )


class Classifier:
    """Turns one block into tokens."""

    def __init__(self, block: Block, kinds: _Kinds) -> None:
        """Take the block and the number of each kind."""
        self._block = block
        self._kinds = kinds
        self._text = block.text
        self._reach = Reach(block, self._kind)
        self._run: tuple[str, int, int] | None = None
        self._after_blank = False
        self._open = False
        self._resumes_at = -1
        self._pytest = False
        self._quoted = False

    def tokens(self) -> Iterator[Token]:
        """Yield the tokens of the block in order."""
        text, size = self._text, self._block.size
        find, startswith = text.find, text.startswith
        position = line = 0
        last, kind = "\n", ""  # the line before and its kind: equal lines are of one kind
        while position < size:
            end = find("\n", position) + 1
            if not startswith(last, position):
                kind = self._kind(position, end)
                last = text[position:end]
            if kind in _PLAIN:
                yield from self._gather(kind, position, line)
                position, line = end, line + 1
                continue
            if self._run is not None:
                yield from self._gathered(position, line)
            self._after_blank = False
            final, end, count = self._reach.follow(kind, position, end, inside=self._open)
            if final != "FRAMES":
                self._quoted = final in _QUOTING
            if self._open or final in _OPENING:
                yield from self._fenced(final, position, end, line, count)
            else:
                yield (self._kinds[final], position, end, line, count)
            position, line = end, line + count
        if self._run is not None:
            yield from self._gathered(position, line)

    def _gather(self, kind: str, position: int, line: int) -> Iterable[Token]:
        """Take one more plain line in hand; return the token of those that it does not go on with."""
        if kind == "":
            self._block.blank += 1
            self._after_blank = True
            return ()
        name = "PARAGRAPH" if self._after_blank and kind == "TEXT" else kind
        self._after_blank = False
        done: Iterable[Token] = ()
        if self._run is not None:
            if name == self._run[0] or (name == "TEXT" and self._run[0] == "PARAGRAPH"):
                return ()
            done = self._gathered(position, line)
        self._run = (name, position, line)
        return done

    def _gathered(self, end: int, line: int) -> Iterable[Token]:
        """Return the token of the plain lines in hand, which end here."""
        if self._run is None:
            return ()
        name, start, first = self._run
        self._run = None
        if name == "TEXT" and line - first > _SHORT_RUN:
            name = "PROSE"
        return tuple(self._fenced(name, start, end, first, line - first))

    def _kind(self, position: int, end: int) -> str:
        """Return the kind of one line, ``""`` for a blank one."""
        text = self._text
        if end - position > _LONG_LINE:
            return kind_of(text[position : position + _LONG_LINE - 1] + "\n")
        first = text[position]
        if first in " \t\n\r\x0b\x0c":
            return self._kind_of_indented(position, end)
        line = text[position:end]
        headed = (first in HEADER_FIRST or may_have_header(line)) and header().match(line)
        if headed and self._reach.header_at(position, end):
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
        if self._resumes_at < end:
            found = _resumes().search(self._text, end, end + _RESUMES_WITHIN)
            if found is None or found.lastgroup == "anew":
                self._open = False
                return kind
            self._resumes_at = found.start()
        if kind == "INDENTED" and self._text.startswith("    ", start):
            return "FRAME_SOURCE"
        return "TEXT" if kind in {"NAMED", "ANNOUNCE", "HINT", "SECTION"} else kind


def kind_of(line: str) -> str:
    """Return the kind of a line that ends in a newline, looked at alone; ``""`` if it is blank."""
    return Classifier(Block(text=line, first_lines=(0,), last_lines=(0,)), {})._kind(0, len(line))  # noqa: SLF001
