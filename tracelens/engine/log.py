"""One log's events, arranged for the questions that rules ask."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from tracelens.engine.columns import Column
from tracelens.engine.fields import Subject, kind_of, parts_of, sayings, span_of, values
from tracelens.engine.own_lines import OwnLines
from tracelens.engine.store import Kept
from tracelens.events import Event, ExceptionChain, Text
from tracelens.ruleset.compiled import Entry, RuleSet
from tracelens.ruleset.model import SAYING, Kind
from tracelens.text import Span
from tracelens.typed import Any

_GUARDED = (Kind.GUARD, Kind.RECOMPILE, Kind.RECOMPILE_LIMIT)


class Log:
    """Events in log order, with indexes that are made when first needed."""

    def __init__(self, kept: Sequence[Kept], own_lines: OwnLines | None = None) -> None:
        """Take events in the order of their lines, and which lines are whose; ``None`` where all are of one process."""
        self.events: tuple[Event, ...] = tuple(item.event for item in kept)
        self.counts: tuple[int, ...] = tuple(item.times for item in kept)
        self.own_lines = OwnLines() if own_lines is None else own_lines
        self._columns: dict[tuple[Kind, str], Column] = {}
        self._by_name: dict[tuple[str, str], Column] = {}
        self._subjects: dict[Kind, tuple[Subject, ...]] = {}

    @cached_property
    def by_kind(self) -> dict[Kind, list[int]]:
        """Positions of events by the kind they belong to."""
        positions: dict[Kind, list[int]] = {}
        for number, event in enumerate(self.events):
            positions.setdefault(kind_of(event), []).append(number)
        return positions

    @cached_property
    def chains(self) -> tuple[tuple[int, ExceptionChain], ...]:
        """Every exception chain with its position."""
        found = ((number, self.events[number]) for number in self.by_kind.get(Kind.EXCEPTION, ()))
        return tuple((number, event) for number, event in found if isinstance(event, ExceptionChain))

    def subjects(self, kind: Kind) -> tuple[Subject, ...]:
        """Return everything that a leaf of a kind can be true of."""
        known = self._subjects.get(kind)
        if known is None:
            known = self._subjects[kind] = tuple(
                Subject(number, part)
                for number in sorted(self._holders(kind))
                for part in range(parts_of(self.events[number], kind))
            )
        return known

    def span(self, kind: Kind, subject: Subject) -> Span:
        """Return the lines of a subject of some kind."""
        return span_of(self.events[subject.event], subject.part, kind)

    def choose(
        self, kind: Kind, field: str, wanted: tuple[str | int | bool, ...], subjects: Iterable[Subject]
    ) -> list[Subject]:
        """Return those of some subjects whose field is one of some exact values."""
        return [
            subject
            for subject in subjects
            if any(_is_one_of(value, wanted) for value in values(kind, field, self.events[subject.event], subject.part))
        ]

    def column(self, kind: Kind, field: str) -> Column:
        """Return the texts of a field, ready to be searched."""
        known = self._columns.get((kind, field))
        if known is None:
            texts = self._said() if kind is Kind.SAID else self._texts(kind, field)
            known = self._columns[kind, field] = Column(texts)
        return known

    def openable(self, ruleset: RuleSet) -> Iterator[Entry]:
        """Yield the rules that have any chance, in their order; the others certainly have none."""
        opened: set[int] = set()
        for group in ruleset.gates:
            if group.kind in self._present:
                if group.field:
                    self._named_column(group.kind, group.field).open(group, opened)
                else:
                    opened.update(*(item[3] for item in group.likely(frozenset())))
        return (ruleset.entries[number] for number in sorted(opened))

    def passes(self, sieve: Sequence[Any]) -> bool:
        """Tell whether everything that a sieve demands is there."""
        if not sieve:
            return True
        name, *members = sieve
        if name == "all":
            return all(map(self.passes, members))
        if name == "any":
            return any(map(self.passes, members))
        field, ignore_case, literals = members
        if name not in self._present:
            return False
        return not field or self._named_column(name, field).holds(literals, ignore_case=ignore_case)

    @cached_property
    def _present(self) -> frozenset[str]:
        """The names of the kinds of leaf that have anything to look at."""
        return frozenset(kind.value for kind in Kind if self._holders(kind))

    def _named_column(self, kind_name: str, field: str) -> Column:
        # Looked up by name: hashing an enum member is slow where it is done a thousand times.
        known = self._by_name.get((kind_name, field))
        if known is None:
            known = self._by_name[kind_name, field] = self.column(Kind(kind_name), field)
        return known

    def _holders(self, kind: Kind) -> Iterable[int]:
        if kind is Kind.SAID:
            return [number for saying in SAYING for number in self.by_kind.get(saying, ())]
        if kind is Kind.GUARD:
            return [number for guarded in _GUARDED for number in self.by_kind.get(guarded, ())]
        return self.by_kind.get(kind, ())

    def _texts(self, kind: Kind, field: str) -> Iterator[tuple[Subject, str]]:
        events = self.events
        for subject in self.subjects(kind):
            for value in values(kind, field, events[subject.event], subject.part):
                if isinstance(value, str):
                    yield subject, value

    def _said(self) -> Iterator[tuple[Subject, str]]:
        for number in sorted(self._holders(Kind.SAID)):
            event = self.events[number]
            if type(event) is Text:
                # Most of a small log, and worth no more questions.
                yield Subject(number, 0), event.message
                continue
            for part in range(parts_of(event, Kind.SAID)):
                for said in sayings(event, part):
                    yield Subject(number, part), said


def _is_one_of(value: object, wanted: tuple[str | int | bool, ...]) -> bool:
    """Compare without taking 1 for true; true means "is there at all" for what is no flag."""
    for choice in wanted:
        if isinstance(choice, bool):
            if (value not in (None, False, "")) is choice:
                return True
        elif value == choice and not isinstance(value, bool):
            return True
    return False
