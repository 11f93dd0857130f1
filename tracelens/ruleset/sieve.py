"""All that must stand in a log for a rule to match, as far as plain text search can tell.

A gate is one text of a rule, good for asking hundreds of rules at once. Most of
those that it opens still have no chance: another of their texts is missing. A
sieve holds all of them, in the shape of the condition, so that such a rule is
not read.
"""

from __future__ import annotations

from collections.abc import Iterable

from tracelens.ruleset.literals import required_texts
from tracelens.ruleset.model import AllOf, AnyOf, Condition, Leaf, Not
from tracelens.typed import Any

_NOTHING: list[Any] = []


def find_sieve(condition: Condition) -> list[Any]:
    """Return what ``Log.passes`` reads; an empty list lets everything through.

    It is ``["any", ...]`` or ``["all", ...]`` of such lists, or the name of a
    kind, that of a field, whether letters are small, and literals of which one
    at least must stand there. Without a field it demands any event of the kind.
    """
    if isinstance(condition, Leaf):
        return _sieve_of_leaf(condition)
    if isinstance(condition, Not):
        return _NOTHING
    members = [find_sieve(member) for member in condition.conditions]
    if isinstance(condition, AnyOf):
        return _joined("any", members) if all(members) else _NOTHING
    assert isinstance(condition, AllOf)  # noqa: S101  # there are no other conditions
    return _joined("all", filter(None, members))


def _sieve_of_leaf(leaf: Leaf) -> list[Any]:
    texts = [
        [leaf.kind.value, field, pattern.ignore_case, literals]
        for field, pattern in leaf.patterns
        for literals in required_texts(pattern.source)
        # Lines are looked at one by one, and not in the order of the log.
        if not any("\n" in literal.text for literal in literals)
    ]
    return _joined("all", texts) or [leaf.kind.value, "", False, []]


def _joined(name: str, members: Iterable[list[Any]]) -> list[Any]:
    different: list[list[Any]] = []
    for member in members:
        for each in member[1:] if member[0] == name else [member]:
            if each not in different:
                different.append(each)
    if len(different) > 1:
        return [name, *different]
    return different[0] if different else _NOTHING
