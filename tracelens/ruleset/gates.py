"""What a log must hold for a rule to have any chance of matching.

Most rules have none in most logs. A gate names one field of one kind of event
and the literals of which one must stand there; a rule can match only if one
of its gates is open. Checking gates is plain text search, so that a rule that
cannot match is never even read.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from tracelens.ruleset.compiled import WORDLESS, GateGroup, GateLiteral
from tracelens.ruleset.model import AllOf, AnyOf, Condition, Kind, Leaf, Not
from tracelens.ruleset.patterns import AnyLiteral, Literal

_ANY = Literal("", (), "")


class Gate(NamedTuple):
    """One way for a rule to match.

    With no literals, any event of the kind opens it. With ``ignore_case`` the
    literals are in lower case.
    """

    kind: str
    field: str
    ignore_case: bool
    literals: tuple[AnyLiteral, ...]


def group_gates(gates: Iterable[Iterable[Gate]]) -> tuple[GateGroup, ...]:
    """Return the gates of rules by what they look at, so that each literal is looked for once."""
    groups: dict[tuple[str, str, bool], dict[AnyLiteral, list[int]]] = {}
    for number, each in enumerate(gates):
        for kind, field, ignore_case, literals in each:
            group = groups.setdefault((kind, field, ignore_case), {})
            for literal in literals or (_ANY,):
                group.setdefault(literal, []).append(number)
    return tuple(
        GateGroup(*key, [(*literal, tuple(dict.fromkeys(numbers))) for literal, numbers in group.items()])
        for key, group in groups.items()
    )


def filed(literals: Iterable[GateLiteral]) -> dict[str, list[GateLiteral]]:
    """Return literals by one word of each, without which it cannot stand in a log: the longest is the rarest."""
    found: dict[str, list[GateLiteral]] = {}
    for literal in literals:
        found.setdefault(max(literal[1], key=len, default=WORDLESS), []).append(literal)
    return found


def find_gates(condition: Condition) -> tuple[Gate, ...]:
    """Return gates of which at least one is open wherever the condition holds."""
    if isinstance(condition, Leaf):
        return (_leaf_gate(condition),)
    if isinstance(condition, AnyOf):
        gates = [gate for member in condition.conditions for gate in find_gates(member)]
        return tuple(dict.fromkeys(gates))
    if isinstance(condition, AllOf):
        # Each member is necessary, so the one that is hardest to meet will do.
        members = [find_gates(member) for member in condition.conditions if not isinstance(member, Not)]
        return max(members, key=_worth, default=())
    return ()


def _leaf_gate(leaf: Leaf) -> Gate:
    best = Gate(leaf.kind.value, "", ignore_case=False, literals=())
    for field, pattern in leaf.patterns:
        # Rules that were stored come with lists.
        literals = tuple((text, tuple(words), part) for text, words, part in pattern.literals)
        gate = Gate(leaf.kind.value, field, ignore_case=pattern.ignore_case, literals=literals)
        if _worth((gate,)) > _worth((best,)):
            best = gate
    return best


def _worth(gates: tuple[Gate, ...]) -> tuple[int, bool, int]:
    """Rank gates by their weakest literal, then by how rare their kinds are."""
    weakest = min((len(text) for gate in gates for text, _words, _part in gate.literals), default=0)
    if not all(gate.literals for gate in gates):
        weakest = 0
    common = (Kind.SAID.value, Kind.TEXT.value, Kind.RECORD.value)
    return weakest, all(gate.kind not in common for gate in gates), -len(gates)
