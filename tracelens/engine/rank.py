"""Which finding is the answer, and in which order the others follow.

First what it did to the run; then causes before consequences and fallbacks;
then the process that failed first; then the failure that matters most, and
within one failure what lies innermost; of recompilations without a limit, the
commonest reason. Equal causes become one finding.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from tracelens.engine.fields import process_name, sayings
from tracelens.engine.judge import Candidate, gravity
from tracelens.engine.log import Log
from tracelens.events import CompilerDiagnostic, Event, ExceptionChain, ProcessExit, Recompile
from tracelens.expressions import expression
from tracelens.findings import Role, Severity
from tracelens.ruleset.model import Kind
from tracelens.text import Process, line_around
from tracelens.typed import NamedTuple

#: Of one rule: more different causes than this are counted, not listed.
_MAX_OF_ONE_RULE = 6
_MAX_FINDINGS = 40
#: So few lines lie between the messages of a compiler that are about one thing.
_ONE_MESSAGE = 6
_HIGHEST = max(gravity(severity) for severity in Severity)
_ROLES = {Role.CAUSE: 0, Role.CONSEQUENCE: 1, Role.FALLBACK: 2}
#: What differs between two processes with one and the same cause.
_VARIABLE = expression(r"0x[0-9a-fA-F]+|(?:/[\w.+-]+)*/tmp\w*/[^\s'\":]*|\b[a-z2-7]{40,}\b|\d+")


class Ranked(NamedTuple):
    """One finding to be: its best match, and all that say the same."""

    best: Candidate
    all: tuple[Candidate, ...]
    occurrences: int
    ranks: tuple[int, ...]


def rank_candidates(candidates: Sequence[Candidate], log: Log) -> tuple[Ranked, ...]:
    """Merge and order candidates; the first one is the answer."""
    candidates = _worth_ranking(candidates, log)
    order = Order(candidates, process_order(candidates, log))
    groups: dict[tuple[str, str], list[Candidate]] = {}
    for candidate in sorted(candidates, key=order.key):
        groups.setdefault((candidate.rule.code, cause_of(candidate, log)), []).append(candidate)
    merged = [_merged(group, log) for group in groups.values()]
    return tuple(_limited(merged))[:_MAX_FINDINGS]


def order_of(candidates: Sequence[Candidate], log: Log) -> Order:
    """Return the order in which candidates are ranked."""
    candidates = _worth_ranking(candidates, log)
    return Order(candidates, process_order(candidates, log))


def _worth_ranking(candidates: Iterable[Candidate], log: Log) -> list[Candidate]:
    return _without_echoes(_without_needless_fallbacks(_innermost_only(candidates)), log)


def process_order(candidates: Iterable[Candidate], log: Log) -> dict[str | None, int]:
    """Return the processes in the order in which they failed.

    What torchelastic calls the first failure comes first; then whoever shows
    a fatal finding earliest, not counting consequences of other failures.
    """
    first_rank = next((event.rank for event in _exits(log) if event.first_failure), None)
    fatal = [candidate for candidate in candidates if candidate.severity is Severity.FATAL]
    causes = [candidate for candidate in fatal if candidate.rule.role is not Role.CONSEQUENCE]
    lines: dict[str | None, tuple[bool, int]] = {}
    for candidate in causes or fatal:
        name = candidate.process.name if candidate.process else None
        later = first_rank is None or _rank(candidate.process) != first_rank
        lines[name] = min(lines.get(name, (True, candidate.line)), (later, candidate.line))
    return {name: number for number, name in enumerate(sorted(lines, key=lambda name: lines[name]))}


class Order:
    """A total order over the candidates of one log."""

    def __init__(self, candidates: Sequence[Candidate], processes: dict[str | None, int]) -> None:
        """Take all that is to be ordered, and the processes in the order in which they failed."""
        self._processes = processes
        self._recompiles = Counter(_tallied(candidate) for candidate in candidates if _is_recompile(candidate))
        self._heaviest = max((each.rule.weight for each in candidates if _is_recompile(each)), default=0)
        self._failures: dict[tuple[int, int, int], tuple[int, ...]] = {}
        for candidate in candidates:
            key = (*self._grade(candidate), candidate.failure)
            worth = (*self._worth(candidate), candidate.line)
            self._failures[key] = min(self._failures.get(key, worth), worth)

    def key(self, candidate: Candidate) -> tuple[object, ...]:
        """Return what a candidate is ordered by, as ``Criterion`` names it."""
        name = candidate.process.name if candidate.process else None
        grade = self._grade(candidate)
        failure = (*grade, candidate.failure)
        return (
            *grade,
            self._processes.get(name, len(self._processes)),
            self._failures[failure],
            candidate.failure,
            candidate.depth,
            self._worth(candidate),
            candidate.line,
            candidate.rule.code,
            candidate.match.primary.subject,
        )

    def _worth(self, candidate: Candidate) -> tuple[int, int, int]:
        """Return what is less the more a rule weighs; of recompilations, the commonest reason comes first."""
        weight = candidate.rule.weight
        if not _is_recompile(candidate):
            return -weight, 0, -weight
        return -self._heaviest, -self._recompiles[_tallied(candidate)], -weight

    def _grade(self, candidate: Candidate) -> tuple[int, int]:
        return -gravity(candidate.severity), _ROLES[candidate.rule.role]


def _is_recompile(candidate: Candidate) -> bool:
    """Tell whether a candidate rests on one recompilation of several, and not on the limit that they reached."""
    return candidate.match.primary.kind is Kind.RECOMPILE


def _tallied(candidate: Candidate) -> tuple[str, str | None]:
    return candidate.rule.code, candidate.process.name if candidate.process else None


def _innermost_only(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Keep one match of each rule in each failure: the most severe, then the innermost."""
    best: dict[tuple[str, int], Candidate] = {}
    for candidate in candidates:
        key = (candidate.rule.code, candidate.failure)
        known = best.get(key)
        if known is None or _nearness(candidate) < _nearness(known):
            best[key] = candidate
    return list(best.values())


def _nearness(candidate: Candidate) -> tuple[int, int, int]:
    return -gravity(candidate.severity), candidate.depth, candidate.line


def _without_needless_fallbacks(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Drop generic findings of failures that a better finding explains.

    A better rule that knows a failure to be mild is believed over a generic
    one that takes it to be fatal; one that was lowered by what carried its own
    evidence says nothing about the rest of the failure.
    """
    explained: dict[int, int] = {}
    for candidate in candidates:
        if candidate.rule.role is Role.FALLBACK or candidate.rule.handles:
            continue
        own = candidate.severity is candidate.rule.severity
        known = explained.get(candidate.failure, -1)
        explained[candidate.failure] = max(known, _HIGHEST if own else gravity(candidate.severity))
    return [
        candidate
        for candidate in candidates
        if candidate.rule.role is not Role.FALLBACK
        or candidate.rule.handles
        or gravity(candidate.severity) > explained.get(candidate.failure, -1)
    ]


def _without_echoes(candidates: Sequence[Candidate], log: Log) -> list[Candidate]:
    """Drop what is said in general of a compiler's message right beside one that a better finding explains.

    A build says in several messages that one thing is missing; outside a traceback each is a failure of its own.
    """
    better = [
        candidate
        for candidate in candidates
        if candidate.rule.role is Role.CAUSE and not isinstance(_event(candidate, log), ExceptionChain)
    ]
    return [
        candidate
        for candidate in candidates
        if candidate.rule.role is not Role.FALLBACK
        or candidate.rule.handles
        or not isinstance(_event(candidate, log), CompilerDiagnostic)
        or not any(_echoes(candidate, other, log) for other in better)
    ]


def _event(candidate: Candidate, log: Log) -> Event:
    return log.events[candidate.match.primary.subject.event]


def _echoes(general: Candidate, better: Candidate, log: Log) -> bool:
    """Tell whether a general finding stands so near a better one, of the same process, that it is about the same."""
    event, other = _event(general, log), _event(better, log)
    if general.process != better.process or gravity(better.severity) < gravity(general.severity):
        return False
    paths = {each.path for each in (event, other) if isinstance(each, CompilerDiagnostic) and each.path}
    if len(paths) > 1:
        return False  # two files, each with an error of its own
    spans = general.match.primary.span, better.match.primary.span
    return log.own_lines.distance(process_name(event), *spans) <= _ONE_MESSAGE


def cause_of(candidate: Candidate, log: Log) -> str:
    """Return what a finding is about, without what differs from process to process."""
    proof = candidate.match.primary
    event = log.events[proof.subject.event]
    if isinstance(event, Recompile):
        text = event.function
    elif proof.text is not None and proof.field in ("message", "reason"):
        text = line_around(proof.text, proof.start)
    else:
        text = line_around(next(iter(sayings(event, proof.subject.part)), ""), 0)
    return _VARIABLE.sub("#", text)


def _merged(group: Sequence[Candidate], log: Log) -> Ranked:
    events = {candidate.match.primary.subject.event for candidate in group}
    ranks = {rank for candidate in group if (rank := _rank(candidate.process)) is not None}
    return Ranked(
        best=group[0],
        all=tuple(group),
        occurrences=sum(log.counts[event] for event in events),
        ranks=tuple(sorted(ranks)),
    )


def _limited(ranked: Sequence[Ranked]) -> Iterable[Ranked]:
    shown: dict[str, int] = {}
    for item in ranked:
        code = item.best.rule.code
        shown[code] = shown.get(code, 0) + 1
        if shown[code] <= _MAX_OF_ONE_RULE:
            yield item


def _exits(log: Log) -> Iterable[ProcessExit]:
    events = (log.events[number] for number in log.by_kind.get(Kind.EXIT, ()))
    return (event for event in events if isinstance(event, ProcessExit))


def _rank(process: Process | None) -> int | None:
    return process.rank if process else None
