"""The leaves of a condition with their places in the rule file, and which of them others make needless."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tracelens.ruleset.model import AllOf, AnyOf, Condition, Kind, Leaf, Not, Rule
from tracelens.ruleset.pattern_tree import parse
from tracelens.ruleset.patterns import Pattern
from tracelens.ruleset.triggers import Steps


class PlacedPattern(NamedTuple):
    """A pattern and the keys and numbers that lead to it."""

    steps: Steps
    pattern: Pattern


def patterns_of(rule: Rule) -> Iterator[PlacedPattern]:
    """Yield every pattern of a rule."""
    yield from _patterns(rule.when, ("when",))
    for number, veto in enumerate(rule.unless):
        yield from _patterns(veto, ("unless", number))
    if rule.handles:
        for key, only in (("only", rule.handles.only), ("unless", rule.handles.unless)):
            if only:
                yield PlacedPattern(("handles", key), only)
        for number, pattern in enumerate(rule.handles.since):
            yield PlacedPattern(("handles", "since", number), pattern)


def _patterns(condition: Condition, steps: Steps) -> Iterator[PlacedPattern]:
    if isinstance(condition, Leaf):
        for field, pattern in condition.patterns:
            key = "pattern" if condition.kind is Kind.SAID else field
            yield PlacedPattern((*steps, condition.kind.value, key), pattern)
    elif isinstance(condition, Not):
        yield from _patterns(condition.condition, (*steps, "not"))
    else:
        name = "any" if isinstance(condition, AnyOf) else "all"
        for number, member in enumerate(condition.conditions):
            yield from _patterns(member, (*steps, name, number))


def needless_members(condition: Condition, steps: Steps) -> Iterator[tuple[Steps, Steps]]:
    """Yield members of an ``any`` that never lead, each with the earlier one that holds wherever it does."""
    if isinstance(condition, Leaf):
        return
    if isinstance(condition, Not):
        yield from needless_members(condition.condition, (*steps, "not"))
        return
    name = "any" if isinstance(condition, AnyOf) else "all"
    for number, member in enumerate(condition.conditions):
        here = (*steps, name, number)
        if isinstance(condition, AnyOf):
            covering = next(
                (earlier for earlier in range(number) if _covers(condition.conditions[earlier], member)), None
            )
            if covering is not None:
                yield here, (*steps, name, covering)
        yield from needless_members(member, here)


def _covers(earlier: Condition, later: Condition) -> bool:
    """Tell whether one condition surely holds wherever another does; ``False`` where that is not known."""
    if earlier == later:
        return True
    if isinstance(later, AllOf):
        # It is found through its first member.
        return _covers(earlier, later.conditions[0])
    return isinstance(earlier, Leaf) and isinstance(later, Leaf) and _leaf_covers(earlier, later)


def _leaf_covers(earlier: Leaf, later: Leaf) -> bool:
    if earlier.kind is not later.kind or earlier.place or earlier.grows or earlier.at_least > later.at_least:
        return False
    if earlier.said_in and not (later.said_in and set(later.said_in) <= set(earlier.said_in)):
        return False
    chosen, sought = dict(later.choices), dict(later.patterns)
    return all(name in chosen and set(chosen[name]) <= set(wanted) for name, wanted in earlier.choices) and all(
        name in sought and _implies(sought[name], pattern) for name, pattern in earlier.patterns
    )


def _implies(later: Pattern, earlier: Pattern) -> bool:
    if later.source == earlier.source:
        return True
    text = _plain_text(earlier)
    return bool(text and later.literals) and all(
        text in literal and not later.ignore_case for literal, _words, _part in later.literals
    )


def _plain_text(pattern: Pattern) -> str:
    """Return the text that a pattern is, if it is nothing else."""
    items = list(parse(pattern.source))
    if pattern.ignore_case or any(operator.name != "LITERAL" for operator, _ in items):
        return ""
    return "".join(chr(value) for _, value in items)
