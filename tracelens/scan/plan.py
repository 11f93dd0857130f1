"""All that an engine and the check behind it need, as plain data.

A plan is made from anchors once and kept in the user's cache directory, as
JSON: making it takes as long as scanning half a gigabyte. Most of it is never
looked at in a run, so its rows are turned into objects on demand.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

#: Part of every key: a plan of another format is not read.
FORMAT = 5


class Literal(NamedTuple):
    """Bytes that stand in each match; ``folded`` ones are lower-case for any case."""

    text: bytes
    folded: bool


class Anchor(NamedTuple):
    """An expression over the bytes of one line, the same to every engine.

    It never matches a newline nor the empty line. Of each tuple in ``demands``
    at least one literal stands in each match, or in the newline before the
    line and the match.
    """

    expression: str
    demands: tuple[tuple[Literal, ...], ...]


class Clue(NamedTuple):
    """An anchor that may match where a gate was found.

    ``text`` stands in each match that the gate is to show, and begins
    ``offset`` bytes before the gate.
    """

    anchor: int
    text: bytes = b""
    offset: int = 0


class Gate(NamedTuple):
    """One thing to look for: a text, in any case if ``folded``, or an expression.

    An ``expression`` is the anchor of its only clue: it demands no text that
    would be worth a search.
    """

    text: bytes
    folded: bool
    expression: str
    clues: tuple[Clue, ...]


class Plan:
    """The anchors to find and the gates to find them by."""

    __slots__ = ("_anchors", "_gates")

    def __init__(self, anchors: Sequence[Any], gates: Sequence[Any]) -> None:
        """Take rows as ``from_json`` reads them."""
        self._anchors = anchors
        self._gates = gates

    @classmethod
    def of(cls, anchors: Sequence[Anchor], gates: Sequence[Gate]) -> Plan:
        """Make a plan of objects."""
        return cls.from_json(_to_json(anchors, gates))

    @classmethod
    def from_json(cls, text: str) -> Plan:
        """Read a plan; raises ``ValueError`` for anything else."""
        version, anchors, gates = json.loads(text)
        if version != FORMAT:
            message = f"a plan of format {version}"
            raise ValueError(message)
        return cls(anchors, gates)

    def to_json(self) -> str:
        """Return the plan as JSON text; bytes stand as Latin-1."""
        return json.dumps([FORMAT, self._anchors, self._gates], separators=(",", ":"))

    @property
    def anchor_count(self) -> int:
        """Return the number of anchors."""
        return len(self._anchors)

    @property
    def gate_count(self) -> int:
        """Return the number of gates."""
        return len(self._gates)

    def anchor(self, number: int) -> Anchor:
        """Return one anchor."""
        expression, demands = self._anchors[number]
        return Anchor(
            expression, tuple(tuple(Literal(_bytes(text), folded) for text, folded in each) for each in demands)
        )

    def anchors(self) -> list[Anchor]:
        """Return all anchors."""
        return [self.anchor(number) for number in range(self.anchor_count)]

    def gate(self, number: int) -> Gate:
        """Return one gate."""
        text, folded, expression, clues = self._gates[number]
        return Gate(
            _bytes(text),
            folded,
            expression,
            tuple(Clue(anchor, _bytes(each), offset) for anchor, each, offset in clues),
        )

    def gates(self) -> list[Gate]:
        """Return all gates."""
        return [self.gate(number) for number in range(self.gate_count)]


def _to_json(anchors: Sequence[Anchor], gates: Sequence[Gate]) -> str:
    anchor_rows = [
        [anchor.expression, [[[_text(literal.text), literal.folded] for literal in each] for each in anchor.demands]]
        for anchor in anchors
    ]
    gate_rows = [
        [
            _text(gate.text),
            gate.folded,
            gate.expression,
            [[clue.anchor, _text(clue.text), clue.offset] for clue in gate.clues],
        ]
        for gate in gates
    ]
    return Plan(anchor_rows, gate_rows).to_json()


def _text(data: bytes) -> str:
    return data.decode("latin-1")


def _bytes(text: str) -> bytes:
    return text.encode("latin-1")
