"""``parse_strand``: the one way into this package."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import repeat

from tracelens.alike import Repeat
from tracelens.events import Event, ExceptionChain, Recompile, RecompileLimit
from tracelens.findings import Diagnostic
from tracelens.parsing.blocks import block_of
from tracelens.parsing.reading import Notes, Reading
from tracelens.parsing.repeats import Memory, ProcessMemory
from tracelens.parsing.tables import load_tables
from tracelens.parsing.transform import BlockTransformer
from tracelens.record import Record, replace
from tracelens.text import Process, Span, Strand

_PAGE = 1 << 16
#: Ranks die alike: what one of them printed, up to this length, is remembered.
_MEMORABLE = 16_000


class Parsed(Record):
    """What a strand says, and the ledger of its lines that are not blank.

    Of what it says again and again ``events`` holds the first few and
    ``repeats`` the rest, each by the latest and the number of them.
    ``dropped`` counts events that are neither here nor there. ``line_numbers``
    are those of the strand, which ``process`` printed.
    """

    events: tuple[Event, ...]
    parsed_lines: int
    unparsed_lines: int
    line_numbers: Sequence[int] = ()
    process: Process | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    repeats: tuple[Repeat, ...] = ()
    dropped: int = 0

    def every_event(self) -> Iterator[Event]:
        """Yield the events, and the latest of those that were only counted as often as they came."""
        yield from self.events
        for event, times in self.repeats:
            yield from repeat(event, times)


def parse_strand(strand: Strand, memory: Memory | None = None) -> Parsed:
    """Read the text of one process; events come in order of position.

    ``memory`` is of what strands of the same log have said before, which need not be read again.
    """
    if strand.process is None or len(strand.text) > _MEMORABLE:
        return _parse(strand, memory.of(strand.process) if memory else ProcessMemory())
    return _placed(_remembered(strand.text), strand)


def _parse(strand: Strand, memory: ProcessMemory) -> Parsed:
    block = block_of(strand)
    notes = Notes(memory)
    transformer = BlockTransformer(Reading(block, load_tables(), None, notes))
    events, unparsed = transformer.read()
    unparsed += transformer.read_counted()
    solid = _count_solid(strand.text)
    return Parsed(
        events=tuple(events),
        parsed_lines=solid - unparsed,
        unparsed_lines=unparsed,
        line_numbers=strand.line_numbers,
        process=strand.process,
        diagnostics=tuple(notes.remarks),
        repeats=tuple(notes.repeats),
        dropped=notes.dropped,
    )


@lru_cache(maxsize=256)
def _remembered(text: str) -> Parsed:
    """Read a text as if it were a whole input, of nobody in particular."""
    return _parse(Strand(process=None, text=text, line_numbers=range(1, text.count("\n") + 2)), ProcessMemory())


def _placed(parsed: Parsed, strand: Strand) -> Parsed:
    """Return what such a text says where a strand has it."""
    first, last, process = strand.line_numbers, strand.last_line_numbers, strand.process

    def place(span: Span) -> Span:
        line = first[span.line - 1]
        return Span(line=line, end_line=max(line, last[span.end_line - 1]))

    remarks = (
        remark if remark.line is None else replace(remark, line=first[remark.line - 1]) for remark in parsed.diagnostics
    )
    return Parsed(
        events=tuple(_event_at(event, place, process) for event in parsed.events),
        parsed_lines=parsed.parsed_lines,
        unparsed_lines=parsed.unparsed_lines,
        line_numbers=first,
        process=process,
        diagnostics=tuple(remarks),
        repeats=tuple(Repeat(_event_at(event, place, process), times) for event, times in parsed.repeats),
        dropped=parsed.dropped,
    )


def _event_at(event: Event, place: Callable[[Span], Span], process: Process | None) -> Event:
    span = place(event.span)
    if isinstance(event, ExceptionChain):
        exceptions = tuple(replace(exception, span=place(exception.span)) for exception in event.exceptions)
        return replace(event, span=span, process=process, exceptions=exceptions)
    if isinstance(event, Recompile | RecompileLimit):
        guards = tuple(replace(guard, span=place(guard.span), process=process) for guard in event.guards)
        return replace(event, span=span, process=process, guards=guards)
    return replace(event, span=span, process=process)


def _count_solid(text: str) -> int:
    """Return the number of lines that are not blank; page by page, for a copy of all lines would be large."""
    solid = start = 0
    while start < len(text):
        end = text.find("\n", start + _PAGE) + 1 or len(text)
        lines = text[start:end].split("\n")
        solid += len(lines) - lines.count("") - sum(map(str.isspace, lines))
        start = end
    return solid
