"""Failures that a log shows, whether or not any rule explains them.

A failure is a traceback that nothing carried or handled, the error of a
compiler, a process that ended badly, or work that an artifact shows begun and
not ended. What is left of them when the rules
have spoken decides between *unexplained* and *clean*.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tracelens.engine.fields import process_name, said_by
from tracelens.engine.judge import Candidate, Judge, Zone
from tracelens.engine.log import Log
from tracelens.events import (
    ChainedException,
    CompilerDiagnostic,
    Event,
    ExceptionChain,
    NinjaBuild,
    ProcessExit,
    Unfinished,
)
from tracelens.expressions import expression
from tracelens.findings import Severity
from tracelens.ruleset.model import Kind
from tracelens.text import Span
from tracelens.typed import NamedTuple

#: Exceptions that only pass on what another one said.
_WRAPPER_TYPE = expression(
    r"(?:BackendCompilerFailed|InductorError|LoweringException|InternalTorchDynamoError|ChildFailedError"
    r"|CalledProcessError|RayTaskError(?:\(\w+\))?|ProcessRaisedException|EngineDeadError|SubprocException"
    r"|CppCompileError|CUDACompileError|SystemExit|BrokenProcessPool)$"
)
_WRAPPER_MESSAGE = expression(
    r"Engine core initialization failed|Engine process failed to start|Error building extension"
    r"|Worker failed with error|Capture cuda graph failed|WorkerProc initialization failed|Caught \w+ in replica"
    # A pool of compile workers dies of something that one of them said before.
    r"|closed pool|[Ss]ubprocess exited unexpectedly|process pool was terminated abruptly"
)
_ERRORS = ("error", "fatal error")
#: What says that a program was not found.
_SHELL = "shell"
_NINJA_ERRORS = ("error: ", "fatal: ")


class Failure(NamedTuple):
    """One failure and where it shows; ``event`` is its position in the log."""

    event: int
    span: Span
    process: str | None
    seen: str


def find_failures(log: Log, judge: Judge, zones: Sequence[Zone]) -> tuple[Failure, ...]:
    """Return what failed and was not handled, in log order.

    Compiler errors count only if nothing ended badly, and a build that
    stopped only if no compiler said why; what is merely unfinished comes last.
    """
    failures: list[Failure] = []
    for kind in (_endings, _compiler_errors, _stopped_builds, _unfinished):
        failures = [failure for failure in kind(log, judge) if not _is_handled(failure, zones, log)]
        if failures:
            break
    return tuple(sorted(failures, key=lambda failure: (failure.span.line, failure.event)))


def possible_failures(log: Log, judge: Judge) -> Iterator[Failure]:
    """Yield all that would be a failure if nothing excused it."""
    yield from _endings(log, judge)
    yield from _compiler_errors(log, judge)


def unexplained_failure(failures: Iterable[Failure], candidates: Sequence[Candidate], log: Log) -> Failure | None:
    """Return the first failure that nothing explains, preferring one that says what went wrong.

    A failure is explained where a finding stands in the same traceback.
    """
    explained = {candidate.failure for candidate in candidates}
    left = [failure for failure in failures if failure.event not in explained]
    telling = [failure for failure in left if not _is_wrapped(log.events[failure.event])]
    return next(iter(telling or left), None)


def is_only_looked_for(number: int, failures: Iterable[Failure], log: Log) -> bool:
    """Tell whether an event is a shell that found no program, in a log that shows nothing to have failed of it."""
    return _is_look(log.events[number]) and not (
        any(not _says_nothing(log.events[failure.event]) for failure in failures)
        or any(_failed_build(log.events[build]) for build in log.by_kind.get(Kind.NINJA, ()))
    )


def is_wrapper(exception: ChainedException) -> bool:
    """Tell whether an exception only passes on another failure."""
    name = exception.type_name.rpartition(".")[2] or exception.type_name
    return bool(_WRAPPER_TYPE.match(name) or _WRAPPER_MESSAGE.search(exception.message[:2000]))


def telling_exception(chain: ExceptionChain) -> ChainedException:
    """Return the innermost exception that is no wrapper, else the innermost."""
    return next((exception for exception in chain.exceptions if not is_wrapper(exception)), chain.exceptions[0])


def _is_look(event: Event) -> bool:
    return isinstance(event, CompilerDiagnostic) and event.tool == _SHELL


def _says_nothing(event: Event) -> bool:
    """Tell whether a failure is a shell that found no program, or a traceback of which the end was cut off."""
    is_cut = isinstance(event, ExceptionChain) and not said_by(telling_exception(event))
    return is_cut or _is_look(event)


def _failed_build(event: Event) -> bool:
    """Tell whether ninja says that something failed: it has also good news to tell."""
    return isinstance(event, NinjaBuild) and bool(
        event.stopped or event.outputs or event.message.startswith(_NINJA_ERRORS)
    )


def _is_wrapped(event: Event) -> bool:
    if isinstance(event, ExceptionChain):
        return all(is_wrapper(exception) for exception in event.exceptions)
    return isinstance(event, ProcessExit | Unfinished)


def _endings(log: Log, judge: Judge) -> Iterator[Failure]:
    #: Of pages of compiler messages there are few different ones.
    joined: dict[str, str] = {}
    for number, chain in log.chains:
        if judge.carried(chain, chain.span) is Severity.FATAL:
            exception = telling_exception(chain)
            said = said_by(exception)
            seen = joined.get(said)
            if seen is None:
                seen = joined[said] = " ".join(said.split()) or "a traceback whose last line is missing"
            yield Failure(event=number, span=exception.span, process=process_name(chain), seen=seen)
    for number in log.by_kind.get(Kind.EXIT, ()):
        event = log.events[number]
        if isinstance(event, ProcessExit) and (event.signal or event.exit_code):
            yield Failure(
                event=number, span=event.span, process=process_name(event), seen=" ".join(event.message.split())
            )


def _compiler_errors(log: Log, judge: Judge) -> Iterator[Failure]:
    for number in log.by_kind.get(Kind.DIAGNOSTIC, ()):
        event = log.events[number]
        if not isinstance(event, CompilerDiagnostic) or event.severity not in _ERRORS:
            continue
        if judge.carried(event, event.span) is Severity.FATAL:
            seen = f"{event.severity}: {' '.join(event.message.split())}"
            yield Failure(event=number, span=event.span, process=process_name(event), seen=seen)


def _stopped_builds(log: Log, judge: Judge) -> Iterator[Failure]:
    for number in log.by_kind.get(Kind.NINJA, ()):
        event = log.events[number]
        if not isinstance(event, NinjaBuild) or not _failed_build(event):
            continue
        said = event.message if event.message.startswith(_NINJA_ERRORS) else ""
        if judge.carried(event, event.span) is Severity.FATAL:
            seen = f"ninja: {said or 'a step of the build failed, and what it printed is not here'}"
            yield Failure(event=number, span=event.span, process=process_name(event), seen=seen)


def _unfinished(log: Log, _judge: Judge) -> Iterator[Failure]:
    for number in log.by_kind.get(Kind.UNFINISHED, ()):
        event = log.events[number]
        if isinstance(event, Unfinished):
            yield Failure(event=number, span=event.span, process=process_name(event), seen=event.message)


def _is_handled(failure: Failure, zones: Sequence[Zone], log: Log) -> bool:
    return any(zone.holds(log.events[failure.event], failure.span) for zone in zones)
