"""What all transformers share: the block being read and the events found so far."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tracelens.alike import Repeat
from tracelens.events import Event, LogRecord, RecordHeader, Text
from tracelens.findings import Diagnostic
from tracelens.parsing.blocks import Block
from tracelens.parsing.exceptions import capped
from tracelens.parsing.machine import Node, Token
from tracelens.parsing.repeats import ProcessMemory
from tracelens.parsing.tables import Tables
from tracelens.text import Process, Span
from tracelens.typed import TypeAlias

Lines: TypeAlias = "list[tuple[str, Span]]"


class Notes:
    """What the reading of a strand tells besides its events.

    That are our remarks, what was only counted, how many events were not kept;
    ``memory`` is what its process has said so far.
    """

    __slots__ = ("dropped", "memory", "remarks", "repeats")

    def __init__(self, memory: ProcessMemory) -> None:
        """Begin with nothing to tell."""
        self.memory = memory
        self.remarks: list[Diagnostic] = []
        self.repeats: list[Repeat] = []
        self.dropped = 0


class Reading:
    """One block on its way from items to events."""

    __slots__ = ("block", "events", "names", "notes", "process", "record", "tables", "text", "unparsed")

    def __init__(self, block: Block, tables: Tables, record: RecordHeader | None, notes: Notes) -> None:
        """Take the block; ``record`` is the header whose message it is, ``notes`` where to tell more than events."""
        self.block = block
        self.tables = tables
        self.names = tables.terminals
        self.text = block.text
        self.process: Process | None = block.process
        self.record = record
        self.notes = notes
        self.events: list[Event] = []
        self.unparsed = 0

    def kind(self, token: Token) -> str:
        """Return the name of a token's kind."""
        return self.names[token[0]]

    def span(self, first: Token, last: Token | None = None) -> Span:
        """Return the input lines from one token to another."""
        end = last or first
        return self.block.span(first[3], end[3] + end[4] - first[3])

    def source(self, token: Token) -> str:
        """Return the text of a token without its last newline."""
        return self.text[token[1] : max(token[1], token[2] - 1)]

    def lines(self, tokens: Iterable[Token]) -> Lines:
        """Return the lines of tokens, each with its span."""
        found: Lines = []
        for token in tokens:
            for index, text in enumerate(self.source(token).split("\n")):
                found.append((text, self.block.span(token[3] + index)))
        return found

    def keep(self, event: Event | None, tokens: Iterable[Token]) -> None:
        """Keep an event, or the lines as text where a reader has refused them."""
        if event is not None:
            self.events.append(event)
            return
        for token in tokens:
            self.plain(token)

    def plain(self, token: Token, *, known: bool = False) -> None:
        """Keep the lines of a token as text: of the record around it, else of nobody."""
        line = token[3]
        solid = [
            (row, text) for row, text in enumerate(self.source(token).split("\n"), line) if text and not text.isspace()
        ]
        if not known:
            self.unparsed += len(solid)
        if self.record is not None:
            self._recorded(token)
            return
        span, process = self.block.span, self.process
        self.events += [Text(span=span(row), process=process, message=capped(text)) for row, text in solid]

    def _recorded(self, token: Token) -> None:
        """Add lines to the text of the record, which is one event as far as it is together."""
        span, message = self.span(token), self.source(token)
        last = self.events[-1] if self.events else None
        if isinstance(last, LogRecord) and last.record == self.record and span.line <= last.span.end_line + 2:
            self.events[-1] = LogRecord(
                span=Span(line=last.span.line, end_line=span.end_line),
                process=self.process,
                record=self.record,
                message=capped(f"{last.message}\n{message}"),
            )
            return
        self.events.append(LogRecord(span=span, process=self.process, record=self.record, message=capped(message)))


def tokens_of(node: Token | Node, *, without: str = "") -> Iterator[Token]:
    """Yield the tokens of a tree in order, but those of nodes of a name; without recursion: trees can be deep."""
    stack: list[Token | Node] = [node]
    while stack:
        top = stack.pop()
        if isinstance(top, Node):
            if top.name == without:
                continue
            stack.extend(reversed(top.parts))
        else:
            yield top


def head_of(parts: list[Token | Node]) -> Token:
    """Return the first token of the children of a rule."""
    return next(tokens_of(parts[0]))
