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

from tracelens.expressions import expression
from tracelens.parsing.blocks import Block
from tracelens.parsing.diagnostic_runs import DiagnosticRuns
from tracelens.parsing.floods import FLOODS, SUSPICIOUS, find_flood
from tracelens.parsing.line_kinds import QUALIFIED_NAME, kind_of
from tracelens.parsing.machine import Token
from tracelens.parsing.reach import Reach
from tracelens.parsing.repeats import Flood, ProcessMemory
from tracelens.typed import TypeAlias, cache

#: Plain lines in one token that may still belong to what stands around them.
_SHORT_RUN = 8
#: How far a traceback is looked for below a foreign line: characters, not lines.
_RESUMES_WITHIN = 4000

_Kinds: TypeAlias = Mapping[str, int]

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
#: A message begins with these.
_RAISED = frozenset({"EXCEPTION", "EXCEPTION_OPEN", "NAMED", "OCCURRED", "THROWN"})
#: A message cannot go on behind these.
_FINAL = frozenset(
    {"HEAD", "LINK", "RELAY", "REMOTE", "RECORD", "FIRST_RECORD", "CARRIER", "WARNING", "SECTION", "NESTED"}
)
_COMPILED = frozenset({"DIAGNOSTIC", "DIAGNOSTIC_LEAD"})
_BY_PYTEST = frozenset({"PYTEST_FRAME", "PYTEST_CODE"})


@cache
def _resumes() -> re.Pattern[str]:
    """What shows that an open traceback goes on; a new one that begins before shows the contrary."""
    return expression(
        r"^(?:(?P<anew>[^\n]{0,200}Traceback \(most recent call last\))"
        rf'|[ \t]{{0,8}}File "[^"\n]*", line \d| {{4}}(?! *\d* \|)\S|{QUALIFIED_NAME}(?::|$)'
        r"|[^\s:]+\.\w+:\d+: (?:in |[A-Z]|$)|>  +\S)",
        re.MULTILINE,
    )


@cache
def _message_end() -> re.Pattern[str]:
    """What stands at the end of messages only; something new that begins before shows the contrary."""
    return expression(
        r"^(?:(?P<anew>[^\n]{0,200}Traceback \(most recent call last\)|[VDIWEC]\d{4} \d\d:|={5})"
        r"|The above exception was|During handling of the above|Set TORCH|You can suppress this|from user code:"
        r"|For C\+\+ stack trace|The error above occurred|At:$)",
        re.MULTILINE,
    )


class Classifier:
    """Turns one block into tokens."""

    def __init__(self, block: Block, kinds: _Kinds, memory: ProcessMemory | None = None) -> None:
        """Take the block, the number of each kind, and what its process has said before."""
        self._block = block
        self._kinds = kinds
        self._text = block.text
        self._reach = Reach(block)
        self._memory = memory or ProcessMemory()
        self._runs = DiagnosticRuns(block, self._memory.stretches)
        self._run: tuple[str, int, int] | None = None
        self._after_blank = False
        self._open = False
        self._resumes_at = -1
        self._message = False
        self._goes_on_at = -1
        self._pytest = False
        self._quoted = False
        self._leading = False
        #: The kind of the line above, if no traceback goes on from it, and how many of the kind came before that.
        self._before = ""
        self._in_a_row = 0

    def tokens(self) -> Iterator[Token]:
        """Yield the tokens of the block in order."""
        text, size = self._text, self._block.size
        find, startswith = text.find, text.startswith
        position = line = 0
        last, kind = "\n", ""  # the line before and its kind: equal lines are of one kind
        while position < size:
            end = find("\n", position) + 1
            if not startswith(last, position):
                last = text[position:end]
                kind = kind_of(last)
            if kind in _PLAIN:
                yield from self._gather(kind, position, line)
                position, line = end, line + 1
                self._before = ""
                continue
            if self._run is not None:
                yield from self._gathered(self._run, position, line)
            self._after_blank = False
            if self._open:
                self._before = ""
                run = None
            else:
                run = self._run_of(kind, position, line)
            if run is not None:
                yield run
                self._remember(kind)
                position, line = run[2], line + run[4]
                continue
            final, end, count = self._reach.follow(kind, position, end, inside=self._open)
            if final == "FRAMES" and (self._quoted or self._goes_on(end)):
                final = "QUOTED_FRAMES"
            if self._open or final in _OPENING:
                yield from self._fenced(final, position, end, line, count)
            else:
                yield (self._kinds[final], position, end, line, count)
            self._remember(final)
            self._leading = final == "DIAGNOSTIC_LEAD"
            position, line = end, line + count
        if self._run is not None:
            yield from self._gathered(self._run, position, line)

    def _run_of(self, kind: str, start: int, line: int) -> Token | None:
        """Return the token of those lines that are one with many below them, if there are such."""
        self._in_a_row = self._in_a_row + 1 if kind == self._before else 0
        self._before = kind
        if kind in _COMPILED:
            leading, self._leading = self._leading, False
            # What leads to a message and was read as such is the beginning of that message.
            stretches = () if leading else self._runs.find(start)
            if not stretches:
                return None
            self._block.diagnostics[start] = stretches
            last, stretch = stretches[-1]
            count = sum(stretch.lines for _start, stretch in stretches)
            return self._kinds["DIAGNOSTICS"], start, last + len(stretch.text), line, count
        if kind not in FLOODS:
            return None
        # What a record says is short, or has a shape of its own.
        if self._in_a_row < SUSPICIOUS or self._block.record is not None:
            return None
        self._in_a_row = 0
        end, count = find_flood(self._block, kind, start, self._memory.floods.setdefault(kind, Flood()))
        self._block.floods[start] = kind
        return (self._kinds[FLOODS[kind]], start, end, line, count) if count else None

    def _remember(self, kind: str) -> None:
        """Keep what a token means for those that follow."""
        if kind != "QUOTED_FRAMES":
            self._quoted = kind in _QUOTING
        if kind == "EXCEPTION_OPEN":
            self._before = ""
        if kind in _RAISED:
            self._message = True
        elif kind in _FINAL or self._open:
            self._message = False

    def _gather(self, kind: str, position: int, line: int) -> Iterable[Token]:
        """Take one more plain line in hand; return the token of those that it does not go on with."""
        if kind == "":
            self._after_blank = True
            return ()
        name = "PARAGRAPH" if self._after_blank and kind == "TEXT" else kind
        self._after_blank = False
        done: Iterable[Token] = ()
        if self._run is not None:
            if name == self._run[0] or (name == "TEXT" and self._run[0] == "PARAGRAPH"):
                return ()
            done = self._gathered(self._run, position, line)
        self._run = (name, position, line)
        return done

    def _gathered(self, run: tuple[str, int, int], end: int, line: int) -> Iterable[Token]:
        """Return the token of the plain lines in hand, which end here."""
        name, start, first = run
        self._run = None
        if name == "TEXT" and line - first > _SHORT_RUN:
            name = "PROSE"
        if name in {"PARAGRAPH", "PROSE"} and self._message:
            if self._goes_on(end):
                name = "TEXT"
            else:
                self._message = False
        return tuple(self._fenced(name, start, end, first, line - first))

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
        if kind in _OPENING:
            self._open = True
            self._pytest = kind in _BY_PYTEST
        yield (self._kinds[kind], start, end, line, count)

    def _goes_on(self, end: int) -> bool:
        """Tell whether the message of an exception goes on below, so that all above is part of it."""
        if not self._message:
            return False
        if self._goes_on_at < end:
            found = _message_end().search(self._text, end, end + _RESUMES_WITHIN)
            if found is None or found.lastgroup == "anew":
                return False
            self._goes_on_at = found.start()
        return True

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
