"""From items of the grammar to events; one function per rule of ``strand.lark``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType

from tracelens.alike import Repeat, shapes_of
from tracelens.events import EnvironmentReport, Event, Level, LogRecord, RecordHeader
from tracelens.expressions import expression
from tracelens.parsing import transform_build
from tracelens.parsing.blocks import MAX_DEPTH, Group, dedented
from tracelens.parsing.classify import Classifier
from tracelens.parsing.exceptions import capped
from tracelens.parsing.facts import read_facts
from tracelens.parsing.floods import texts_of
from tracelens.parsing.line_kinds import HEAD_TEXT, NO_HEADER, header_of, kind_of
from tracelens.parsing.machine import Node, Token, run
from tracelens.parsing.reach import is_warning
from tracelens.parsing.reading import Notes, Reading, tokens_of
from tracelens.parsing.repeats import Tallies
from tracelens.parsing.told_above import give_stacks
from tracelens.parsing.transform_chain import ChainTransformer
from tracelens.typed import ClassVar, cache


def _messages() -> ModuleType:
    """Import what reads the messages of torch's own layers: few small logs hold any."""
    from tracelens.parsing import transform_message

    return transform_message


class BlockTransformer:
    """Reads a block, and the blocks inside it, into events."""

    def __init__(self, reading: Reading) -> None:
        """Take the block as far as it was read."""
        self._reading = reading

    def read(self) -> tuple[list[Event], int]:
        """Return the events in order of position, and the number of lines not understood."""
        reading = self._reading
        classifier = Classifier(reading.block, reading.tables.numbers, reading.notes.memory)
        run(reading.tables, "payload" if reading.record else "strand", classifier.tokens(), self._item)
        reading.events.sort(key=lambda event: event.span.line)
        return give_stacks(reading.events), reading.unparsed

    def read_counted(self) -> int:
        """Read the latest of all that was only counted, and return how many more lines were not understood."""
        notes = self._reading.notes
        transform_build.count_stretches(notes.memory.stretches)
        not_understood = _read_latest(notes, notes.memory.diagnosed, transform_build.read_grouped)
        for flood in notes.memory.floods.values():
            not_understood += _read_latest(notes, flood.tallies, _read_alone)
        return not_understood

    def _item(self, item: Token | Node) -> None:
        if not isinstance(item, Node):
            self._interloper(item)
            return
        name, parts = item
        handler = self._HANDLERS.get(name)
        if name == "chain":
            self._chain(item, self._reading.record)
        elif name in {"carried", "continued"}:
            self._carried(parts)
        elif name in {"graph_break", "cudagraph", "autotune", "whole"}:
            self._whole(list(tokens_of(item)))
        elif handler is not None:
            handler(self, [part for part in parts if not isinstance(part, Node)])
        else:
            for token in tokens_of(item):
                self._reading.plain(token, known=self._reading.kind(token) not in _UNKNOWN)

    def _interloper(self, token: Token) -> None:
        kind = self._reading.kind(token)
        if kind.startswith("NINJA_"):
            transform_build.read_ninja(self._reading, token)
        elif kind == "INVOCATION":
            transform_build.read_command(self._reading, token)
        else:
            self._reading.plain(token, known=True)

    def _chain(self, node: Node, record: RecordHeader | None, *, headed: bool = False) -> None:
        chain = ChainTransformer(self._reading, self._item).read(node, record, headed=headed)
        if chain is not None:
            self._reading.events.append(chain)
        else:
            for token in tokens_of(node):
                self._reading.plain(token, known=True)
        # What stood between the frames was read with them.
        for token in tokens_of(node, without="interloper"):
            kind = self._reading.kind(token)
            if kind == "NESTED":
                self._nested(token)
            elif kind == "EXIT":
                self._exit([token])
            elif kind == "REPORTED_FLOOD":
                self._flood([token])

    def _carried(self, parts: Sequence[Token | Node]) -> None:
        """Read a record whose header stands on its first line only."""
        tokens = [part for part in parts if not isinstance(part, Node)]
        chains = [part for part in parts if isinstance(part, Node)]
        head, last = tokens[0], tokens[-1]
        header = header_of(self._reading.text[head[1] : head[2]])
        if header is None:
            self._ignored(head, chains)
            return
        text = self._reading.text[head[1] + header[1] : last[2]]
        if chains and HEAD_TEXT in text:
            text = text.partition(HEAD_TEXT)[0].rstrip() + "\n"
        if text.strip() or not chains:
            self._message(text, head[3], text.count("\n"), header[0])
        for chain in chains:
            self._chain(chain, header[0], headed=True)

    def _ignored(self, head: Token, chains: Sequence[Node]) -> None:
        """Read an exception that CPython could only report: it goes on, so this harms nothing."""
        self._reading.plain(head, known=True)
        for chain in chains:
            self._chain(chain, RecordHeader(level=Level.INFO, location="sys.unraisablehook"))

    def _record(self, token: Token) -> None:
        """Read a record that has its header on every line."""
        reading = self._reading
        lines = reading.source(token).split("\n")
        record, offset = header_of(lines[0] + "\n") or NO_HEADER
        prefix = lines[0][:offset]
        if len(lines) == 1:
            payload = lines[0][offset:] + "\n"
        else:
            payload = "".join(f"{line[offset:] if line.startswith(prefix) else _message_of(line)}\n" for line in lines)
        self._message(payload, token[3], token[4], record)

    def _message(self, text: str, line: int, count: int, record: RecordHeader) -> None:
        """Read the text of a record: lines ``line`` to ``line + count`` without their header."""
        reading = self._reading
        graph = count > 1 and record.artifact is not None and record.artifact in _messages().GRAPH_ARTIFACTS
        deep = reading.block.depth >= MAX_DEPTH
        if not graph and (deep or _is_chatter(record, text) or (count == 1 and _is_plain(text))):
            span, message = reading.block.span(line, count), capped(text.removesuffix("\n"))
            reading.events.append(LogRecord(span=span, process=reading.process, record=record, message=message))
            return
        block = reading.block.inner(text, line, count, record)
        if graph:
            inner = Reading(block, self._reading.tables, record, reading.notes)
            _messages().read_graph(inner, [(0, 0, block.size, 0, count)], record.artifact or "graph")
            reading.events += inner.events
            return
        events, _unparsed = BlockTransformer(Reading(block, reading.tables, record, reading.notes)).read()
        reading.events += events

    def _whole(self, tokens: list[Token]) -> None:
        readers = {
            "GRAPH_BREAK": _messages().read_graph_break,
            "CUDAGRAPH": _messages().read_cudagraph,
            "AUTOTUNE": _messages().read_autotune,
            "AUTOTUNE_ERROR": _messages().read_autotune,
        }
        readers[self._reading.kind(tokens[0])](self._reading, tokens)

    def _nested(self, token: Token) -> None:
        """Read lines that were indented as a whole, without their indentation."""
        reading = self._reading
        text = dedented(reading.source(token).split("\n"))
        block = reading.block.inner(text, token[3], token[4], reading.record)
        inner = Reading(block, reading.tables, reading.record, reading.notes)
        events, unparsed = BlockTransformer(inner).read()
        reading.events += events
        reading.unparsed += unparsed

    def _exit(self, tokens: Sequence[Token]) -> None:
        # Many a crash ends without a word of it.
        from tracelens.parsing.exits import read_exit

        reading = self._reading
        events = read_exit(reading.lines(tokens), reading.process, reading.record)
        reading.events += events
        if not events:
            for token in tokens:
                reading.plain(token)

    def _flood(self, tokens: Sequence[Token]) -> None:
        """Read lines that each say all by themselves, as far as they were not read often enough."""
        reading, (_terminal, position, end, line, _count) = self._reading, tokens[0]
        kind = reading.block.floods[position]
        tallies = reading.notes.memory.floods[kind].tallies
        known, first = tallies.texts.get, tallies.first
        terminal = reading.tables.numbers[kind]
        piece = reading.text[position : end - 1]
        for source, text, shape in zip(piece.split("\n"), texts_of(piece, kind), shapes_of(piece), strict=True):
            below = position + len(source) + 1
            tally = known(text) or first(text, shape)
            if tally.room:
                tally.room -= 1
                self.read_alone((terminal, position, below, line, 1))
            else:
                tally.times += 1
                tally.latest = reading, (terminal, position, below, line, 1), line
            position = below
            line += 1

    def read_alone(self, token: Token) -> None:
        """Read a line that says all by itself."""
        kind = self._reading.kind(token)
        if kind == "EXIT":
            self._exit([token])
        elif kind == "RECORD":
            line = self._reading.text[token[1] : token[2]]
            if is_warning((header_of(line) or NO_HEADER)[0], line):
                _messages().read_warning(self._reading, token)
            else:
                self._record(token)
        elif kind.startswith("NINJA_"):
            transform_build.read_ninja(self._reading, token)
        else:
            self._chain(Node("chain", [Node("failure", [Node("raised", [token])])]), None)

    def _facts(self, tokens: Sequence[Token]) -> None:
        """Read facts of the machine; the lines stay readable as text too."""
        reading = self._reading
        lines = reading.lines(tokens)
        facts = read_facts([text for text, _span in lines])
        for token in tokens:
            reading.plain(token, known=True)
        if facts:
            span = reading.span(tokens[0], tokens[-1])
            reading.events.append(
                EnvironmentReport(span=span, process=reading.process, record=reading.record, facts=facts)
            )

    def _summary(self, token: Token) -> None:
        """Read a line of pytest's short summary; it may be all that is left of a traceback."""
        self._reading.plain(token, known=True)

    #: Not of the instance, which would hold itself by them: its text is to go when it is read.
    _HANDLERS: ClassVar[Mapping[str, Callable[[BlockTransformer, Sequence[Token]], None]]] = {
        "record": lambda self, tokens: self._record(tokens[0]),
        "warning": lambda self, tokens: _messages().read_warning(self._reading, tokens[0]),
        "diagnostic": lambda self, tokens: transform_build.read_diagnostic_group(self._reading, tokens),
        "invocation": lambda self, tokens: transform_build.read_command(self._reading, tokens[0]),
        "ninja": lambda self, tokens: transform_build.read_ninja(self._reading, tokens[0]),
        "recompile": lambda self, tokens: _messages().read_recompiling(self._reading, tokens),
        "recompile_limit": lambda self, tokens: _messages().read_limit(self._reading, tokens),
        "cache_message": lambda self, tokens: _messages().read_cache_message(self._reading, tokens[0]),
        "graph": lambda self, tokens: _messages().read_graph(self._reading, tokens, "graph"),
        "artifact": lambda self, tokens: _messages().read_artifact(self._reading, tokens),
        "exit": _exit,
        "facts": _facts,
        "flood": _flood,
        "summary": lambda self, tokens: self._summary(tokens[0]),
        "nested": lambda self, tokens: self._nested(tokens[0]),
    }


def _read_latest(notes: Notes, tallies: Tallies, read: Callable[[Reading, Group, int], None]) -> int:
    """Read the latest of each text that was only counted, and note how many they are.

    Returns how many lines of all these were not understood.
    """
    not_understood = 0
    for tally in (*tallies.counted(), tallies.others):
        if tally.latest is None:
            continue
        reading = tally.latest[0]
        events, unparsed = len(reading.events), reading.unparsed
        read(*tally.latest)
        not_understood += (reading.unparsed - unparsed) * tally.times
        times = tally.times if tally is not tallies.others else 1
        notes.repeats += [Repeat(event, times) for event in reading.events[events:]]
        del reading.events[events:]
        notes.dropped += tally.times - times
        tally.times, tally.latest = 0, None
    return not_understood


def _read_alone(reading: Reading, token: Token, _line: int) -> None:
    BlockTransformer(reading).read_alone(token)


_UNKNOWN = frozenset({"TEXT", "PARAGRAPH", "PROSE", "INDENTED", "ANNOUNCE", "NAMED"})


def _is_chatter(record: RecordHeader, text: str) -> bool:
    """Tell whether a record below WARNING has nothing in it but text, or the stack that led to it."""
    if record.level not in _BELOW_WARNING:
        return False
    if any(map(text.__contains__, _TELLING)):
        return False
    stack = text.find(_STACK)
    return stack < 0 or _at_margin().search(text, stack) is None


@cache
def _at_margin() -> re.Pattern[str]:
    """What could name an exception below stack frames, or be the header of another record."""
    return expression(r"\n[A-Za-z_\[]")


_BELOW_WARNING = frozenset({Level.DEBUG, Level.INFO})
_STACK = 'File "'
#: Every message that is more than text, or a stack, holds one of these.
_TELLING = (
    "Traceback",
    "rror",
    "xception",
    "arning",
    "ecompil",
    "hit config",
    "raph break",
    "cudagraph",
    "CUDAGraph",
    "choice",
    "ache ",
    "GraphModule",
    "written to",
    "Writing ",
    "debug trace",
    "ninja",
    "FAILED",
    "exit",
    "ignal",
    "illed",
    "died",
    "ersion",
    "++ ",
    "gcc ",
    "nvcc",
)


def _is_plain(text: str) -> bool:
    """Tell whether the message of a one-line record is nothing but text."""
    kind = kind_of(text)
    return kind in _SAYS_NOTHING or (kind == "EXCEPTION" and ":" not in text)


_SAYS_NOTHING = frozenset(
    {"", "TEXT", "INDENTED", "ANNOUNCE", "NAMED", "HINT", "RULE", "SECTION", "STACK_INTRO", "CXX_FRAME", "QUOTES"}
)


def _message_of(line: str) -> str:
    _record, offset = header_of(line + "\n") or NO_HEADER
    return line[offset:]
