"""How grave each match is, and which failure it belongs to.

Severity is what happened to the run, not what the text sounds like: a
traceback inside a WARNING record is something that torch went on from, one
that autotuning dropped is nothing at all. Matches of one traceback belong to
one *failure*; within it the innermost exception, or the compiler's own error,
is nearest to the cause.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from tracelens.engine.fields import everything_said, frames_of, process_name, said_by
from tracelens.engine.log import Log
from tracelens.engine.match import Match, Proof
from tracelens.events import (
    AutotuneFailure,
    CompilerDiagnostic,
    Event,
    ExceptionChain,
    Level,
    LogRecord,
    Observation,
    Owner,
    ProcessExit,
    Text,
)
from tracelens.findings import Severity
from tracelens.ruleset.model import Carrier, Handles, Kind, Rule
from tracelens.ruleset.patterns import Pattern, shortened
from tracelens.text import Process, Span
from tracelens.typed import NamedTuple

#: How far compiler output may stand from the traceback that it made.
_COMPILER_REACH = 100
#: How far above a traceback a line may stand that announces it in the words of its exception.
_ANNOUNCED = 10
_ERRORS = ("error", "fatal error")
#: How jobs and shells tell of the end of a step, as no test would.
_JOB_ENDS = ("Process completed with exit code", "make", "gmake", "ERROR: Job failed")
_CARRIED = {Level.WARNING: Severity.DEGRADED, Level.INFO: Severity.HANDLED, Level.DEBUG: Severity.HANDLED}
_GRAVITY = {Severity.FATAL: 2, Severity.DEGRADED: 1, Severity.HANDLED: 0}


def gravity(severity: Severity) -> int:
    """Return a number that grows with the severity."""
    return _GRAVITY[severity]


def milder(one: Severity, other: Severity) -> Severity:
    """Return the less severe of two."""
    return one if gravity(one) <= gravity(other) else other


class Candidate(NamedTuple):
    """A match of a rule, judged.

    ``failure`` names the traceback it belongs to (or itself). ``depth`` is 0
    for a compiler's error, then 1 for the innermost exception, and so on.
    """

    rule: Rule
    match: Match
    severity: Severity
    failure: int
    depth: int
    process: Process | None

    @property
    def line(self) -> int:
        """Return the line where the primary subject starts."""
        return self.match.primary.span.line


class Judge:
    """Judges the matches of one log."""

    def __init__(self, log: Log) -> None:
        """Look at nothing yet."""
        self._log = log

    def judge(self, rule: Rule, match: Match) -> Candidate:
        """Return what a match of a rule amounts to."""
        proof = match.primary
        event = self._log.events[proof.subject.event]
        severity = rule.severity
        if rule.carrier is Carrier.LOWER:
            severity = milder(severity, self.carried(event, proof.span))
        failure, depth = self._failure(event, proof)
        return Candidate(rule=rule, match=match, severity=severity, failure=failure, depth=depth, process=event.process)

    def carried(self, event: Event, span: Span) -> Severity:
        """Return the worst that something can be, given what carries it."""
        if any(within.span.covers(span) and same_process(within, event) for within in self._autotuning):
            return Severity.HANDLED
        if isinstance(event, Observation) and not event.fatal:
            return Severity.DEGRADED
        record = event.record
        if record is None:
            number = self._chain_around(event, span)
            record = self._log.events[number].record if number is not None else None
        return _CARRIED.get(record.level, Severity.FATAL) if record else Severity.FATAL

    def _failure(self, event: Event, proof: Proof) -> tuple[int, int]:
        if isinstance(event, ExceptionChain):
            return proof.subject.event, 1 + proof.subject.part
        is_error = isinstance(event, CompilerDiagnostic) and event.severity in _ERRORS
        number = self._chain_around(event, proof.span)
        if number is None and is_error:
            number = self._chain_near(event, proof.span)
        elif number is None and (announced := self._chain_announced(event, proof)):
            # The exception itself proves more than the line that quotes it.
            return announced[0], 1 + len(announced[1].exceptions)
        return (proof.subject.event if number is None else number), (0 if is_error else 1)

    def _chain_around(self, event: Event, span: Span) -> int | None:
        """Return the smallest traceback whose lines hold these."""
        lines = self._chain_lines
        best: int | None = None
        # Chains that hold the span start before it; those before the longest one cannot reach it.
        for position in range(bisect_right(lines, span.line) - 1, -1, -1):
            if lines[position] < span.line - self._longest_chain:
                break
            number, chain = self._log.chains[position]
            if chain is event or not chain.span.covers(span) or not same_process(chain, event):
                continue
            if best is None or _length(chain.span) < _length(self._log.events[best].span):
                best = number
        return best

    def _chain_near(self, event: Event, span: Span) -> int | None:
        process, distance = process_name(event), self._log.own_lines.distance
        near = [
            (distance(process, chain.span, span), number)
            for number, chain in self._log.chains
            if same_process(chain, event)
        ]
        least, number = min(near, default=(0, None))
        return number if least <= _COMPILER_REACH else None

    def _chain_announced(self, event: Event, proof: Proof) -> tuple[int, ExceptionChain] | None:
        """Return the traceback right below a line that says what its exception says."""
        if proof.text is None or not isinstance(event, Text | LogRecord):
            return None
        said, lines = proof.text[proof.start : proof.end], self._chain_lines
        last = self._log.own_lines.below(process_name(event), proof.span.end_line, _ANNOUNCED)
        for position in range(bisect_right(lines, proof.span.end_line), len(lines)):
            if lines[position] > last:
                break
            number, chain = self._log.chains[position]
            if same_process(chain, event) and any(said in said_by(exception) for exception in chain.exceptions):
                return number, chain
        return None

    @cached_property
    def _autotuning(self) -> tuple[AutotuneFailure, ...]:
        numbers = self._log.by_kind.get(Kind.AUTOTUNE, ())
        events = (self._log.events[number] for number in numbers)
        return tuple(event for event in events if isinstance(event, AutotuneFailure))

    @cached_property
    def _chain_lines(self) -> tuple[int, ...]:
        return tuple(chain.span.line for _, chain in self._log.chains)

    @cached_property
    def _longest_chain(self) -> int:
        return max((_length(chain.span) for _, chain in self._log.chains), default=0)


class Zone(NamedTuple):
    """Lines in which a process recovered by itself; ``only`` and ``unless`` narrow what from.

    Where what it was about ``started`` within the log, nothing that began before is part of it.
    """

    lines: Span
    process: str | None
    severity: Severity
    only: Pattern | None = None
    unless: Pattern | None = None
    started: bool = False

    def holds(self, event: Event, span: Span) -> bool:
        """Tell whether an event is excused here, of which these lines matter."""
        if process_name(event) != self.process:
            return False
        begins = span.line if self.started else span.end_line
        if span.line > self.lines.end_line or begins < self.lines.line:
            return False
        return (self.only is None or _says(event, self.only)) and not (self.unless and _says(event, self.unless))


def find_zones(candidates: Iterable[Candidate], log: Log) -> tuple[Zone, ...]:
    """Return the neighbourhoods that rules for what is harmless declare."""
    zones: list[Zone] = []
    for candidate in candidates:
        handles = candidate.rule.handles
        if handles and not _follows_an_exception(candidate, handles, log):
            zones.append(_zone(candidate, handles, log))
    return tuple(dict.fromkeys(zones))


def _follows_an_exception(candidate: Candidate, handles: Handles, log: Log) -> bool:
    """Tell whether a line that is harmless by itself only ends up in the message of an exception above it.

    A message takes in the plain lines that follow it; what they say is not said of the exception.
    """
    proof = candidate.match.primary
    alone = not handles.before and not handles.after
    is_exception = isinstance(log.events[proof.subject.event], ExceptionChain)
    return alone and is_exception and "\n" in (proof.text or "")[: proof.start]


def _zone(candidate: Candidate, handles: Handles, log: Log) -> Zone:
    span, process = candidate.match.primary.span, candidate.process.name if candidate.process else None
    first, start = log.own_lines.above(process, span.line, handles.before), None
    for pattern in handles.since:
        lines = (line for line in _lines_saying(pattern, process, log) if first <= line < span.line)
        start = max(lines, default=None)
        if start is not None:
            break
    if handles.before:
        above = Span(line=first, end_line=span.line)
        raised = _end_of_a_traceback(process, above, log) if handles.since and start is None else None
        ends = (start, raised, _end_of_a_process(process, above, log, plain=start is None))
        start = max((end for end in ends if end is not None), default=None)
    return Zone(
        lines=Span(line=start or first, end_line=log.own_lines.below(process, span.end_line, handles.after)),
        process=process,
        severity=handles.severity,
        only=handles.only,
        unless=handles.unless,
        started=start is not None,
    )


def _end_of_a_process(process: str | None, lines: Span, log: Log, *, plain: bool) -> int | None:
    """Return the line below the last that tells how a process ended: what went well later was another one.

    A signal, or the end of a whole job, stops whatever ran. A ``plain`` exit code counts if asked for: it may be that
    of a child which was to fail.
    """
    ends = (
        event.span.end_line + 1
        for number in log.by_kind.get(Kind.EXIT, ())
        if isinstance(event := log.events[number], ProcessExit)
        and lines.line <= event.span.line < lines.end_line
        and process_name(event) == process
        and event.record is None
        and (event.signal or (event.exit_code and (plain or event.message.startswith(_JOB_ENDS))))
    )
    return max(ends, default=None)


def _end_of_a_traceback(process: str | None, lines: Span, log: Log) -> int | None:
    """Return the line below the last traceback that ended a program: what went well later was another one."""
    ends = (
        chain.span.end_line + 1
        for _, chain in log.chains
        if lines.line <= chain.span.line < lines.end_line and process_name(chain) == process and _ended_program(chain)
    )
    return max(ends, default=None)


def _ended_program(chain: ExceptionChain) -> bool:
    """Tell whether nothing caught an exception, from the first line of the program on."""
    frames = frames_of(chain, len(chain.exceptions) - 1)
    return chain.record is None and bool(frames) and frames[0].function == "<module>" and frames[0].owner is Owner.USER


def _lines_saying(pattern: Pattern, process: str | None, log: Log) -> Iterator[int]:
    """Yield the lines, in plain text or at the end of a message, in which a process says something."""
    for event in log.events:
        if isinstance(event, Text):
            said = event.message
        elif isinstance(event, ExceptionChain):
            # A message takes in the plain lines that follow it.
            said = event.exceptions[-1].message
        else:
            continue
        if process_name(event) != process:
            continue
        text, start = shortened(said), 0
        last = text.count("\n")
        while hit := pattern.search(text, start):
            yield event.span.end_line - last + text.count("\n", 0, hit.start)
            start = text.find("\n", hit.end) + 1
            if not start:
                break


def _says(event: Event, pattern: Pattern) -> bool:
    return any(pattern.search(shortened(said)) for said in everything_said(event))


def lower_in_zones(candidates: Sequence[Candidate], zones: Sequence[Zone], log: Log) -> tuple[Candidate, ...]:
    """Lower what stands in a zone to what the zone allows; the harmless rules themselves stay."""
    if not zones:
        return tuple(candidates)
    lowered: list[Candidate] = []
    for candidate in candidates:
        severity = candidate.severity
        if candidate.rule.handles is None:
            event = log.events[candidate.match.primary.subject.event]
            for zone in zones:
                if gravity(zone.severity) < gravity(severity) and zone.holds(event, candidate.match.primary.span):
                    severity = zone.severity
        lowered.append(candidate if severity is candidate.severity else candidate._replace(severity=severity))
    return tuple(lowered)


def same_process(one: Event, other: Event) -> bool:
    """Tell whether two events were printed by the same process, as far as the log says."""
    return process_name(one) == process_name(other)


def _length(span: Span) -> int:
    return span.end_line - span.line
