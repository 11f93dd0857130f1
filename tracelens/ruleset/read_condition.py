"""Conditions of a rule file: YAML nodes in, ``Condition`` out.

A condition is ``any``, ``all``, ``not`` or one leaf: a kind of event with the
fields that must hold, and beside it how often and where. Where an event stands
is said from the primary one, so ``within``, ``before``, ``after`` and ``same``
make sense only where there is one: in the later items of an ``all``, inside a
``not``, and in ``unless``. Beside a group they hold for its members that say
nothing of their own; of an ``all`` only the first member stands beside the
outer primary event. What is the ``root`` leads the evidence in the place of it.
"""

from __future__ import annotations

from tracelens.ruleset.linear import find_problems
from tracelens.ruleset.make_pattern import group_names, make_pattern
from tracelens.ruleset.model import SAYING, AllOf, AnyOf, Condition, Kind, Leaf, Not, Place, Same
from tracelens.ruleset.nodes import Mapping, Node, Scalar, Sequence
from tracelens.ruleset.patterns import Pattern
from tracelens.ruleset.reading import Reader, join, looks_like_flag
from tracelens.ruleset.vocabulary import AUTOMATIC_CAPTURES, FIELDS, Field, FieldType

PLACES = ("within", "before", "after", "same", "root")
_MODIFIERS = ("count", "grows", *PLACES)
GROUPS = ("any", "all", "not")
_KINDS = tuple(kind.value for kind in Kind)
_NOWHERE = Pattern("(?:unreadable)")
#: Stands in for a condition that could not be read; its file is refused.
UNREADABLE = Leaf(kind=Kind.TEXT, patterns=(("message", _NOWHERE),))

_Value = str | int | bool


class ConditionReader:
    """Reads the conditions of one file and gathers what they capture."""

    def __init__(self, reader: Reader, *, foreign: bool) -> None:
        """Read with the same list of problems as the rest of the file."""
        self._reader = reader
        self._foreign = foreign
        self._negated = 0
        self.captures: dict[str, None] = {}

    def read(self, node: Node, where: str, *, anchored: bool) -> Condition:
        """Return a condition; ``anchored`` says that there is a primary event to stand beside."""
        names = [key.text for key, _ in node.entries] if isinstance(node, Mapping) else []
        known = [name for name in names if name in (*GROUPS, *_KINDS)]
        if len(known) > 1:
            self._reader.complain(
                node, where, f"one condition each, not {' and '.join(known)} together; use all or any"
            )
        elif not known:
            self._reader.entries(node, where, (*GROUPS, *_KINDS, *_MODIFIERS))
            self._reader.complain(node, where, f"names no condition; allowed: {', '.join((*GROUPS, *_KINDS))}")
        elif known[0] in GROUPS:
            entries = self._reader.entries(node, where, (*GROUPS, *PLACES))
            group = self._group(known[0], entries[known[0]], join(where, known[0]), anchored=anchored)
            return _placed(group, self._place(entries, where, anchored=anchored))
        else:
            return self._leaf(Kind(known[0]), node, where, anchored=anchored)
        return UNREADABLE

    def _group(self, name: str, body: Node, where: str, *, anchored: bool) -> Condition:
        if name == "not":
            if not anchored:
                self._reader.complain(
                    body, where, "needs a condition before it in an all: absence alone proves nothing"
                )
            self._negated += 1
            inner = self.read(body, where, anchored=True)
            self._negated -= 1
            return Not(condition=inner)
        items = self._reader.items(body, where)
        if not items and isinstance(body, Sequence):
            self._reader.complain(body, where, "is empty")
        later = name == "all"
        conditions = tuple(
            self.read(item, here, anchored=anchored or (later and number > 0))
            for number, (here, item) in enumerate(items)
        )
        return AllOf(conditions=conditions) if later else AnyOf(conditions=conditions)

    def _leaf(self, kind: Kind, node: Node, where: str, *, anchored: bool) -> Leaf:
        reader = self._reader
        entries = reader.entries(node, where, (kind.value, *_MODIFIERS))
        here = join(where, kind.value)
        said_in: tuple[Kind, ...] = ()
        if kind is Kind.SAID:
            patterns, said_in = self._said(entries[kind.value], here)
            choices: list[tuple[str, tuple[_Value, ...]]] = []
        else:
            patterns, choices = self._fields(kind, entries[kind.value], here)
        if not self._negated:
            self.captures.update(dict.fromkeys(AUTOMATIC_CAPTURES[kind]))
        count = reader.number(entries["count"], join(where, "count"), low=1) if "count" in entries else 1
        return Leaf(
            kind=kind,
            patterns=tuple(patterns),
            choices=tuple(choices),
            said_in=said_in,
            at_least=count,
            place=self._place(entries, where, anchored=anchored),
            grows=self._grows(entries["grows"], join(where, "grows"), patterns) if "grows" in entries else None,
        )

    def _grows(self, node: Node, where: str, patterns: list[tuple[str, Pattern]]) -> str | None:
        return self._reader.word(node, where, tuple(name for _, held in patterns for name in group_names(held.source)))

    def _place(self, entries: dict[str, Node], where: str, *, anchored: bool) -> Place | None:
        given = [name for name in PLACES if name in entries]
        if not given:
            return None
        reader = self._reader
        for name in () if anchored else given:
            reader.complain(entries[name], join(where, name), "has no primary event to be seen from here")
        within = reader.number(entries["within"], join(where, "within")) if "within" in entries else None
        before = reader.flag(entries["before"], join(where, "before")) if "before" in entries else False
        after = reader.flag(entries["after"], join(where, "after")) if "after" in entries else False
        same = reader.choice(entries["same"], join(where, "same"), Same) if "same" in entries else None
        root = reader.flag(entries["root"], join(where, "root")) if "root" in entries else False
        if before and after:
            reader.complain(entries["after"], join(where, "after"), "cannot stand both before and after")
        if root and self._negated:
            reader.complain(entries["root"], join(where, "root"), "what is not there proves nothing")
        return Place(within=within, before=before, after=after, same=same, root=root)

    def _said(self, node: Node, where: str) -> tuple[list[tuple[str, Pattern]], tuple[Kind, ...]]:
        reader = self._reader
        if not isinstance(node, Mapping):
            return [("message", self.pattern(node, where))], ()
        entries = reader.entries(node, where, ("pattern", "in", "not_in"), required=("pattern",))
        pattern = self.pattern(entries["pattern"], join(where, "pattern")) if "pattern" in entries else _NOWHERE
        kinds: tuple[Kind, ...] = SAYING
        saying = tuple(kind.value for kind in SAYING)
        if "in" in entries and "not_in" in entries:
            reader.complain(entries["not_in"], join(where, "not_in"), "give either in or not_in")
        for name in ("in", "not_in"):
            if name in entries:
                named = self._words(entries[name], join(where, name), saying)
                kinds = tuple(kind for kind in SAYING if (kind.value in named) is (name == "in"))
        return [("message", pattern)], () if kinds == SAYING else kinds

    def _fields(
        self, kind: Kind, node: Node, where: str
    ) -> tuple[list[tuple[str, Pattern]], list[tuple[str, tuple[_Value, ...]]]]:
        patterns: list[tuple[str, Pattern]] = []
        choices: list[tuple[str, tuple[_Value, ...]]] = []
        for name, value in self._reader.entries(node, where, FIELDS[kind]).items():
            here = join(where, name)
            read = self._field(FIELDS[kind][name], value, here)
            if isinstance(read, Pattern):
                patterns.append((name, read))
            else:
                choices.append((name, read))
        return patterns, choices

    def _field(self, field: Field, node: Node, where: str) -> Pattern | tuple[_Value, ...]:
        reader = self._reader
        if field.type is FieldType.FLAG or (field.type is FieldType.PRESENCE and looks_like_flag(node)):
            return (reader.flag(node, where),)
        if field.type is FieldType.NUMBERS:
            items = reader.items(node, where) if isinstance(node, Sequence) else ((where, node),)
            return tuple(reader.number(item, here, low=-255, high=1 << 32) for here, item in items)
        if field.type is FieldType.CHOICE:
            alone = isinstance(node, Scalar) and not field.listed
            return (reader.word(node, where, field.allowed),) if alone else self._words(node, where, field.allowed)
        return reader.texts(node, where) if isinstance(node, Sequence) else self.pattern(node, where)

    def _words(self, node: Node, where: str, allowed: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(self._reader.word(item, here, allowed) for here, item in self._reader.items(node, where))

    def pattern(self, node: Node, where: str) -> Pattern:
        """Return a pattern; its named groups count as captures unless something is absent there."""
        before = len(self._reader.problems)
        source = self._reader.text(node, where)
        if len(self._reader.problems) > before:
            return _NOWHERE
        problems = find_problems(source, foreign=self._foreign)
        for problem in problems:
            self._reader.complain(node, where, f"pattern {problem}")
        if problems:
            return _NOWHERE
        if not self._negated:
            self.captures.update(dict.fromkeys(group_names(source)))
        return make_pattern(source, foreign=self._foreign)


def _placed(condition: Condition, place: Place | None) -> Condition:
    """Hand the place of a group down to the members that have none."""
    if place is None:
        return condition
    if isinstance(condition, Leaf):
        return condition if condition.place else condition._replace(place=place)
    if isinstance(condition, Not):
        return Not(condition=_placed(condition.condition, place))
    if isinstance(condition, AnyOf):
        return AnyOf(conditions=tuple(_placed(member, place) for member in condition.conditions))
    members = tuple(
        _placed(member, place) if number == 0 else member for number, member in enumerate(condition.conditions)
    )
    return AllOf(conditions=members)
