"""What became of one rule in one log, and why, in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tracelens.engine.condition_steps import Step, go_through
from tracelens.engine.criteria import Criterion, what_decides
from tracelens.engine.diagnose import Judgement
from tracelens.engine.evidence import Excerpt, locate
from tracelens.engine.judge import Candidate, Zone, find_zones, gravity
from tracelens.engine.match import Match, Matcher
from tracelens.engine.rank import Ranked
from tracelens.findings import Role, Severity
from tracelens.ruleset.model import Rule
from tracelens.ruleset.versions import is_within
from tracelens.typed import Enum


class Fate(Enum):
    """How far a rule came."""

    ANSWER = "the answer"
    OUTRANKED = "outranked"
    LEFT_OUT = "left out"
    VETOED = "vetoed"
    OTHER_VERSION = "for other versions"
    NO_MATCH = "no match"

    @property
    def matched(self) -> bool:
        """Tell whether the condition held and nothing vetoed it."""
        return self in (Fate.ANSWER, Fate.OUTRANKED, Fate.LEFT_OUT)


class Verdict(NamedTuple):
    """A rule's fate with its reasons, the most important first, and its conditions one by one."""

    rule: Rule
    fate: Fate
    reasons: tuple[str, ...]
    when: Step
    unless: tuple[Step, ...]


def judge_rule(rule: Rule, judgement: Judgement, excerpt: Excerpt) -> Verdict:
    """Return what became of a rule."""
    matcher = Matcher(judgement.log)
    places = tuple(matcher.places(rule.when))
    fate, reasons = _fate(rule, judgement, places, excerpt)
    return Verdict(
        rule=rule,
        fate=fate,
        reasons=reasons,
        when=go_through(rule.when, matcher, excerpt),
        unless=tuple(go_through(veto, matcher, excerpt, places[0].primary) for veto in rule.unless) if places else (),
    )


def _fate(
    rule: Rule, judgement: Judgement, places: tuple[Match, ...], excerpt: Excerpt
) -> tuple[Fate, tuple[str, ...]]:
    version = _wrong_version(rule, judgement)
    if version:
        return Fate.OTHER_VERSION, (version,)
    if not places:
        return Fate.NO_MATCH, ("its condition holds nowhere in this log",)
    own = [candidate for candidate in judgement.candidates if candidate.rule.code == rule.code]
    if not own:
        lines = ", ".join(str(locate(place.primary, excerpt).line) for place in places[:6])
        return Fate.VETOED, (f"its condition holds on line {lines}, and one of its vetoes does too",)
    ranked = next((item for item in judgement.ranked if item.best.rule.code == rule.code), None)
    if ranked is None:
        return Fate.LEFT_OUT, tuple(_left_out(own[0], judgement, excerpt))
    return _standing(ranked, judgement, excerpt)


def _wrong_version(rule: Rule, judgement: Judgement) -> str:
    for name, bounds in rule.versions:
        version = getattr(judgement.machine.environment, name)
        if version and not is_within(version, bounds):
            return f"it is for {name} {bounds}, and the log says {name} {version}"
    return ""


def _standing(own: Ranked, judgement: Judgement, excerpt: Excerpt) -> tuple[Fate, tuple[str, ...]]:
    reasons = tuple(_lowered(own.best, judgement, excerpt))
    top = judgement.ranked[0]
    if judgement.unexplained is not None:
        line = judgement.unexplained.span.line
        return Fate.OUTRANKED, (f"the answer is about a failure on line {line} that no rule explains", *reasons)
    if own is top:
        if own.best.severity is Severity.HANDLED:
            reasons = (*reasons, "all that was found was recovered from, so the log counts as clean")
        return Fate.ANSWER, reasons
    return Fate.OUTRANKED, (_outranked(top, own, judgement, excerpt), *reasons)


def _outranked(top: Ranked, own: Ranked, judgement: Judgement, excerpt: Excerpt) -> str:
    winner, loser = top.best, own.best
    criterion = what_decides(winner, loser, judgement.candidates, judgement.log)
    name = f"{winner.rule.code} (line {locate(winner.match.primary, excerpt).line})"
    return f"{name} outranked it, because {_because(criterion, winner, loser)}"


def _because(criterion: Criterion, winner: Candidate, loser: Candidate) -> str:
    nearer = "an error of the compiler" if winner.depth == 0 else "further inside the chain of exceptions"
    weights = f"its weight is {winner.rule.weight}, and that of {loser.rule.code} is {loser.rule.weight}"
    said = {
        Criterion.SEVERITY: f"that is {winner.severity.value}, and this only {loser.severity.value}",
        Criterion.ROLE: f"that is a {winner.rule.role.value}, and this a {loser.rule.role.value}",
        Criterion.PROCESS: f"{_process(winner)} failed before {_process(loser)}",
        Criterion.FAILURE: "that failure matters more: the weightier rule stands in it, or it stands first",
        Criterion.DEPTH: f"of one failure that is {nearer}",
        Criterion.WEIGHT: weights,
    }
    return said.get(criterion, "it stands first")


def _process(candidate: Candidate) -> str:
    return candidate.process.name if candidate.process else "the main process"


def _left_out(own: Candidate, judgement: Judgement, excerpt: Excerpt) -> Iterator[str]:
    line = locate(own.match.primary, excerpt).line
    better = [
        candidate.rule.code
        for candidate in judgement.candidates
        if candidate.failure == own.failure and candidate.rule.role is not Role.FALLBACK
    ]
    if own.rule.role is Role.FALLBACK and better:
        yield f"it matched on line {line}; as a fallback it gives way to {', '.join(dict.fromkeys(better))}"
    else:
        yield f"it matched on line {line}, below as many findings as are listed"
    yield from _lowered(own, judgement, excerpt)


def _lowered(own: Candidate, judgement: Judgement, excerpt: Excerpt) -> Iterator[str]:
    if own.severity is own.rule.severity:
        return
    change = f"lowered from {own.rule.severity.value} to {own.severity.value}"
    zone = _zone_of(own, judgement)
    if zone is not None:
        code = next(
            candidate.rule.code
            for candidate in judgement.candidates
            if candidate.rule.handles and zone in find_zones([candidate], judgement.log)
        )
        yield f"{change}, since {code} says that lines {zone.lines.line} to {zone.lines.end_line} were recovered from"
        return
    event = judgement.log.events[own.match.primary.subject.event]
    record = f" of level {event.record.level.value}" if event.record else ""
    line = locate(own.match.primary, excerpt).line
    yield f"{change}, since line {line} is carried by a message{record} after which the run goes on"


def _zone_of(own: Candidate, judgement: Judgement) -> Zone | None:
    proof = own.match.primary
    event = judgement.log.events[proof.subject.event]
    zones = find_zones(judgement.candidates, judgement.log)
    zones = tuple(zone for zone in zones if gravity(zone.severity) <= gravity(own.severity))
    holding = [zone for zone in zones if zone.severity is own.severity and zone.holds(event, proof.span)]
    return holding[0] if holding and own.severity is not Severity.FATAL else None
