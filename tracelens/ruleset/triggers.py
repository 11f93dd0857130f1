"""What a scan has to look for so that no rule is deaf in a large log.

A rule is found through the leaf that leads its condition. Leaves on events
that the grammar begins (tracebacks, compiler messages, grave log records) are
seen by the grammar's own anchors; those on what is merely said need one each.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from tracelens.errors import AnchorError
from tracelens.events import Level
from tracelens.ruleset.model import AllOf, AnyOf, Condition, Kind, Leaf, Not, Rule
from tracelens.scan.anchors import anchors_from_patterns

#: Only records of some gravity begin anything of their own, and INFO lines can be the only clue.
_SAYING = (Kind.SAID, Kind.TEXT, Kind.RECORD)
#: Healthy runs print these by the thousand, so that nothing in a log leads to them.
_ORDINARY = (Kind.INVOCATION, Kind.GRAPH, Kind.ARTIFACT)
_GRAVE = frozenset(level.value for level in (Level.WARNING, Level.ERROR, Level.CRITICAL))

#: A way into a condition, as keys and numbers of its file.
Steps = tuple[str | int, ...]


class Deafness(NamedTuple):
    """One way for a rule to match that a scan of a large log would miss, and why."""

    steps: Steps
    reason: str


def find_anchors(rule: Rule) -> tuple[str, ...]:
    """Return the anchors of a rule, each once."""
    if rule.handles and rule.handles.quiet:
        # What it could excuse brings its lines in.
        return ()
    anchors = [anchor for _, condition in _leaders(rule.when, ()) for anchor in _anchors_of(condition)]
    for start in rule.handles.since if rule.handles else ():
        anchors += _derive(start.source)[0]
    return tuple(dict.fromkeys(anchors))


def find_deafness(condition: Condition) -> Iterator[Deafness]:
    """Yield every way to match that nothing in a large log would lead to."""
    for steps, leader in _leaders(condition, ()):
        if not _is_heard(leader):
            yield next(_silences(leader, steps))


def _leaders(condition: Condition, steps: Steps) -> Iterator[tuple[Steps, Condition]]:
    if isinstance(condition, AnyOf):
        for number, inner in enumerate(condition.conditions):
            yield from _leaders(inner, (*steps, "any", number))
    else:
        yield steps, condition


def _anchors_of(condition: Condition) -> tuple[str, ...]:
    """Return the anchors of a leaf, or of the first part of a group that can be looked for."""
    if isinstance(condition, Leaf):
        return _leaf_anchors(condition)
    parts = [[leader for _, leader in _leaders(part, ())] for part in _needed_parts(condition)]
    if any(all(map(_is_begun, leaders)) for leaders in parts):
        return ()
    found = (tuple(anchor for leader in leaders for anchor in _anchors_of(leader)) for leaders in parts)
    return next(filter(None, found), ())


def _needed_parts(condition: Condition) -> list[Condition]:
    return (
        [inner for inner in condition.conditions if not isinstance(inner, Not)] if isinstance(condition, AllOf) else []
    )


def _is_begun(condition: Condition) -> bool:
    """Tell whether a condition cannot hold but where the grammar begins something of its own."""
    if isinstance(condition, Leaf):
        return _is_begun_by_the_grammar(condition)
    return any(all(_is_begun(leader) for _, leader in _leaders(part, ())) for part in _needed_parts(condition))


def _is_heard(condition: Condition) -> bool:
    if isinstance(condition, Leaf):
        return _is_begun_by_the_grammar(condition) or bool(_leaf_anchors(condition))
    return any(all(_is_heard(leader) for _, leader in _leaders(part, ())) for part in _needed_parts(condition))


def _is_begun_by_the_grammar(leaf: Leaf) -> bool:
    if leaf.kind is Kind.SAID:
        return bool(leaf.said_in) and not set(leaf.said_in) & set(_SAYING)
    if leaf.kind is Kind.RECORD:
        levels = next((wanted for name, wanted in leaf.choices if name == "level"), None)
        return levels is not None and _GRAVE.issuperset(levels)
    return leaf.kind is not Kind.TEXT and leaf.kind not in _ORDINARY


def _leaf_anchors(leaf: Leaf) -> tuple[str, ...]:
    if leaf.kind not in _SAYING or _is_begun_by_the_grammar(leaf):
        return ()
    sources = (pattern.source for name, pattern in leaf.patterns if name == "message")
    # What is too short or too common to look for still sees what other anchors bring in.
    return tuple(anchor for source in sources for anchor in _derive(source)[0])


def _silences(condition: Condition, steps: Steps) -> Iterator[Deafness]:
    """Yield why each leaf that might have been looked for cannot be."""
    if isinstance(condition, AnyOf | AllOf):
        name = "any" if isinstance(condition, AnyOf) else "all"
        for number, inner in enumerate(condition.conditions):
            yield from _silences(inner, (*steps, name, number))
    elif isinstance(condition, Leaf):
        sources = [pattern.source for name, pattern in condition.patterns if name == "message"]
        if condition.kind in _ORDINARY:
            reason = "healthy runs are full of such events"
        else:
            reason = _derive(sources[0])[1] if sources else "no pattern of a message is given"
        yield Deafness((*steps, condition.kind.value), reason)


# Asked for when a rule is checked, and again when it is stored.
@lru_cache(maxsize=4096)
def _derive(source: str) -> tuple[tuple[str, ...], str]:
    """Return the anchors of a pattern, or none and the reason."""
    try:
        return anchors_from_patterns([source]), ""
    except AnchorError as error:
        return (), error.reason
