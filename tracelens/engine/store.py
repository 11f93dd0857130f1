"""Events of one log, kept within bounds whatever the log's size.

Equal events of one process are kept a few times and counted after that; of
each kind only so many of the first and of the latest stay. Failures stand at
the start and at the end of what goes wrong; what is dropped is said.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

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
    Recompile,
    Text,
    Unfinished,
)
from tracelens.record import replace
from tracelens.typed import NamedTuple

#: Of equal events: so many of the first ones, and always the latest.
_EQUAL_KEPT = 15
#: Of each class of event: how many of the first, how many of the latest.
_ROOM = (4000, 2000)
_ROOM_OF: dict[type, tuple[int, int]] = {
    ExceptionChain: (300, 200),
    GraphText: (16, 16),
    Text: (12_000, 8_000),
    Unfinished: (50, 50),
}
#: A printed graph is evidence of nothing; its text is not needed here.
_CODE_KEPT = 400
#: Messages from this length on are shared, so many of them.
_LONG = 2000
_SHARED = 256


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
        self._equal: dict[tuple[object, ...], list[int]] = {}
        self._last_equal: dict[tuple[object, ...], Kept] = {}
        self._texts: dict[str, str] = {}
        #: How many events are neither kept nor counted with an equal one.
        self.dropped = 0
        self.extend(events)

    def extend(self, events: Iterable[Event]) -> None:
        """Take more events, in the order of their positions in each strand."""
        for event in events:
            self._add(event)

    def events(self) -> tuple[Kept, ...]:
        """Return what was kept, in the order of the log."""
        kept = [item for items in self._first.values() for item in items]
        kept += [item for items in self._latest.values() for item in items]
        kept += self._last_equal.values()
        return tuple(sorted(kept, key=lambda item: (item.event.span.line, item.event.span.end_line)))

    def _add(self, event: Event) -> None:
        if type(event) is ExceptionChain:
            event = self._with_shared_texts(event)
        key = _equality_key(event)
        if key is not None:
            seen = self._equal.get(key)
            if seen is None:
                self._equal[key] = [1]
            elif seen[0] < _EQUAL_KEPT:
                seen[0] += 1
            else:
                before = self._last_equal.get(key)
                self._last_equal[key] = Kept(event=event, times=before.times + 1 if before else 1)
                return
        if type(event) is GraphText and len(event.code) > _CODE_KEPT:
            event = replace(event, code=event.code[:_CODE_KEPT])
        self._keep(Kept(event=event))

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
        first = self._first.setdefault(kind, [])
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
    if isinstance(event, Text | LogRecord | CacheMessage | AutotuneFailure):
        return type(event), process, header, event.message
    if isinstance(event, ExceptionChain):
        said = tuple((exception.type_name, exception.message) for exception in event.exceptions)
        return ExceptionChain, process, record.level if record else None, said
    if isinstance(event, CompilerDiagnostic):
        return CompilerDiagnostic, process, event.severity, event.message, event.path, event.line
    if isinstance(event, CudagraphSkip):
        return CudagraphSkip, process, event.reason, event.rerecord
    return _traced_key(event, process)


def _traced_key(event: Event, process: str | None) -> tuple[object, ...] | None:
    """Return the key of what a long run has thousands of, each with other values."""
    if isinstance(event, Recompile):
        about = tuple((guard.kind, guard.source, guard.dimension) for guard in event.guards[:1])
        return Recompile, process, event.function, event.location, about or event.span
    if isinstance(event, GraphBreak) and event.location:
        return GraphBreak, process, event.gb_type, event.location
    return None
