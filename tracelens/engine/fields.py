"""Which texts and values each kind of leaf reads from an event.

A *subject* is what a leaf can be true of: an event, or one part of it (an
exception of a chain, a guard of a recompile, a fact of a report).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache

from tracelens.events import (
    ArtifactPath,
    AutotuneFailure,
    CacheMessage,
    ChainedException,
    Compiled,
    CompilerDiagnostic,
    CompilerInvocation,
    CudagraphSkip,
    EnvironmentReport,
    Event,
    ExceptionChain,
    GraphBreak,
    GraphText,
    GuardFailure,
    LogRecord,
    NinjaBuild,
    Observation,
    ProcessExit,
    Recompile,
    RecompileLimit,
    Relation,
    StackFrame,
    Text,
    Unfinished,
)
from tracelens.ruleset.model import SAYING, Kind
from tracelens.text import Span
from tracelens.typed import NamedTuple

_KINDS: dict[type, Kind] = {
    ExceptionChain: Kind.EXCEPTION,
    LogRecord: Kind.RECORD,
    CompilerInvocation: Kind.INVOCATION,
    CompilerDiagnostic: Kind.DIAGNOSTIC,
    NinjaBuild: Kind.NINJA,
    GuardFailure: Kind.GUARD,
    Recompile: Kind.RECOMPILE,
    RecompileLimit: Kind.RECOMPILE_LIMIT,
    GraphBreak: Kind.GRAPH_BREAK,
    CudagraphSkip: Kind.CUDAGRAPH_SKIP,
    AutotuneFailure: Kind.AUTOTUNE,
    CacheMessage: Kind.CACHE_MESSAGE,
    ProcessExit: Kind.EXIT,
    Observation: Kind.OBSERVED,
    EnvironmentReport: Kind.ENVIRONMENT,
    GraphText: Kind.GRAPH,
    ArtifactPath: Kind.ARTIFACT,
    Unfinished: Kind.UNFINISHED,
    Compiled: Kind.COMPILED,
    Text: Kind.TEXT,
}


#: Events that say one message and nothing else; text is what most of a log is.
_WITH_MESSAGE = (
    Text,
    LogRecord,
    AutotuneFailure,
    CacheMessage,
    GraphBreak,
    NinjaBuild,
    Observation,
    ProcessExit,
    RecompileLimit,
)

#: Kinds whose events list the guards that failed.
GUARDED = (Kind.RECOMPILE, Kind.RECOMPILE_LIMIT)


class Subject(NamedTuple):
    """An event by its place in the log's order, and the part of it."""

    event: int
    part: int


def kind_of(event: Event) -> Kind:
    """Return the kind of leaf that an event as a whole belongs to."""
    return _KINDS[type(event)]


def process_name(event: Event) -> str | None:
    """Return the name of the process that printed an event."""
    return event.process.name if event.process else None


def parts_of(event: Event, kind: Kind) -> int:
    """Return how many subjects of a kind an event holds."""
    if isinstance(event, ExceptionChain):
        return len(event.exceptions) if kind in (Kind.EXCEPTION, Kind.SAID) else 0
    if isinstance(event, EnvironmentReport):
        return len(event.facts) if kind is Kind.ENVIRONMENT else 0
    if kind is Kind.GUARD:
        return len(guards_of(event))
    own = kind_of(event)
    return int(own is kind or (kind is Kind.SAID and own in SAYING))


def guards_of(event: Event) -> tuple[GuardFailure, ...]:
    """Return the guards that an event is about."""
    if isinstance(event, GuardFailure):
        return (event,)
    return event.guards if isinstance(event, Recompile | RecompileLimit) else ()


def span_of(event: Event, part: int, kind: Kind) -> Span:
    """Return the lines of a subject of some kind."""
    if kind is Kind.GUARD:
        return guards_of(event)[part].span
    if isinstance(event, ExceptionChain):
        return event.exceptions[part].span
    return event.span


def frames_of(chain: ExceptionChain, part: int) -> tuple[StackFrame, ...]:
    """Return the stack frames of an exception, or of the wrapper that quotes it."""
    for number in range(part, len(chain.exceptions)):
        exception = chain.exceptions[number]
        frames = tuple(frame for frame in exception.frames if isinstance(frame, StackFrame))
        if frames or exception.relation is not Relation.EMBEDDED:
            return frames
    return ()


def frame_text(frame: StackFrame) -> str:
    """Spell a stack frame as rules see it: ``path:line in function``."""
    line = "" if frame.line is None else f":{frame.line}"
    return f"{frame.path}{line} in {frame.function or '?'}"


def sayings(event: Event, part: int) -> tuple[str, ...]:
    """Return what a subject says, as the ``said`` leaf sees it; an observation says its line to no such leaf."""
    if isinstance(event, _WITH_MESSAGE):
        return (event.message,)
    if isinstance(event, ExceptionChain):
        exception = event.exceptions[part]
        return (said_by(exception), *exception.notes)
    if isinstance(event, CompilerDiagnostic):
        return (f"{event.severity}: {event.message}",)
    return (event.reason,) if isinstance(event, CudagraphSkip) else ()


def everything_said(event: Event) -> Iterator[str]:
    """Yield what an event says in all its parts."""
    for part in range(parts_of(event, Kind.SAID)):
        yield from sayings(event, part)


def said_by(exception: ChainedException) -> str:
    """Spell an exception as Python prints it."""
    if not exception.message:
        return exception.type_name
    return _spelled(exception.type_name, exception.message) if exception.type_name else exception.message


@lru_cache(maxsize=64)
def _spelled(type_name: str, message: str) -> str:
    """Spell type and message; remembered, for each may be pages, many are equal, and all are asked for many times."""
    return f"{type_name}: {message}"


def values(kind: Kind, field: str, event: Event, part: int) -> tuple[object, ...]:
    """Return what a field of a subject holds; several where any of them may match."""
    if kind is Kind.SAID:
        return sayings(event, part)
    if kind is Kind.GUARD:
        guard = guards_of(event)[part]
        return (guard.kind.value,) if field == "kind" else (getattr(guard, field),)
    reader = _READERS.get((kind, field))
    return reader(event, part) if reader else (getattr(event, field, None),)


def _exception(event: Event, part: int) -> tuple[ExceptionChain, ChainedException]:
    assert isinstance(event, ExceptionChain)  # noqa: S101  # subjects of the kind come from chains alone
    return event, event.exceptions[part]


def _deepest(event: Event, part: int) -> StackFrame | None:
    frames = frames_of(_exception(event, part)[0], part)
    return frames[-1] if frames else None


def _innermost(event: Event, part: int) -> tuple[object, ...]:
    frame = _deepest(event, part)
    return (frame_text(frame),) if frame else ()


def _owner(event: Event, part: int) -> tuple[object, ...]:
    frame = _deepest(event, part)
    return (frame.owner.value,) if frame else ()


def _position(event: Event, part: int) -> tuple[object, ...]:
    chain, _ = _exception(event, part)
    positions = ("innermost",) if part == 0 else ()
    return (*positions, "outermost") if part == len(chain.exceptions) - 1 else positions


def _invocation_failed(event: Event, _part: int) -> tuple[object, ...]:
    return (getattr(event, "exit_status", None) not in (None, 0),)


def _record_field(name: str) -> Callable[[Event, int], tuple[object, ...]]:
    def read(event: Event, _part: int) -> tuple[object, ...]:
        value = getattr(event.record, name, None)
        return (getattr(value, "value", value),)

    return read


def _topic(event: Event, _part: int) -> tuple[object, ...]:
    assert isinstance(event, Observation)  # noqa: S101  # subjects of the kind are observations alone
    return (event.topic.value,)


def _fact(event: Event, part: int) -> tuple[str, str]:
    assert isinstance(event, EnvironmentReport)  # noqa: S101  # subjects of the kind come from reports alone
    return event.facts[part]


_READERS: dict[tuple[Kind, str], Callable[[Event, int], tuple[object, ...]]] = {
    (Kind.EXCEPTION, "type"): lambda event, part: (_exception(event, part)[1].type_name,),
    (Kind.EXCEPTION, "message"): lambda event, part: (_exception(event, part)[1].message,),
    (Kind.EXCEPTION, "frame"): lambda event, part: tuple(
        frame_text(frame) for frame in frames_of(_exception(event, part)[0], part)
    ),
    (Kind.EXCEPTION, "innermost"): _innermost,
    (Kind.EXCEPTION, "owner"): _owner,
    (Kind.EXCEPTION, "position"): _position,
    (Kind.RECORD, "level"): _record_field("level"),
    (Kind.RECORD, "location"): _record_field("location"),
    (Kind.RECORD, "artifact"): _record_field("artifact"),
    (Kind.INVOCATION, "failed"): _invocation_failed,
    (Kind.NINJA, "output"): lambda event, _part: getattr(event, "outputs", ()),
    (Kind.RECOMPILE, "kind"): lambda event, _part: tuple(guard.kind.value for guard in guards_of(event)),
    (Kind.RECOMPILE_LIMIT, "kind"): lambda event, _part: tuple(guard.kind.value for guard in guards_of(event)),
    (Kind.OBSERVED, "topic"): _topic,
    (Kind.GRAPH_BREAK, "type"): lambda event, _part: (getattr(event, "gb_type", None),),
    (Kind.ENVIRONMENT, "fact"): lambda event, part: (_fact(event, part)[0],),
    (Kind.ENVIRONMENT, "value"): lambda event, part: (_fact(event, part)[1],),
}
