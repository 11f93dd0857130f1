"""Findings of quiet rules that have nothing to excuse.

Such a rule says that lines are prose or source text, not messages. That is
worth telling where something else took them for messages, and else noise.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tracelens.engine.failures import possible_failures
from tracelens.engine.judge import Candidate, Judge, Zone, find_zones, gravity
from tracelens.engine.log import Log
from tracelens.events import Event
from tracelens.text import Span


def without_idle(
    candidates: Sequence[Candidate], found: Sequence[Candidate], log: Log, judge: Judge
) -> tuple[Candidate, ...]:
    """Drop the quiet rules that excuse nothing in this log; ``found`` are the candidates as graded at first."""
    if not any(_is_quiet(candidate) for candidate in candidates):
        return tuple(candidates)
    grave = [*_grave(found, log), *((log.events[item.event], item.span, 2) for item in possible_failures(log, judge))]
    of_use = {
        candidate.rule.code
        for candidate in candidates
        if _is_quiet(candidate) and any(_excuses(zone, grave) for zone in find_zones([candidate], log))
    }
    return tuple(item for item in candidates if not _is_quiet(item) or item.rule.code in of_use)


def _is_quiet(candidate: Candidate) -> bool:
    return candidate.rule.handles is not None and candidate.rule.handles.quiet


def _grave(found: Iterable[Candidate], log: Log) -> Iterator[tuple[Event, Span, int]]:
    for candidate in found:
        if candidate.rule.handles is None:
            primary = candidate.match.primary
            yield log.events[primary.subject.event], primary.span, gravity(candidate.severity)


def _excuses(zone: Zone, grave: Iterable[tuple[Event, Span, int]]) -> bool:
    limit = gravity(zone.severity)
    return any(severity > limit and zone.holds(event, span) for event, span, severity in grave)
