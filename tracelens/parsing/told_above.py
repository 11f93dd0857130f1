"""Tracebacks whose exception stands above them, in a log record.

A runtime such as AWS Lambda's prints the exception first, ``[ERROR] OSError:
…``, and then the traceback, which has no last line of its own. What the
program prints next may look like that line.
"""

from __future__ import annotations

from collections.abc import Sequence

from tracelens.events import Event, ExceptionChain, Level, Relation
from tracelens.record import replace
from tracelens.text import Span

_REPORTING = frozenset({Level.ERROR, Level.CRITICAL})
#: Between two lines of a process, others may have printed some.
_NEAR = 8


def give_stacks(events: Sequence[Event]) -> list[Event]:
    """Return events, given by line, with each such stack at the exception right above it."""
    result: list[Event] = []
    for event in events:
        if (
            isinstance(event, ExceptionChain)
            and result
            and isinstance(above := result[-1], ExceptionChain)
            and _tells_of(above, event)
            and (event.unfinished or _is_interrupted(event, events))
        ):
            (told,), own = above.exceptions, event.exceptions[0].span
            last = event.span.end_line if event.unfinished else own.line - 1
            result[-1] = replace(
                above,
                span=Span(line=above.span.line, end_line=last),
                exceptions=(replace(told, frames=event.exceptions[-1].frames),),
            )
            if not event.unfinished:
                bare = tuple(replace(exception, frames=()) for exception in event.exceptions)
                result.append(replace(event, span=own, exceptions=bare))
        else:
            result.append(event)
    # What was left of a chain begins further down.
    return sorted(result, key=lambda event: event.span.line)


def _tells_of(above: ExceptionChain, below: ExceptionChain) -> bool:
    """Tell whether one is a bare exception in a record, and the other one stack right below it."""
    return (
        above.record is not None
        and above.record.level in _REPORTING
        and len(above.exceptions) == 1
        and not above.exceptions[0].frames
        and bool(below.exceptions[-1].frames)
        and all(exception.relation is Relation.EMBEDDED for exception in below.exceptions[:-1])
        and not below.headless
        and 0 < below.span.line - above.span.end_line <= _NEAR
        and below.process == above.process
    )


def _is_interrupted(chain: ExceptionChain, events: Sequence[Event]) -> bool:
    """Tell whether something else was printed between the stack and what was taken for its last line."""
    last = chain.exceptions[0].span.line
    return any(event is not chain and chain.span.line < event.span.line < last for event in events)
