"""Which events of logs no rule looks at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tracelens.engine.fields import Subject, everything_said, kind_of
from tracelens.engine.log import Log
from tracelens.engine.match import Matcher
from tracelens.engine.store import EventStore
from tracelens.events import Level
from tracelens.ruleset.model import SAYING, AllOf, AnyOf, Condition, Kind, Leaf, Not, Rule
from tracelens.text import Span

#: What is printed in healthy runs as well, so that its silence says nothing.
_MILD = (Level.INFO, Level.DEBUG)


class Unseen(NamedTuple):
    """An event that no condition of any rule holds for."""

    kind: Kind
    span: Span
    said: str


class LogCoverage(NamedTuple):
    """How many events of a log say something, and which of them no rule looks at, in log order."""

    source: str
    events: int
    unseen: tuple[Unseen, ...]


def cover(source: str, store: EventStore, rules: Iterable[Rule]) -> LogCoverage:
    """Return what rules look at in a log."""
    log = Log(store.events(), store.own_lines)
    matcher = Matcher(log)
    seen = {subject.event for rule in rules for subject in _looked_at(rule, matcher)}
    unseen: list[Unseen] = []
    events = 0
    for number, event in enumerate(log.events):
        kind = kind_of(event)
        if kind not in SAYING or kind is Kind.TEXT or (event.record and event.record.level in _MILD):
            continue
        events += 1
        if number not in seen:
            unseen.append(Unseen(kind, event.span, next(iter(everything_said(event)), "").partition("\n")[0]))
    return LogCoverage(source, events, tuple(unseen))


def _looked_at(rule: Rule, matcher: Matcher) -> Iterator[Subject]:
    for leaf in _leaves(rule.when):
        for proof in matcher.proofs(leaf):
            yield proof.subject


def _leaves(condition: Condition) -> Iterator[Leaf]:
    if isinstance(condition, Leaf):
        yield condition
    elif isinstance(condition, AnyOf | AllOf):
        for member in condition.conditions:
            yield from _leaves(member)
    elif isinstance(condition, Not):
        # What any text satisfies looks at none of them.
        yield from (leaf for leaf in _leaves(condition.condition) if any(item.literals for _, item in leaf.patterns))
