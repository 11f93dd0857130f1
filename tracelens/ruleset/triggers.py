"""What a scan has to look for so that no rule is deaf in a large log.

A rule is found through the leaf that leads its condition. Leaves on events
that the grammar begins (tracebacks, compiler messages, log records) are seen
by the grammar's own anchors; those on what is merely said need one each.
"""

from __future__ import annotations

from collections.abc import Iterator

from tracelens.errors import AnchorError
from tracelens.ruleset.model import AllOf, AnyOf, Condition, Kind, Leaf, Not, Rule
from tracelens.scan.anchors import anchors_from_patterns

#: Only records of some gravity begin anything of their own, and INFO lines can be the only clue.
_SAYING = (Kind.SAID, Kind.TEXT, Kind.RECORD)


def find_anchors(rule: Rule) -> tuple[str, ...]:
    """Return the anchors of a rule, each once."""
    anchors = (anchor for condition in _leaders(rule.when) for anchor in _anchors_of(condition))
    return tuple(dict.fromkeys(anchors))


def _leaders(condition: Condition) -> Iterator[Condition]:
    if isinstance(condition, AnyOf):
        for inner in condition.conditions:
            yield from _leaders(inner)
    else:
        yield condition


def _anchors_of(condition: Condition) -> tuple[str, ...]:
    """Return the anchors of a leaf, or of the first part of a group that can be looked for."""
    if isinstance(condition, Leaf):
        return _leaf_anchors(condition)
    parts = (
        [inner for inner in condition.conditions if not isinstance(inner, Not)] if isinstance(condition, AllOf) else []
    )
    for part in parts:
        found = tuple(anchor for leader in _leaders(part) for anchor in _anchors_of(leader))
        if found:
            return found
    return ()


def _leaf_anchors(leaf: Leaf) -> tuple[str, ...]:
    if leaf.kind not in _SAYING:
        return ()
    sources = (pattern.source for name, pattern in leaf.patterns if name == "message")
    return tuple(anchor for source in sources for anchor in _pattern_anchors(source))


def _pattern_anchors(source: str) -> tuple[str, ...]:
    try:
        return anchors_from_patterns([source])
    except AnchorError:
        # Too short or too common to look for. Such a leaf still sees what other anchors bring in.
        return ()
