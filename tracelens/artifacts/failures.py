"""Compilations that failed: from what a trace says of them to the events of a log.

The traceback is in ``dynamo_error``; torch before 2.6 writes only the type and
the message into ``compilation_metrics``. Text goes through the one parser of
tracebacks, so an exception of a trace is what the same exception of a log is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from tracelens.artifacts.metrics import text_of
from tracelens.events import (
    ChainedException,
    CompilerDiagnostic,
    CompilerInvocation,
    Event,
    ExceptionChain,
    GuardFailure,
    Level,
    NinjaBuild,
    RecompileLimit,
    RecordHeader,
)
from tracelens.expressions import expression
from tracelens.parsing import parse_strand
from tracelens.parsing.guards import read_recompile_limit
from tracelens.record import replace
from tracelens.text import Process, Span, Strand
from tracelens.timeline import CompileStatus

_KINDS = (ExceptionChain, CompilerDiagnostic, CompilerInvocation, NinjaBuild)
_MAX_REMEMBERED = 256
_LIMIT = expression(
    r"(?:recompile|cache_size|cache) limit (?:exceeded|reached)|(?:recompile|cache_size)_limit reached"
    r"|exceeding the (?:accumulated_)?(?:recompile|cache_size)_limit"
)
#: Dynamo raises these to give a frame up, and the run goes on.
_GIVING_UP = frozenset({"SkipFrame", "SkipCodeRecursiveException", "RecompileLimitExceeded", "TensorifyScalarRestart"})


class Printed(NamedTuple):
    """Text of an artifact: its lines, and the line on which the first one stands.

    ``together`` says that all of them stand on that one line.
    """

    text: str
    line: int
    together: bool = False

    def strand(self) -> Strand:
        """Return the text as the parser takes it."""
        text = self.text if self.text.endswith("\n") else f"{self.text}\n"
        lines = text.count("\n")
        numbers: Sequence[int] = [self.line] * lines if self.together else range(self.line, self.line + lines)
        return Strand(process=None, text=text, line_numbers=numbers)


def status_of(metrics: dict[str, Any]) -> CompileStatus:
    """Return how a compilation ended, as its metrics say."""
    kind, reason = text_of(metrics.get("fail_type")), text_of(metrics.get("fail_reason")) or ""
    if kind is None:
        return CompileStatus.COMPILED
    if _LIMIT.search(reason):
        return CompileStatus.RECOMPILE_LIMIT
    return CompileStatus.SKIPPED if kind in _GIVING_UP else CompileStatus.FAILED


def printed_in(metrics: dict[str, Any], line: int) -> Printed | None:
    """Return the failure that metrics spell out on their one line."""
    stacks = metrics.get("exception_stack_trace")
    stack = text_of(stacks[0]) if isinstance(stacks, list) and stacks else None
    if stack and stack.startswith("Traceback ") and not stack.startswith("Traceback (most recent call last):\n  ..."):
        return Printed(text=stack, line=line, together=True)
    kind, reason = text_of(metrics.get("fail_type")), text_of(metrics.get("fail_reason")) or ""
    if kind is None:
        return None
    return Printed(text=f"Traceback (most recent call last):\n{kind}: {reason}", line=line, together=True)


def read_limit(
    metrics: dict[str, Any],
    span: Span,
    process: Process | None,
    record: RecordHeader,
    guards: tuple[GuardFailure, ...],
) -> RecompileLimit:
    """Return that the limit on recompiles was reached."""
    reason = text_of(metrics.get("fail_reason")) or ""
    found = read_recompile_limit([(line, span) for line in reason.split("\n")], process, record)
    if found is None:
        found = RecompileLimit(
            span=span,
            process=process,
            record=record,
            limit=None,
            setting=None,
            function=None,
            guards=(),
            message=reason,
        )
    return replace(found, guards=guards or found.guards, message=reason)


class FailureReader:
    """Reads tracebacks; the same text is parsed once, wherever it stands."""

    def __init__(self) -> None:
        """Remember nothing yet."""
        self._known: dict[str, tuple[Event, ...]] = {}

    def read(self, printed: Printed, process: Process | None, record: RecordHeader) -> tuple[Event, ...]:
        """Return the exceptions and compiler messages in a text."""
        known = self._known.get(printed.text)
        if known is None or printed.together:
            strand = printed._replace(line=1).strand() if not printed.together else printed.strand()
            known = tuple(event for event in parse_strand(strand).events if isinstance(event, _KINDS))
            if not printed.together and len(self._known) < _MAX_REMEMBERED:
                self._known[printed.text] = known
        by = 0 if printed.together else printed.line - 1
        return tuple(_placed(event, by, process, record) for event in known)


def carried(compile_record: RecordHeader, *, went_on: bool) -> RecordHeader:
    """Return the header of what failed; what the run went on from is a warning, as in a log."""
    return replace(compile_record, level=Level.WARNING if went_on else Level.ERROR)


def with_header(event: Event, record: RecordHeader) -> Event:
    """Return an event as the message of another record."""
    return replace(event, record=record)


def _placed(event: Event, by: int, process: Process | None, record: RecordHeader) -> Event:
    if isinstance(event, ExceptionChain):
        event = replace(event, exceptions=tuple(_moved(exception, by) for exception in event.exceptions))
    return replace(event, span=_shifted(event.span, by), process=process, record=record)


def _moved(exception: ChainedException, by: int) -> ChainedException:
    return replace(exception, span=_shifted(exception.span, by)) if by else exception


def _shifted(span: Span, by: int) -> Span:
    return Span(line=span.line + by, end_line=span.end_line + by)
