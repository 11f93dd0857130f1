"""Events of one log, kept within bounds whatever the log's size.

Equal events of one process are kept a few times and counted after that, and
so are, later, those that differ in numbers only; of each kind only so many of
the first and of the latest stay. Failures stand at the start and at the end
of what goes wrong; what is dropped is said.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from tracelens.alike import ALIKE_KEPT, EQUAL_KEPT, shape_of
from tracelens.engine.own_lines import OwnLines
from tracelens.events import (
    AutotuneFailure,
    CacheMessage,
    CompilerDiagnostic,
    CudagraphSkip,
    Event,
    ExceptionChain,
    GraphBreak,
    GraphText,
    LogRecord,
    NinjaBuild,
    ProcessExit,
    Recompile,
    Text,
    Unfinished,
)
from tracelens.record import replace
from tracelens.typed import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tracelens.parsing import Parsed

#: Of each class of event: how many of the first, how many of the latest.
_ROOM = (4000, 2000)
_ROOM_OF: dict[type, tuple[int, int]] = {
    ExceptionChain: (300, 200),
    GraphText: (16, 16),
    ProcessExit: (2000, 1000),
    Text: (12_000, 8_000),
    Unfinished: (50, 50),
}
#: A printed graph is evidence of nothing; its text is not needed here.
_CODE_KEPT = 400
#: So many shapes of events are told apart, and so many different ones counted.
_SHAPES = 1 << 14
#: Messages from this length on are shared, so many of them.
_LONG = 2000
_SHARED = 256

#: What is equal where the message is; most of a log is text. Written as ``|`` it would be put together for each event.
_MESSAGES = (Text, LogRecord, CacheMessage, AutotuneFailure)


class Kept(NamedTuple):
    """One event that was kept and the number of equal ones it stands for."""

    event: Event
    times: int = 1


class EventStore:
    """Takes events in any number and gives back a bounded selection in log order."""

    def __init__(self, events: Iterable[Event] = ()) -> None:
        """Start with some events."""
        self._first: dict[type, list[Kept]] = {}
        self._latest: dict[type, deque[Kept]] = {}
        self._equal: dict[tuple[object, ...], int] = {}
        #: How many different events there are of a shape, by its hash: there may be thousands of ranks.
        self._shapes: dict[int, int] = {}
        #: The latest of those that are equal or alike.
        self._counted: dict[object, Kept] = {}
        self._texts: dict[str, str] = {}
        #: How many events are neither kept nor counted with an equal one.
        self.dropped = 0
        #: What stands between the lines of a process that is not its own.
        self.own_lines = OwnLines()
        self.extend(events)

    def extend(self, events: Iterable[Event]) -> None:
        """Take more events, in the order of their positions in each strand."""
        for event in events:
            self._add(event)

    def take(self, parsed: Parsed, times: int = 1) -> None:
        """Take what a strand says, with what its reader has only counted; it stands for so many that say the same."""
        for event in parsed.events:
            self._add(event, times)
        for event, repeated in parsed.repeats:
            self._add(event, repeated * times)
        self.dropped += parsed.dropped * times
        self.own_lines.add(parsed.process.name if parsed.process else None, parsed.line_numbers)

    def events(self) -> tuple[Kept, ...]:
        """Return what was kept, in the order of the log."""
        kept = [item for items in self._first.values() for item in items]
        kept += [item for items in self._latest.values() for item in items]
        kept += self._counted.values()
        return tuple(sorted(kept, key=lambda item: (item.event.span.line, item.event.span.end_line)))

    def _add(self, event: Event, times: int = 1) -> None:
        if type(event) is ExceptionChain:
            event = self._with_shared_texts(event)
        key = _equality_key(event)
        if key is not None:
            seen = self._equal.get(key, 0)
            if seen == 0:
                shape = self._full_shape(event)
                if shape is not None:
                    self._count(shape, event, times)
                    return
                self._equal[key] = 1
            elif seen < EQUAL_KEPT and times == 1:
                self._equal[key] = seen + 1
            else:
                self._count(key, event, times)
                return
        if type(event) is GraphText and len(event.code) > _CODE_KEPT:
            event = replace(event, code=event.code[:_CODE_KEPT])
        self._keep(Kept(event, times))

    def _full_shape(self, event: Event) -> int | None:
        """Note one more event that differs from all before it; return its shape if enough of that were kept."""
        key = _shape_key(event)
        if key is None:
            return None
        shape = hash(key)
        different = self._shapes.get(shape, 0)
        if different >= ALIKE_KEPT:
            return shape
        if different or len(self._shapes) < _SHAPES:
            self._shapes[shape] = different + 1
        return None

    def _count(self, key: object, event: Event, times: int) -> None:
        """Count events that are equal or alike to others, and keep the latest."""
        before = self._counted.get(key)
        if before is not None:
            times += before.times
            if event.span.line < before.event.span.line:
                event = before.event
        elif len(self._counted) >= _SHAPES:
            self.dropped += times
            return
        self._counted[key] = Kept(event, times)

    def _with_shared_texts(self, chain: ExceptionChain) -> ExceptionChain:
        """Return a chain whose long messages are the very ones of earlier chains: a failed build says pages."""
        if all(len(exception.message) < _LONG for exception in chain.exceptions):
            return chain
        if len(self._texts) > _SHARED:
            self._texts.clear()
        shared = self._texts.setdefault
        exceptions = (replace(each, message=shared(each.message, each.message)) for each in chain.exceptions)
        return replace(chain, exceptions=tuple(exceptions))

    def _keep(self, item: Kept) -> None:
        kind = type(item.event)
        first = self._first.get(kind)
        if first is None:
            first = self._first[kind] = []
        room, latest_room = _ROOM_OF.get(kind, _ROOM)
        if len(first) < room:
            first.append(item)
            return
        latest = self._latest.setdefault(kind, deque())
        latest.append(item)
        if len(latest) > latest_room:
            dropped = latest.popleft()
            self.dropped += 1
            key = _equality_key(dropped.event)
            if key is not None:
                self._equal.pop(key, None)


def _equality_key(event: Event) -> tuple[object, ...] | None:
    """Return what makes two events of a kind equal, times aside; ``None`` if each one counts."""
    process = event.process.name if event.process else None
    record = event.record
    header = (record.level, record.location, record.artifact) if record else None
    if isinstance(event, _MESSAGES):
        return type(event), process, header, event.message
    if isinstance(event, ExceptionChain):
        said = tuple((exception.type_name, exception.message) for exception in event.exceptions)
        # One alone on its line may have ended what the others, each with its stack, did not.
        return ExceptionChain, process, record.level if record else None, said, not event.exceptions[-1].frames
    if isinstance(event, CompilerDiagnostic):
        return CompilerDiagnostic, process, event.severity, event.message, event.path, event.line
    if isinstance(event, CudagraphSkip):
        return CudagraphSkip, process, event.reason, event.rerecord
    return _ended_key(event, process) or _traced_key(event, process)


def _ended_key(event: Event, process: str | None) -> tuple[object, ...] | None:
    """Return the key of what ended badly."""
    if isinstance(event, ProcessExit):
        return ProcessExit, process, event.message, event.rank, event.pid, event.first_failure
    if isinstance(event, NinjaBuild):
        return NinjaBuild, process, event.message, event.stopped
    return None


def _traced_key(event: Event, process: str | None) -> tuple[object, ...] | None:
    """Return the key of what a long run has thousands of, each with other values."""
    if isinstance(event, Recompile):
        about = tuple((guard.kind, guard.source, guard.dimension) for guard in event.guards[:1])
        return Recompile, process, event.function, event.location, about or event.span
    if isinstance(event, GraphBreak) and event.location:
        return GraphBreak, process, event.gb_type, event.location
    return None


def _shape_key(event: Event) -> tuple[object, ...] | None:
    """Return what makes two events alike though they are not equal; ``None`` where each one counts."""
    process, level = event.process and event.process.name, event.record and event.record.level
    if isinstance(event, _MESSAGES):
        return type(event), process, level, shape_of(event.message)
    if isinstance(event, ExceptionChain):
        said = tuple((each.type_name, shape_of(each.message)) for each in event.exceptions)
        return ExceptionChain, process, level, said
    if isinstance(event, CompilerDiagnostic):
        return CompilerDiagnostic, process, event.severity, shape_of(event.message), shape_of(event.path or "")
    if isinstance(event, ProcessExit):
        return ProcessExit, process, event.signal, event.exit_code, event.first_failure, shape_of(event.message)
    if isinstance(event, NinjaBuild):
        return NinjaBuild, process, shape_of(event.message)
    return None
