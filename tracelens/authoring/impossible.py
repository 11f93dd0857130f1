"""Patterns that are sound and can match nothing: rules with them are dead without anybody noticing."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from tracelens.ruleset.literals import required_literals
from tracelens.ruleset.pattern_tree import REPEATS, Items, parse
from tracelens.ruleset.versions import is_within
from tracelens.typed import Enum

_NEWLINE = ord("\n")
#: Enough rounds for what a repeated part can lead to.
_ROUNDS = 3
_TAKEN_OFF = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_SPACES = ("CATEGORY_SPACE", "CATEGORY_NOT_DIGIT", "CATEGORY_NOT_WORD")


class _Last(Enum):
    """What stands before a point of a match, as far as the pattern tells."""

    UNKNOWN = "unknown"
    NEWLINE = "newline"
    OTHER = "other"


class _State(NamedTuple):
    last: _Last = _Last.UNKNOWN
    #: The end of a line was asked for, so that only a newline can follow.
    ended: bool = False


def why_nothing_matches(source: str) -> str:
    """Say why a sound pattern matches no text of a log; empty where it may match."""
    if not _walk(parse(source), frozenset({_State()})):
        return "asks for the start or the end of a line in the middle of one"
    literals = required_literals(source)
    if literals and all(_TAKEN_OFF.search(literal.text) for literal in literals):
        return "asks for a control character, and those are taken off before rules look"
    return ""


def is_empty_range(bounds: str) -> bool:
    """Tell whether no version lies in a range."""
    named = re.findall(r"\d+(?:\.\d+)*", bounds)
    near = {version for name in named for version in (name, f"{name}.1", *_neighbours(name))}
    return not any(is_within(version, bounds) for version in (*near, "0", "9999"))


def _neighbours(version: str) -> Iterable[str]:
    *head, last = version.split(".")
    for number in (int(last) - 1, int(last) + 1):
        if number >= 0:
            yield ".".join((*head, str(number)))
    if int(last) > 0:
        yield ".".join((*head, str(int(last) - 1), "9999"))


def _walk(items: Items, states: frozenset[_State]) -> frozenset[_State]:
    """Return the states after a sequence; none when it cannot be gone through."""
    for operator, value in items:
        name = operator.name
        if name == "AT":
            states = _at(value.name, states)
        elif name == "SUBPATTERN":
            states = _walk(value[3], states)
        elif name == "BRANCH":
            states = frozenset(state for branch in value[1] for state in _walk(branch, states))
        elif name in REPEATS:
            states = _repeat(value[0], value[2], states)
        else:
            newline, other = _takes(name, value)
            states = frozenset(_after(states, newline=newline, other=other))
    return states


def _repeat(low: int, body: Items, states: frozenset[_State]) -> frozenset[_State]:
    found = states if low == 0 else frozenset()
    for _ in range(_ROUNDS):
        states = _walk(body, states)
        found |= states
    return found


def _at(name: str, states: frozenset[_State]) -> frozenset[_State]:
    if name in ("AT_BEGINNING", "AT_BEGINNING_LINE", "AT_BEGINNING_STRING"):
        return frozenset(state for state in states if state.last is not _Last.OTHER)
    if name in ("AT_END", "AT_END_LINE", "AT_END_STRING"):
        return frozenset(state._replace(ended=True) for state in states)
    return states


def _after(states: frozenset[_State], *, newline: bool, other: bool) -> Iterable[_State]:
    for state in states:
        if newline:
            yield _State(_Last.NEWLINE)
        if other and not state.ended:
            yield _State(_Last.OTHER)


def _takes(name: str, value: Any) -> tuple[bool, bool]:  # noqa: ANN401  # as the parser's tree is
    """Tell whether one character of the pattern can be a newline, and whether it can be another."""
    if name == "LITERAL":
        return value == _NEWLINE, value != _NEWLINE
    if name == "NOT_LITERAL":
        return value != _NEWLINE, True
    if name == "ANY":
        return True, True  # only the flags of the group it stands in know better
    if name != "IN":
        return True, True
    negated = any(operator.name == "NEGATE" for operator, _ in value)
    holds = any(_holds_newline(operator.name, inner) for operator, inner in value)
    only = all(operator.name == "LITERAL" and inner == _NEWLINE for operator, inner in value)
    return (not holds, True) if negated else (holds, not only)


def _holds_newline(name: str, value: Any) -> bool:  # noqa: ANN401  # as above
    if name == "LITERAL":
        return bool(value == _NEWLINE)
    if name == "RANGE":
        return bool(value[0] <= _NEWLINE <= value[1])
    return name == "CATEGORY" and value.name in _SPACES
