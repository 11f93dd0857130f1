"""The whole judgement of one log, in one place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tracelens.engine.because import say_because
from tracelens.engine.environment import Machine, environment_captures, read_machine
from tracelens.engine.evidence import Excerpt, find_evidence, proving_line, show
from tracelens.engine.failures import Failure, find_failures, is_only_looked_for, unexplained_failure
from tracelens.engine.fields import GUARDED, guards_of, said_by
from tracelens.engine.fingerprint import fingerprint_of
from tracelens.engine.fixes import fit_fixes
from tracelens.engine.idle import without_idle
from tracelens.engine.judge import Candidate, Judge, find_zones, lower_in_zones
from tracelens.engine.log import Log
from tracelens.engine.match import Matcher, Proof
from tracelens.engine.pipeline import read_pipeline, stage_of
from tracelens.engine.rank import Ranked, rank_candidates
from tracelens.engine.restated import closing_proof, message_tells
from tracelens.engine.store import EventStore
from tracelens.engine.user_frame import user_frame_of
from tracelens.events import CompilerDiagnostic, Event, ExceptionChain, Observation, Unfinished
from tracelens.findings import (
    Confidence,
    Coverage,
    Diagnosis,
    Diagnostic,
    EvidenceRole,
    Finding,
    Outcome,
    Role,
    Severity,
)
from tracelens.record import replace
from tracelens.ruleset.compiled import Entry, RuleSet
from tracelens.ruleset.model import Rule
from tracelens.ruleset.templates import fill_text
from tracelens.text import Documents, Span, line_around
from tracelens.typed import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tracelens.timeline import Timeline  # only a trace has one, and an import costs every start

#: So many guards of a storm of recompilations are shown.
_MAX_GUARDS = 4

CLEAN = "none/clean"


class Judgement(NamedTuple):
    """Everything that led to an answer; what ``explain`` shows to rule authors."""

    log: Log
    machine: Machine
    candidates: tuple[Candidate, ...]
    ranked: tuple[Ranked, ...]
    failures: tuple[Failure, ...]
    unexplained: Failure | None
    diagnostics: tuple[Diagnostic, ...]


class Reading(NamedTuple):
    """How an input was read: what of it, under which name, and with which remarks."""

    coverage: Coverage
    source: str = "-"
    diagnostics: tuple[Diagnostic, ...] = ()
    #: Where artifacts stand behind the log, and what their traces tell.
    documents: Documents | None = None
    timeline: Timeline | None = None
    #: How many characters of the log the answer shall carry, and how many lines there are.
    excerpt_room: int = 0
    log_lines: int = 0


def diagnose(
    events: Iterable[Event] | EventStore, ruleset: RuleSet, *, excerpt: Excerpt, reading: Reading, strict: bool = False
) -> Diagnosis:
    """Return the answer for the events of one input.

    A rule that crashes is noted and left out; with ``strict`` it is let through.
    """
    store = events if isinstance(events, EventStore) else EventStore(events)
    judgement = judge_events(store, ruleset, strict=strict)
    remarks = [*reading.diagnostics, *judgement.diagnostics]
    if reading.coverage.lines == 0 and not judgement.log.events:
        message = "The input is empty. A process that is killed by SIGSEGV, SIGBUS or SIGKILL prints nothing."
        remarks.append(Diagnostic(code="empty-input", message=message))
    answer = _answer(judgement, excerpt, reading._replace(diagnostics=tuple(remarks)))
    if reading.documents is not None:
        # Only artifacts need them.
        from tracelens.engine.documents import place
        from tracelens.engine.timeline import fit_timeline

        fitted = fit_timeline(reading.timeline, ruleset, judgement.machine) if reading.timeline else None
        answer = replace(place(answer, judgement.ranked, judgement.log, reading.documents), timeline=fitted)
    if reading.excerpt_room > 0:
        # Only reports carry a part of the log.
        from tracelens.engine.excerpts import choose_excerpts

        proofs, lines = _proofs(judgement), reading.log_lines
        answer = replace(answer, excerpts=choose_excerpts(judgement.log, proofs, lines, excerpt, reading.excerpt_room))
    return answer


def judge_events(store: EventStore, ruleset: RuleSet, *, strict: bool = False) -> Judgement:
    """Match and rank; ``strict`` lets a rule's crash through instead of noting it."""
    log = Log(store.events(), store.own_lines)
    machine = read_machine(log)
    judge = Judge(log)
    found, remarks = _all_candidates(log, machine, judge, ruleset, strict=strict)
    zones = find_zones(found, log)
    candidates = without_idle(lower_in_zones(found, zones, log), found, log, judge)
    ranked = rank_candidates(candidates, log)
    failures = find_failures(log, judge, zones)
    if store.dropped:
        message = f"{store.dropped} events in the middle of the log were not kept; the first and the last ones were."
        remarks.append(Diagnostic(code="events-dropped", message=message))
    return Judgement(
        log=log,
        machine=machine,
        candidates=candidates,
        ranked=ranked,
        failures=failures,
        unexplained=_unexplained(failures, candidates, ranked, log),
        diagnostics=tuple(remarks),
    )


def _all_candidates(
    log: Log, machine: Machine, judge: Judge, ruleset: RuleSet, *, strict: bool
) -> tuple[list[Candidate], list[Diagnostic]]:
    matcher = Matcher(log)
    candidates: list[Candidate] = []
    remarks: list[Diagnostic] = []
    for entry in log.openable(ruleset):
        try:
            if log.passes(entry.sieve):
                candidates += _candidates(entry, machine, matcher, judge)
        except Exception as error:  # noqa: PERF203 - one rule of a stranger's folder must not take the others with it
            if strict:
                raise
            message = f"The rule {entry.code} failed and was left out: {type(error).__name__}: {error}"
            remarks.append(Diagnostic(code=entry.code, message=message))
    return candidates, remarks


def _candidates(entry: Entry, machine: Machine, matcher: Matcher, judge: Judge) -> list[Candidate]:
    search = entry.search
    for name, bounds in search.versions:
        version = getattr(machine.environment, name)
        if version:
            from tracelens.ruleset.versions import is_within  # few logs name the version that a rule asks about

            if not is_within(version, bounds):
                return []
    return [judge.judge(entry.rule, match) for match in matcher.matches(search.when, search.unless)]


def _unexplained(
    failures: Sequence[Failure], candidates: Sequence[Candidate], ranked: Sequence[Ranked], log: Log
) -> Failure | None:
    """Return the failure that the answer has to be about because no finding is."""
    top = ranked[0].best if ranked else None
    if top and top.severity is Severity.FATAL and top.rule.role is not Role.CONSEQUENCE:
        return None
    left = unexplained_failure(failures, candidates, log)
    if left is None or top is None or top.severity is Severity.HANDLED:
        return left
    event = log.events[left.event]
    if top.severity is Severity.FATAL:
        # A consequence does not answer for an earlier failure that nothing explains.
        return left if isinstance(event, ExceptionChain) and left.span.line < top.line else None
    # Probes of the compiler fail in many a log that is fine.
    return None if isinstance(event, CompilerDiagnostic | Unfinished) else left


def _answer(judgement: Judgement, excerpt: Excerpt, reading: Reading) -> Diagnosis:
    log, machine = judgement.log, judgement.machine
    findings = tuple(_finding(item, judgement, excerpt, reading.log_lines) for item in judgement.ranked)
    clean = Diagnosis(
        outcome=Outcome.CLEAN,
        root_cause=None,
        label=CLEAN,
        confidence=Confidence.CERTAIN if reading.coverage.lines else None,
        findings=findings,
        environment=machine.environment,
        pipeline=(),
        coverage=reading.coverage,
        diagnostics=reading.diagnostics,
        source=reading.source,
    )
    failure = judgement.unexplained
    if failure:
        # Needed for few logs, and it brings a dozen patterns.
        from tracelens.engine.unexplained import explain_failure

        return replace(
            clean,
            outcome=Outcome.UNEXPLAINED,
            label=None,
            confidence=None,
            pipeline=read_pipeline(log, stage_of(log, failure.event), Severity.FATAL),
            unexplained=explain_failure(failure, log, machine),
            evidence=(show(failure.span, excerpt, role=EvidenceRole.ROOT, spoken=failure.seen),),
            fingerprint=fingerprint_of(None, failure.seen),
        )
    if not findings or findings[0].severity is Severity.HANDLED:
        return replace(clean, pipeline=read_pipeline(log, None, None))
    top = findings[0]
    return replace(
        clean,
        outcome=Outcome.DIAGNOSED if top.root_cause else Outcome.OUTSIDE,
        root_cause=top.root_cause,
        label=top.label,
        confidence=top.confidence,
        pipeline=read_pipeline(log, top.stage, top.severity),
        fingerprint=top.fingerprint,
    )


def _proofs(judgement: Judgement) -> Iterator[tuple[Span, Span]]:
    """Return the lines of the events that the answer rests on, and those that prove it."""
    log = judgement.log
    if judgement.unexplained:
        yield log.events[judgement.unexplained.event].span, judgement.unexplained.span
    for item in judgement.ranked:
        match = item.best.match
        for proof in (match.primary, *match.context):
            yield proof.whole, proof.span
        yield log.events[item.best.failure].span, match.primary.span


def _guard_spans(item: Ranked, log: Log) -> tuple[Span, ...]:
    """Return the lines of the guard that matched, then of its like that look at something else."""
    shown: dict[str, Span] = {}
    kind = None
    for candidate in item.all:
        proof = candidate.match.primary
        guards = guards_of(log.events[proof.subject.event]) if proof.kind in GUARDED else ()
        for guard in (guards[proof.guard], *guards) if guards else ():
            kind = kind or guard.kind
            if guard.kind is kind and len(shown) < _MAX_GUARDS:
                shown.setdefault(guard.source or guard.expression, guard.span)
    return tuple(shown.values())


def _proving_text(proof: Proof, log: Log) -> str:
    """Return the line that says what a proof proves; a type or a path alone says too little."""
    event = log.events[proof.subject.event]
    guards = guards_of(event) if proof.kind in GUARDED else ()
    if guards:
        return guards[proof.guard].expression
    if proof.text is not None and proof.field not in ("type", "path"):
        return proving_line(proof)
    if isinstance(event, ExceptionChain):
        # The parts of some kinds are finer than exceptions.
        part = min(proof.subject.part, len(event.exceptions) - 1)
        return line_around(said_by(event.exceptions[part]), 0)
    return line_around(str(getattr(event, "message", "")), 0) or proving_line(proof)


def _confidence(item: Ranked, failures: Sequence[Failure], log: Log) -> Confidence:
    """Return how sure a finding is: no surer than what was seen proves."""
    rule, number = item.best.rule, item.best.match.primary.subject.event
    event = log.events[number]
    unproven = (isinstance(event, Observation) and not event.proven) or is_only_looked_for(number, failures, log)
    return Confidence.LIKELY if unproven and rule.confidence is Confidence.CERTAIN else rule.confidence


def _finding(item: Ranked, judgement: Judgement, excerpt: Excerpt, log_lines: int) -> Finding:
    best, log = item.best, judgement.log
    rule: Rule = best.rule
    captures = {**environment_captures(judgement.machine), **best.match.captures}
    return Finding(
        code=rule.code,
        label=rule.label,
        title=fill_text(rule.title, captures),
        summary=fill_text(rule.summary, captures),
        severity=best.severity,
        confidence=_confidence(item, judgement.failures, log),
        stage=rule.stage or stage_of(log, best.match.primary.subject.event) or stage_of(log, best.failure),
        rank=best.process.rank if best.process else None,
        process=best.process.name if best.process else None,
        occurrences=item.occurrences,
        evidence=find_evidence(
            best.match,
            excerpt,
            guard_spans=_guard_spans(item, log),
            message_tells=message_tells(best, log),
            closing=closing_proof(best, judgement.candidates, log) if item is judgement.ranked[0] else None,
        ),
        fixes=fit_fixes(rule, captures, judgement.machine),
        because=say_because(item, judgement.ranked, judgement.failures, log, log_lines),
        not_helpful=rule.not_helpful,
        explanation=rule.explanation,
        references=rule.references,
        ranks=item.ranks,
        role=rule.role,
        user_frame=user_frame_of(log.events[best.failure]),
        fingerprint=fingerprint_of(rule.label, _proving_text(best.match.primary, log)),
    )
