"""Rules that get into each other's way, tried on the examples in their files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tracelens.engine.criteria import Criterion, what_decides
from tracelens.engine.diagnose import judge_events
from tracelens.engine.judge import Candidate
from tracelens.engine.trial import store_of
from tracelens.findings import Role
from tracelens.ruleset.compiled import RuleSet
from tracelens.ruleset.model import Rule

#: Where nothing but these tells two rules apart, their order is an accident.
_ACCIDENTS = (Criterion.LINE, Criterion.EARLIER_FAILURE)


class Overlap(NamedTuple):
    """A rule whose examples another one answers or claims; ``example`` is ``None`` where that is so for all."""

    rule: Rule
    other: str
    example: int | None


def find_overlaps(rules: Sequence[Rule], everything: RuleSet) -> Iterator[Overlap]:
    """Yield the overlaps of some rules with any other."""
    for rule in rules:
        if rule.role is Role.CAUSE and rule.handles is None:
            yield from _overlaps(rule, everything)


def _overlaps(rule: Rule, everything: RuleSet) -> Iterator[Overlap]:
    winners: list[str] = []
    for number, text in enumerate(rule.examples.positive):
        judgement = judge_events(store_of(text), everything)
        if not judgement.ranked:
            continue
        top = judgement.ranked[0].best
        winners.append(top.rule.code)
        if top.rule.code != rule.code:
            continue
        for other in (item.best for item in judgement.ranked[1:]):
            if _is_rival(top, other) and what_decides(top, other, judgement.candidates, judgement.log) in _ACCIDENTS:
                yield Overlap(rule, other.rule.code, number)
    if winners and rule.code not in winners:
        yield Overlap(rule, winners[0], None)


def _is_rival(top: Candidate, other: Candidate) -> bool:
    return other.rule.label != top.rule.label and other.line == top.line and other.failure == top.failure
