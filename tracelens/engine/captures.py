"""What a matched event tells the texts of a rule without any named group."""

from __future__ import annotations

from collections.abc import Iterator

from tracelens.engine.fields import frame_text, frames_of, guards_of, said_by
from tracelens.events import (
    ArtifactPath,
    AutotuneFailure,
    Compiled,
    CompilerDiagnostic,
    CompilerInvocation,
    CudagraphSkip,
    EnvironmentReport,
    Event,
    ExceptionChain,
    GraphBreak,
    GuardFailure,
    LogRecord,
    NinjaBuild,
    Observation,
    Owner,
    ProcessExit,
    Recompile,
    RecompileLimit,
)
from tracelens.ruleset.model import Kind
from tracelens.text import line_around

#: Whose code an exception was raised in, as a reader calls it.
_PLACES = {
    Owner.USER: "the program itself",
    Owner.PACKAGE: "a package that the program uses",
    Owner.STANDARD_LIBRARY: "Python's standard library",
}


def automatic_captures(kind: Kind, event: Event, part: int) -> dict[str, str]:
    """Return the captures of a leaf's kind that the event can fill.

    ``part`` is that of the subject; for a recompile, the number of a guard.
    """
    if kind is Kind.SAID and isinstance(event, ExceptionChain):
        pairs: Iterator[tuple[str, object]] = iter((("message", said_by(event.exceptions[part])),))
    elif kind is Kind.GUARD:
        pairs = _guard(guards_of(event)[part])
    else:
        pairs = _pairs(event, part)
    return {name: _first_line(str(value)) for name, value in pairs if value not in (None, "")}


def _pairs(event: Event, part: int) -> Iterator[tuple[str, object]]:
    if isinstance(event, ExceptionChain):
        exception = event.exceptions[part]
        yield "type", exception.type_name.rpartition(".")[2]
        yield "message", exception.message
        frames = frames_of(event, part)
        if frames:
            yield "frame", frame_text(frames[-1])
            yield "place", _PLACES.get(frames[-1].owner)
    elif isinstance(event, Recompile | RecompileLimit):
        yield from _recompile(event, part)
    elif isinstance(event, EnvironmentReport):
        yield from zip(("fact", "value"), event.facts[part], strict=True)
    elif isinstance(event, ArtifactPath):
        yield "artifact", event.kind
        yield "path", event.path
    elif isinstance(event, Compiled):
        yield "function", event.function
    elif isinstance(event, CompilerInvocation):
        yield "program", event.program
    elif isinstance(event, CudagraphSkip):
        yield "reason", event.reason
        yield "message", event.reason
    else:
        yield from _spoken(event)


def _spoken(event: Event) -> Iterator[tuple[str, object]]:
    yield "message", getattr(event, "message", None)
    if isinstance(event, CompilerDiagnostic):
        yield "path", event.path
        yield "tool", event.tool
    elif isinstance(event, LogRecord):
        yield "location", event.record.location if event.record else None
    elif isinstance(event, NinjaBuild):
        yield "output", event.outputs[0] if event.outputs else None
    elif isinstance(event, GraphBreak):
        yield "type", event.gb_type
    elif isinstance(event, AutotuneFailure):
        yield "choice", event.choice
    elif isinstance(event, Observation):
        yield from event.facts
    elif isinstance(event, ProcessExit):
        yield "signal", event.signal
        yield "exit_code", event.exit_code


def _recompile(event: Recompile | RecompileLimit, number: int) -> Iterator[tuple[str, object]]:
    if isinstance(event, RecompileLimit):
        yield "limit", event.limit
        yield "setting", event.setting
        yield "message", event.message
    yield "function", event.function
    if event.guards:
        yield from _guard(event.guards[number])


def _guard(guard: GuardFailure) -> Iterator[tuple[str, object]]:
    yield "guard", guard.expression
    yield "kind", guard.kind.value
    yield "source", guard.source
    yield "dimension", guard.dimension
    yield "expected", guard.expected
    yield "actual", guard.actual


def _first_line(text: str) -> str:
    return line_around(text.lstrip(), 0).rstrip()
