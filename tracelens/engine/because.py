"""Why the first finding won, and where the others stand to it, in words."""

from __future__ import annotations

from tracelens.engine.failures import Failure, is_only_looked_for, is_wrapper
from tracelens.engine.log import Log
from tracelens.engine.rank import Ranked
from tracelens.events import CompilerDiagnostic, ExceptionChain, Level, Observation, ProcessExit
from tracelens.findings import Role, Severity
from tracelens.ruleset.model import Kind

_ERRORS = ("error", "fatal error")


def say_because(
    ranked: Ranked, everything: tuple[Ranked, ...], failures: tuple[Failure, ...], log: Log, log_lines: int
) -> str:
    """Return one or two sentences on why a finding stands where it does; facts of the machine stand below the log."""
    best = ranked.best
    if best.severity is Severity.HANDLED:
        return "torch recovered from this by itself; the run did not end here."
    if is_only_looked_for(best.match.primary.subject.event, failures, log):
        parts = ["The shell did not find it, and nothing in this log shows what came of that."]
    else:
        parts = [_nearest_to_cause(ranked, log, log_lines)]
    if best.severity is Severity.DEGRADED:
        parts.append(_went_on(ranked, log))
    parts += _processes(ranked, everything)
    if best.rule.role is Role.CONSEQUENCE:
        parts.append("It usually follows from another failure, which this log does not show or which stands elsewhere.")
    elif best.rule.role is Role.FALLBACK:
        parts.append("Nothing more specific is known of it.")
    if ranked is everything[0]:
        parts += _others(everything)
    return " ".join(parts)


def _nearest_to_cause(ranked: Ranked, log: Log, log_lines: int) -> str:
    best = ranked.best
    event = log.events[best.match.primary.subject.event]
    if isinstance(event, ExceptionChain):
        return _in_chain(event, best.match.primary.subject.part)
    if isinstance(event, CompilerDiagnostic) and event.severity in _ERRORS:
        chain = log.events[best.failure]
        relayed = " that the traceback only relays" if isinstance(chain, ExceptionChain) else ""
        others = sum(
            1
            for number in log.by_kind.get(Kind.DIAGNOSTIC, ())
            if number > best.match.primary.subject.event
            and isinstance(other := log.events[number], CompilerDiagnostic)
            and other.severity in _ERRORS
        )
        later = f"; {others} more error{'s follow' if others > 1 else ' follows'} it" if others else ""
        return f"It is the first error of the compiler or linker{relayed}{later}."
    if isinstance(event, Observation) or (isinstance(event, ProcessExit) and event.span.line > log_lines):
        return "The machine itself shows it."
    if ranked.occurrences > 1:
        return f"The log says so {ranked.occurrences} times."
    return "The log says so itself."


def _in_chain(chain: ExceptionChain, part: int) -> str:
    if len(chain.exceptions) == 1:
        return "It is the exception that was raised."
    outer = chain.exceptions[part + 1 :]
    wrappers = dict.fromkeys(
        exception.type_name.rpartition(".")[2] for exception in outer if is_wrapper(exception) and exception.type_name
    )
    place = "innermost" if part == 0 else "innermost one that a rule knows"
    passing = f"; {', '.join(wrappers)} only {'passes' if len(wrappers) == 1 else 'pass'} it on" if wrappers else ""
    return f"Of {len(chain.exceptions)} chained exceptions it is the {place}{passing}."


def _went_on(ranked: Ranked, log: Log) -> str:
    record = log.events[ranked.best.match.primary.subject.event].record
    if record is not None and record.level is Level.WARNING:
        return "It was logged as a warning: the run went on without what was asked for."
    return "The run went on without what was asked for."


def _processes(ranked: Ranked, everything: tuple[Ranked, ...]) -> list[str]:
    process = ranked.best.process
    named = {candidate.process.name for item in everything for candidate in item.all if candidate.process}
    if process is None or len(named) < 2:
        return []
    if len(ranked.ranks) > 1:
        first = f", rank {process.rank} first" if process.rank is not None else ""
        return [f"{len(ranked.ranks)} ranks show it{first}."]
    if ranked is everything[0] and ranked.best.rule.role is not Role.CONSEQUENCE:
        return [f"{process.name[:1].upper()}{process.name[1:]} failed first."]
    return []


def _others(everything: tuple[Ranked, ...]) -> list[str]:
    rest = everything[1:]
    handled = sum(1 for item in rest if item.best.severity is Severity.HANDLED)
    milder = sum(1 for item in rest if item.best.severity is Severity.DEGRADED)
    said: list[str] = []
    if milder and everything[0].best.severity is Severity.FATAL:
        said.append(f"{milder} other finding{'s' if milder > 1 else ''} did not end the run.")
    if handled:
        said.append(f"{handled} thing{'s' if handled > 1 else ''} that torch handled by itself did not count.")
    return said
