"""Which rule speaks of what was seen on a machine."""

from __future__ import annotations

from collections.abc import Iterator

from tracelens.ruleset.compiled import RuleSet
from tracelens.ruleset.model import AnyOf, Condition, Kind, Leaf, Rule
from tracelens.topics import Topic


def rules_of_topics(ruleset: RuleSet) -> dict[Topic, Rule]:
    """Return for each topic the rule that an observation alone makes true; the heaviest where several do."""
    found: dict[Topic, Rule] = {}
    for entry in ruleset.entries:
        if not any(gate[0] == Kind.OBSERVED.value for gate in entry.gates):
            continue
        for topic in _topics(entry.rule.when):
            if topic not in found or found[topic].weight < entry.rule.weight:
                found[topic] = entry.rule
    return found


def _topics(condition: Condition) -> Iterator[Topic]:
    if isinstance(condition, AnyOf):
        for member in condition.conditions:
            yield from _topics(member)
    elif isinstance(condition, Leaf) and condition.kind is Kind.OBSERVED:
        for name, values in condition.choices:
            if name == "topic":
                yield from map(Topic, values)
