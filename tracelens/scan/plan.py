"""All that an engine and the check behind it need, as plain data.

A plan is made from anchors once and kept in the user's cache directory, as
JSON: making it takes as long as scanning half a gigabyte. Most of it is never
looked at in a run, so its rows are read on demand.
"""

from __future__ import annotations

from collections.abc import Sequence

from tracelens.plain_json import loads
from tracelens.typed import Any, NamedTuple

#: Part of every key: a plan of another format is not read.
FORMAT = 8


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

    def __init__(self, anchors: Sequence[str], gates: Sequence[str]) -> None:
        """Take rows of JSON."""
        self._anchors = anchors
        self._gates = gates

    @classmethod
    def of(cls, anchors: Sequence[Anchor], gates: Sequence[Gate]) -> Plan:
        """Make a plan of objects."""
        return cls(list(map(_anchor_row, anchors)), list(map(_gate_row, gates)))

    @classmethod
    def from_json(cls, text: str) -> Plan:
        """Read a plan, of a line for each row; raises ``ValueError`` for anything else."""
        head, *rows = text.split("\n")
        version, *counts = loads(head)
        if version != FORMAT or len(rows) != sum(counts):
            message = f"a plan of format {version}"
            raise ValueError(message)
        return cls(rows[: counts[0]], rows[counts[0] :])

    def to_json(self) -> str:
        """Return the plan as JSON, line by line; bytes stand as Latin-1."""
        return "\n".join((_row([FORMAT, len(self._anchors), len(self._gates)]), *self._anchors, *self._gates))

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
        expression, demands = loads(self._anchors[number])
        return Anchor(
            expression, tuple(tuple(Literal(_bytes(text), folded) for text, folded in each) for each in demands)
        )

    def anchors(self) -> list[Anchor]:
        """Return all anchors."""
        return [self.anchor(number) for number in range(self.anchor_count)]

    def gate(self, number: int) -> Gate:
        """Return one gate."""
        text, folded, expression, clues = loads(self._gates[number])
        return Gate(
            _bytes(text),
            folded,
            expression,
            tuple(Clue(anchor, _bytes(each), offset) for anchor, each, offset in clues),
        )

    def gates(self) -> list[Gate]:
        """Return all gates."""
        return [self.gate(number) for number in range(self.gate_count)]


def _anchor_row(anchor: Anchor) -> str:
    demands = [[[_text(literal.text), literal.folded] for literal in each] for each in anchor.demands]
    return _row([anchor.expression, demands])


def _gate_row(gate: Gate) -> str:
    clues = [[clue.anchor, _text(clue.text), clue.offset] for clue in gate.clues]
    return _row([_text(gate.text), gate.folded, gate.expression, clues])


def _row(values: list[Any]) -> str:
    # Rows are written once and read for ever.
    import json

    return json.dumps(values, separators=(",", ":"))


def _text(data: bytes) -> str:
    return data.decode("latin-1")


def _bytes(text: str) -> bytes:
    return text.encode("latin-1")
