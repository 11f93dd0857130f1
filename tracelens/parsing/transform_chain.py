"""Tracebacks: from the tree of a chain to one ``ExceptionChain``.

Whatever stood between the lines of a traceback without being part of it comes
out as events of its own, and so does what a message quotes from a compiler.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from tracelens.events import ChainedException, Elision, ExceptionChain, RecordHeader, Relation, StackFrame, Text
from tracelens.expressions import expression
from tracelens.findings import Diagnostic
from tracelens.parsing import transform_build
from tracelens.parsing.blocks import Block
from tracelens.parsing.exceptions import (
    capped,
    cut_thrown,
    kept,
    owner_of,
    read_called_at,
    read_frames,
    split_exception,
    unwrap,
)
from tracelens.parsing.machine import Node, Token
from tracelens.parsing.reading import Reading, head_of, tokens_of
from tracelens.text import Span
from tracelens.typed import cache

#: Exceptions kept at either end of a chain.
KEPT_LINKS = 500
#: Tracebacks read inside the messages of others.
_MAX_RELAYED = 20

_Frames = tuple[StackFrame | Elision, ...]


class _Failure:
    """One exception as far as its lines have been seen."""

    __slots__ = ("frames", "headed", "message", "row", "seen", "span", "told_first", "type_name")

    def __init__(self) -> None:
        self.type_name = ""
        self.message = ""
        self.span: Span | None = None
        #: The 0-based line of the block on which the exception begins.
        self.row = 0
        self.frames: _Frames = ()
        self.headed = False
        self.seen = False
        self.told_first = False


Emit = Callable[[Token | Node], None]


class ChainTransformer:
    """Reads one chain."""

    def __init__(self, reading: Reading, emit: Emit) -> None:
        """Take where events go; ``emit`` reads an item that stood between the lines."""
        self._reading = reading
        self._emit = emit
        self._depth = 0

    def read(self, chain: Node, record: RecordHeader | None, *, headed: bool) -> ExceptionChain | None:
        """Return the chain; ``None`` if it is but the stack of a log record.

        ``headed`` tells that the first line of the traceback stands elsewhere.
        """
        ordered = self._ordered(chain.parts)
        first, last = ordered[0][0], ordered[-1][0]
        first.headed = first.headed or headed
        if len(ordered) == 1 and not last.seen and not last.headed and record is not None:
            return None
        tokens = list(tokens_of(chain))
        exceptions = _chained(ordered, self._reading.span(tokens[0], tokens[-1]), self._reading.block)
        if len(exceptions) > 2 * KEPT_LINKS:
            self._shorten_remark(len(exceptions), tokens[0])
            exceptions = exceptions[:KEPT_LINKS] + exceptions[-KEPT_LINKS:]
        return ExceptionChain(
            span=self._reading.span(tokens[0], _last_solid(tokens)),
            process=self._reading.process,
            record=record,
            exceptions=exceptions,
            headless=not first.headed and not (first.seen and not first.frames and len(ordered) > 1),
            unfinished=not last.seen,
        )

    def _shorten_remark(self, count: int, first: Token) -> None:
        message = f"of {count} chained exceptions, the {KEPT_LINKS} innermost and the {KEPT_LINKS} outermost were kept"
        line = self._reading.span(first).line
        self._reading.notes.remarks.append(Diagnostic(code="chain-shortened", message=message, line=line))

    def _ordered(self, children: list[Token | Node]) -> list[tuple[_Failure, Relation]]:
        """Return the failures oldest first, each with its relation to the next one."""
        reading = self._reading
        ordered: list[tuple[_Failure, Relation]] = []
        relation = Relation.CONTEXT
        relayed = False
        for child in children:
            if not isinstance(child, Node):
                kind = reading.kind(child)
                if kind == "LINK":
                    direct = "direct cause" in reading.source(child)
                    relation = Relation.CAUSE if direct else Relation.CONTEXT
                    ordered[-1] = (ordered[-1][0], relation)
                elif kind == "RELAY":
                    relayed = True
                continue
            group = self._failure(child)
            if relayed:
                outer = ordered.pop()
                group[0][0].headed = True
                ordered += [*group[:-1], (group[-1][0], Relation.REMOTE), outer]
            else:
                ordered += group
            relayed = False
        return _told_first(ordered)

    def _failure(self, node: Node) -> list[tuple[_Failure, Relation]]:
        """Read one failure: itself last, before it what its message relays."""
        failure = _Failure()
        before: list[tuple[_Failure, Relation]] = []
        for child in node.parts:
            if not isinstance(child, Node):
                if self._reading.kind(child) == "PYTEST_PLACE":
                    self._place(failure, child)
                continue
            name, parts = child
            if name == "stack":
                self._stack(failure, parts)
            elif name in {"raised", "named"}:
                self._raised(failure, parts, before)
            elif name == "occurred":
                self._occurred(failure, parts)
            else:
                return self._remote(parts)
        return [*before, (failure, Relation.CONTEXT)]

    def _remote(self, parts: list[Token | Node]) -> list[tuple[_Failure, Relation]]:
        inner: list[tuple[_Failure, Relation]] = []
        if self._depth < _MAX_RELAYED:
            self._depth += 1
            inner = self._ordered(parts[1:])
            self._depth -= 1
        if inner:
            return [*inner[:-1], (inner[-1][0], Relation.REMOTE)]
        failure = _Failure()
        self._named(failure, [head_of(parts)])
        return [(failure, Relation.REMOTE)]

    def _stack(self, failure: _Failure, parts: list[Token | Node]) -> None:
        reading = self._reading
        frames: list[StackFrame | Elision] = list(failure.frames)
        readers: dict[str, Callable[[str], tuple[StackFrame, ...]]] = {
            "RICH_FRAME": _rich_frames,
            "NOTEBOOK_FRAME": _notebook_frames,
            "PYTEST_FRAME": _pytest_frames,
        }
        for part in parts:
            if isinstance(part, Node):
                for inner in part.parts:
                    self._emit(inner)
                continue
            kind = reading.kind(part)
            if kind in {"HEAD", "PYTEST_CODE", "PYTEST_FRAME"}:
                failure.headed = True
            if kind == "FRAMES":
                frames += read_frames(reading.text, part[1], part[2])
            elif kind in readers:
                frames += readers[kind](reading.source(part))
            elif kind == "TEXT" or (kind == "INDENTED" and not frames):
                reading.plain(part)
        failure.frames = kept(tuple(frames))

    def _place(self, failure: _Failure, token: Token) -> None:
        path, line = _pytest_place(self._reading.source(token))
        if path:
            frame = StackFrame(path=path, line=line, function=None, owner=owner_of(path))
            failure.frames = kept((*failure.frames, frame))

    def _raised(self, failure: _Failure, parts: list[Token | Node], before: list[tuple[_Failure, Relation]]) -> None:
        """Read the exception line and its message; failures inside stand before it."""
        tokens: list[Token] = []
        reading = self._reading
        head = head_of(parts)
        quoting = reading.kind(head) == "EXCEPTION_OPEN"
        for part in parts:
            relayed = isinstance(part, Node) and part.name == "failure" and self._depth < _MAX_RELAYED
            if isinstance(part, Node) and relayed and not (quoting and _is_bare(part)):
                self._depth += 1
                inner = self._failure(part)
                self._depth -= 1
                inner[0][0].headed = inner[0][0].headed or not quoting
                before += [*inner[:-1], (inner[-1][0], Relation.REMOTE)]
            else:
                tokens += tokens_of(part)
        if reading.kind(tokens[-1]) == "PYTEST_PLACE":
            self._place(failure, tokens.pop())
        if reading.kind(tokens[-1]) == "CALLED_AT":
            failure.frames = kept((*failure.frames, *read_called_at(reading.source(tokens.pop()))))
        self._named(failure, tokens)

    def _occurred(self, failure: _Failure, parts: list[Token | Node]) -> None:
        tokens = [part for part in parts if not isinstance(part, Node)]
        for part in parts:
            if isinstance(part, Node):
                name, inner = part
                if name == "stack":
                    self._stack(failure, inner)
                elif name != "raised":
                    tokens += tokens_of(part)
        self._named(failure, sorted(tokens, key=lambda token: token[1]))
        failure.headed = failure.told_first = True

    def _named(self, failure: _Failure, tokens: list[Token]) -> None:
        """Take type and message from the exception line and all that goes on with it."""
        reading = self._reading
        head, last = tokens[0], _last_solid(tokens)
        text = reading.text[head[1] : last[2]]
        if reading.kind(head) == "THROWN":
            words, text = cut_thrown(text)
            reading.events.append(Text(span=reading.span(head), process=reading.process, message=words))
        if text.startswith("Exception has occurred: "):
            text = text[len("Exception has occurred: ") :]
            first, _, rest = text.partition("\n")
            failure.type_name, _, note = first.partition(" ")
            told = rest if note.lstrip().startswith("(note") else f"{note}\n{rest}"
            failure.message = capped(told.strip())
        else:
            failure.type_name, failure.message = split_exception(text)
        failure.span = reading.span(head, last)
        failure.row = head[3]
        failure.seen = True
        transform_build.read_reported(reading, tokens)


def _told_first(ordered: list[tuple[_Failure, Relation]]) -> list[tuple[_Failure, Relation]]:
    """Give the stacks below an exception that was told first (VS Code) to that exception."""
    first = ordered[0][0] if ordered else None
    if first is None or not first.told_first:
        return ordered
    named = [(failure, relation) for failure, relation in ordered[1:] if failure.seen]
    for failure, _relation in ordered[1:]:
        if not failure.seen:
            first.frames = kept((*first.frames, *failure.frames))
    return [*named, (first, Relation.CONTEXT)]


def _is_bare(failure: Node) -> bool:
    """Tell whether a failure is nothing but an exception line and its message."""
    first = failure.parts[0]
    return isinstance(first, Node) and first.name == "raised"


def _last_solid(tokens: list[Token]) -> Token:
    """Return the last token that has lines."""
    return next((token for token in reversed(tokens) if token[4]), tokens[-1])


def _chained(ordered: list[tuple[_Failure, Relation]], whole: Span, block: Block) -> tuple[ChainedException, ...]:
    """Make the exceptions, each after those that its message quotes."""
    chained: list[ChainedException] = []
    for position, (failure, relation) in enumerate(ordered):
        newest = position == len(ordered) - 1
        span = failure.span or whole
        layers = [(failure.type_name, failure.message, span)]
        for quoted in unwrap(failure.type_name, failure.message) if failure.seen else ():
            # Not the line that is so many further down: one of the input may hold several.
            line = min(block.first_lines[min(failure.row + quoted.line, len(block.first_lines) - 1)], span.end_line)
            layers.append((quoted.type_name, quoted.message, Span(line=line, end_line=span.end_line)))
        while len(layers) > 1 and chained and _same(chained[-1], layers[-1]):
            layers.pop()
        for depth, (type_name, message, place) in reversed(list(enumerate(layers))):
            outermost = depth == 0
            chained.append(
                ChainedException(
                    type_name=type_name,
                    message=message,
                    span=place,
                    frames=failure.frames,
                    relation=(None if newest else relation) if outermost else Relation.EMBEDDED,
                )
            )
    return tuple(chained)


def _same(before: ChainedException, layer: tuple[str, str, Span]) -> bool:
    """Tell whether a quoted exception is the one that the chain already holds."""
    return (
        before.type_name.rpartition(".")[2] == layer[0].rpartition(".")[2]
        and before.message.partition("\n")[0] == layer[1].partition("\n")[0]
    )


@cache
def _notebook_line() -> re.Pattern[str]:
    return expression(
        r"(?:(?P<cell>(?:Cell|Input) In ?\[\d+\])(?:, line (?P<cell_line>\d+)|, in (?P<cell_function>[^\n]*))"
        r"|File (?P<path>[^\n]+?):(?P<line>\d+)(?:, in (?P<function>[^\n]*))?"
        r"|(?P<old_path>\S+) in (?P<old_function>[^\n]*))"
    )


@cache
def _arrow() -> re.Pattern[str]:
    return expression(r"^[ \t]*-+> *(\d+)(?:[ \t]([^\n]*))?$", re.MULTILINE)


def _notebook_frames(text: str) -> tuple[StackFrame, ...]:
    """Read one frame of IPython: its place, and the line that the arrow points at."""
    match = _notebook_line().match(text)
    if match is None:
        return ()
    fields = match.groupdict()
    arrow = _arrow().search(text)
    line = fields["cell_line"] or fields["line"] or (arrow.group(1) if arrow else None)
    path = fields["cell"] or fields["path"] or fields["old_path"] or ""
    function = fields["function"] or fields["old_function"] or fields["cell_function"]
    return (
        StackFrame(
            path=path,
            line=int(line[:18]) if line else None,
            function=function.partition("(")[0] if function else None,
            source=(arrow.group(2) or "").strip()[:1000] or None if arrow else None,
            owner=owner_of(path),
        ),
    )


@cache
def _rich_line() -> re.Pattern[str]:
    return expression(r"(\S+?):(\d{1,18}) in (\S+)")


@cache
def _rich_arrow() -> re.Pattern[str]:
    return expression(r"^[ \t]*\u2771 *\d+[ \t]+\u2502?([^\n]*)$", re.MULTILINE)


def _rich_frames(text: str) -> tuple[StackFrame, ...]:
    """Read one frame of rich: its place, and the line that it points at."""
    match = _rich_line().match(text)
    if match is None:
        return ()
    path, line, function = match.groups()
    arrow = _rich_arrow().search(text)
    source = arrow.group(1).strip(" \u2502")[:1000] if arrow else None
    return (StackFrame(path=path, line=int(line), function=function, source=source or None, owner=owner_of(path)),)


@cache
def _pytest_line() -> re.Pattern[str]:
    return expression(r"((?:[A-Za-z]:\\)?[^\s:]+):(\d{1,18}): ?(?:in )?([^\n]*)")


def _pytest_frames(text: str) -> tuple[StackFrame, ...]:
    match = _pytest_line().match(text)
    if match is None:
        return ()
    path, line, function = match.groups()
    source = text[match.end() :].strip().partition("\n")[0].strip()
    return (
        StackFrame(
            path=path, line=int(line), function=function.strip() or None, source=source or None, owner=owner_of(path)
        ),
    )


def _pytest_place(text: str) -> tuple[str, int | None]:
    match = _pytest_line().match(text)
    return (match.group(1), int(match.group(2))) if match else ("", None)
