"""What stands in a log besides the first proof of a finding, and proves it as well.

The first proof is nearest to the cause. What a run ended with is what people
see at the bottom of a log and search for; where it says the same, or another
thing of the same label, an answer quotes both.
"""

from __future__ import annotations

from collections.abc import Iterable

from tracelens.engine.failures import is_wrapper
from tracelens.engine.fields import Subject, said_by
from tracelens.engine.judge import Candidate, same_process
from tracelens.engine.log import Log
from tracelens.engine.match import Proof
from tracelens.engine.rank import cause_of
from tracelens.events import CompilerDiagnostic, ExceptionChain, LogRecord, Observation, Recompile, RecompileLimit, Text
from tracelens.findings import Role, Severity
from tracelens.ruleset.model import Kind


def closing_proof(best: Candidate, candidates: Iterable[Candidate], log: Log) -> Proof | None:
    """Return the last place at which the process tells of the same, in the same failure if it does so there."""
    if best.severity is not Severity.FATAL:
        return None
    later = [candidate for candidate in candidates if _tells_of(candidate, best) and _comes_after(candidate, best, log)]
    own = [candidate for candidate in later if candidate.failure == best.failure]
    passed_on = None if own else _passed_on(best, log)
    if passed_on is not None:
        return passed_on
    last = max(own or later, key=lambda candidate: (candidate.line, candidate.depth), default=None)
    return last.match.primary if last else None


def _passed_on(best: Candidate, log: Log) -> Proof | None:
    """Return the outermost exception of the chain that repeats, by name and text, the one that proves a finding."""
    proof = best.match.primary
    event = log.events[proof.subject.event]
    if not isinstance(event, ExceptionChain) or proof.subject.part >= len(event.exceptions):
        return None
    inner = event.exceptions[proof.subject.part]
    name, message = inner.type_name.rpartition(".")[2], inner.message.partition("\n")[0]
    if not (name and message):
        return None
    said = f"{name}: {message}"
    for part in range(len(event.exceptions) - 1, proof.subject.part, -1):
        text = said_by(event.exceptions[part])
        start = text.find(said)
        if start >= 0:
            return Proof(
                kind=Kind.SAID,
                subject=Subject(proof.subject.event, part),
                span=event.exceptions[part].span,
                whole=event.span,
                field="message",
                text=text,
                start=start,
                end=start + len(said),
            )
    return None


def message_tells(best: Candidate, log: Log) -> bool:
    """Tell whether the message of the exception that proves a finding is about it from the first line on."""
    proof = best.match.primary
    event = log.events[proof.subject.event]
    if not isinstance(event, ExceptionChain):
        return False
    exception = event.exceptions[min(proof.subject.part, len(event.exceptions) - 1)]
    return not is_wrapper(exception) and not exception.message.startswith("\n")


def _tells_of(candidate: Candidate, best: Candidate) -> bool:
    if candidate.rule.label != best.rule.label or candidate.severity is not best.severity:
        return False
    # Two rules of what nothing better is known of may be about two things.
    return candidate.rule.code == best.rule.code or candidate.rule.role is best.rule.role is Role.CAUSE


def _comes_after(candidate: Candidate, best: Candidate, log: Log) -> bool:
    proof, first = candidate.match.primary, best.match.primary
    event, other = log.events[proof.subject.event], log.events[first.subject.event]
    if isinstance(event, Observation | Recompile | RecompileLimit) or not same_process(event, other):
        return False
    if isinstance(event, CompilerDiagnostic) and isinstance(other, CompilerDiagnostic):
        return False  # the first error of a compiler counts, and the last one may be about anything
    plain = isinstance(event, Text | LogRecord) and isinstance(other, Text | LogRecord)
    if plain and cause_of(candidate, log) == cause_of(best, log):
        return False  # the same, of another thread
    return proof.span.line > first.span.line
