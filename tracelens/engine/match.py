"""One rule against one log: every place where its condition holds.

A match has one primary subject, the root of its evidence, and those that an
``all`` needed beside it. Members of an ``any`` are tried in the order of the
file; a subject counts for the first one that it satisfies. Of several events
that could stand beside the primary one, the nearest of its own process does.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from tracelens.engine.captures import automatic_captures
from tracelens.engine.columns import Found
from tracelens.engine.fields import GUARDED, Subject, guards_of, kind_of, process_name
from tracelens.engine.log import Log
from tracelens.events import Event, ExceptionChain, Recompile
from tracelens.ruleset.model import AllOf, AnyOf, Condition, Kind, Leaf, Not, Place, Same
from tracelens.text import Span, line_around
from tracelens.typed import NamedTuple

#: Of one condition's matches: so many of the first and of the last are looked at.
_FIRST_MATCHES = 300
_LAST_MATCHES = 200
#: How many events around a primary one are tried before giving up.
_NEIGHBOURS = 400

#: Fields whose match shows best what was said, best first.
_TELLING = ("message", "reason", "command", "expression", "value", "path", "type")
_FRAMES = ("innermost", "frame")


class Proof(NamedTuple):
    """One subject that satisfied a leaf, and the text that shows it.

    ``text`` is ``None`` where no pattern took part. ``frame`` is a stack frame
    that had to match, ``guard`` the number of the guard, of those that the
    event lists, that did. ``whole`` holds the lines of the entire event.
    """

    kind: Kind
    subject: Subject
    span: Span
    whole: Span
    frame: str | None = None
    guard: int = 0
    field: str | None = None
    text: str | None = None
    start: int = 0
    end: int = 0
    captures: tuple[tuple[str, str], ...] = ()
    #: Says why, where the primary one only says what came of it.
    root: bool = False


class Match(NamedTuple):
    """One place where a condition holds; ``captures`` of the primary come first."""

    primary: Proof
    context: tuple[Proof, ...] = ()
    captures: Mapping[str, str] = MappingProxyType({})


class Matcher:
    """Answers conditions on one log; remembers what each leaf found."""

    def __init__(self, log: Log) -> None:
        """Start with nothing asked yet."""
        self._log = log
        self._proofs: dict[int, tuple[Leaf, tuple[Proof, ...], tuple[int, ...]]] = {}

    def matches(self, when: Condition, unless: Sequence[Condition]) -> tuple[Match, ...]:
        """Return every match of ``when`` that nothing in ``unless`` vetoes, one for each primary subject."""
        found: dict[Subject, Match] = {}
        for match in self._matches(when):
            subject = match.primary.subject
            if subject not in found and not any(self._holds(veto, match.primary) for veto in unless):
                found[subject] = match
        return tuple(found.values())

    def places(self, condition: Condition) -> Iterator[Match]:
        """Yield every place where a condition holds, whatever vetoes it."""
        return self._matches(condition)

    def proofs(self, leaf: Leaf) -> tuple[Proof, ...]:
        """Return every subject that satisfies a leaf wherever it stands, by line."""
        return self._leaf(leaf)[0]

    def _matches(self, condition: Condition) -> Iterator[Match]:
        if isinstance(condition, Leaf):
            for proof in _bounded(self._leaf(condition)[0]):
                yield Match(primary=proof, captures=self._captures(proof))
        elif isinstance(condition, AnyOf):
            for member in condition.conditions:
                yield from self._matches(member)
        elif isinstance(condition, AllOf) and condition.conditions:
            yield from self._all(condition)

    def _all(self, condition: AllOf) -> Iterator[Match]:
        first, *others = condition.conditions
        for match in self._matches(first):
            completed: Match | None = match
            for other in others:
                completed = self._complete(completed, other) if completed else None
            if completed:
                yield completed

    def _complete(self, match: Match, other: Condition) -> Match | None:
        """Add what a further condition needs; ``None`` where it does not hold."""
        if isinstance(other, Not):
            return None if self._holds(other.condition, match.primary) else match
        beside = self.beside(other, match.primary)
        if beside is None:
            return None
        return Match(
            primary=match.primary,
            context=(*match.context, beside.primary, *beside.context),
            captures={**beside.captures, **match.captures},
        )

    def _holds(self, condition: Condition, primary: Proof) -> bool:
        if isinstance(condition, Not):
            return not self._holds(condition.condition, primary)
        return self.beside(condition, primary) is not None

    def beside(self, condition: Condition, primary: Proof) -> Match | None:
        """Return the best match of a condition as seen from a primary subject."""
        if isinstance(condition, Leaf):
            proof = self._nearest(condition, primary)
            return Match(primary=proof, captures=self._captures(proof)) if proof else None
        if isinstance(condition, AnyOf):
            for member in condition.conditions:
                match = self.beside(member, primary)
                if match:
                    return match
            return None
        if isinstance(condition, AllOf) and condition.conditions:
            first, *others = condition.conditions
            match = self.beside(first, primary)
            for other in others:
                match = self._complete(match, other) if match else None
            return match
        return None

    def _nearest(self, leaf: Leaf, primary: Proof) -> Proof | None:
        proofs, lines = self._leaf(leaf)
        place = leaf.place or Place()
        best: tuple[tuple[bool, int, int], Proof] | None = None
        for proof in _around(proofs, lines, primary.span.line):
            distance = proof.span.distance(primary.span)
            if best and best[0][:2] <= (False, 0) and distance > 0:
                break
            if self._stands(proof, primary, place):
                worth = (not self._same_process(proof, primary), distance, proof.span.line)
                if best is None or worth < best[0]:
                    best = (worth, proof)
        if best is None:
            return None
        return best[1]._replace(root=True) if place.root else best[1]

    def _stands(self, proof: Proof, primary: Proof, place: Place) -> bool:
        if place.within is not None and self._distance(proof, primary) > place.within:
            return False
        stands, primary_stands = (proof.span.line, proof.subject), (primary.span.line, primary.subject)
        if proof.subject == primary.subject:
            # A message takes in the plain lines that follow it.
            stands, primary_stands = (_row(proof), proof.subject), (_row(primary), primary.subject)
        if (place.before and stands >= primary_stands) or (place.after and stands <= primary_stands):
            return False
        if place.same is Same.PROCESS:
            return self._same_process(proof, primary)
        return place.same is not Same.CHAIN or self._same_chain(proof, primary)

    def _distance(self, one: Proof, other: Proof) -> int:
        """Return how many lines lie between two proofs; of one process, how many of its own."""
        if not self._same_process(one, other):
            return one.span.distance(other.span)
        return self._log.own_lines.distance(self._process(one), one.span, other.span)

    def _process(self, proof: Proof) -> str | None:
        return process_name(self._log.events[proof.subject.event])

    def _same_process(self, one: Proof, other: Proof) -> bool:
        return self._process(one) == self._process(other)

    def _same_chain(self, one: Proof, other: Proof) -> bool:
        if one.subject.event == other.subject.event:
            return True
        for holder, inner in ((one, other), (other, one)):
            event = self._log.events[holder.subject.event]
            if isinstance(event, ExceptionChain) and event.span.covers(inner.span):
                return self._same_process(one, other)
        return False

    def _leaf(self, leaf: Leaf) -> tuple[tuple[Proof, ...], tuple[int, ...]]:
        """Return all proofs of a leaf by line, and their lines."""
        known = self._proofs.get(id(leaf))
        if known is None:
            proofs = sorted(self._prove(leaf), key=lambda proof: (proof.span.line, proof.subject))
            counted = self._counted(leaf, proofs)
            # The leaf is kept too, so that its id is never given to another one.
            known = self._proofs[id(leaf)] = (leaf, counted, tuple(proof.span.line for proof in counted))
        return known[1], known[2]

    def _prove(self, leaf: Leaf) -> Iterator[Proof]:
        found: dict[Subject, list[tuple[str, Found]]] = {}
        for position, (name, pattern) in enumerate(leaf.patterns):
            column = self._log.column(leaf.kind, name)
            if position == 0:
                for hit in column.search(pattern):
                    found.setdefault(hit.subject, [(name, hit)])
            else:
                firsts = column.first_of(pattern, found)
                found = {
                    subject: [*proofs, (name, firsts[subject])]
                    for subject, proofs in found.items()
                    if subject in firsts
                }
            if not found:
                return
        subjects: Iterable[Subject] = found if leaf.patterns else self._log.subjects(leaf.kind)
        for name, wanted in leaf.choices:
            subjects = self._log.choose(leaf.kind, name, wanted, subjects)
        for subject in subjects:
            if not leaf.said_in or kind_of(self._log.events[subject.event]) in leaf.said_in:
                yield self._proof(leaf, subject, found.get(subject, []))

    def _proof(self, leaf: Leaf, subject: Subject, found: Sequence[tuple[str, Found]]) -> Proof:
        event = self._log.events[subject.event]
        span, guard = self._log.span(leaf.kind, subject), _chosen_guard(leaf, event)
        if not found:
            return Proof(kind=leaf.kind, subject=subject, span=span, whole=event.span, guard=guard)
        name, shown = min(found, key=lambda item: _TELLING.index(item[0]) if item[0] in _TELLING else len(_TELLING))
        captures = tuple(pair for _, item in found for pair in item.hit.captures)
        return Proof(
            kind=leaf.kind,
            subject=subject,
            span=span,
            whole=event.span,
            guard=guard,
            frame=next((item.text for field, item in found if field in _FRAMES), None),
            field=name,
            text=shown.text,
            start=shown.hit.start,
            end=shown.hit.end,
            captures=captures,
        )

    def _counted(self, leaf: Leaf, proofs: list[Proof]) -> tuple[Proof, ...]:
        """Keep only proofs of which there are as many as the leaf demands.

        Events of one process are counted together; recompilations only those
        of one function, since every function of a model may compile twice.
        """
        if leaf.grows:
            return tuple(self._growing(leaf.grows, proofs))
        if leaf.at_least <= 1:
            return tuple(proofs)
        totals: Counter[tuple[str | None, ...]] = Counter()
        for number in {proof.subject.event for proof in proofs}:
            totals[self._counted_with(number)] += self._log.counts[number]
        return tuple(proof for proof in proofs if totals[self._counted_with(proof.subject.event)] >= leaf.at_least)

    def _growing(self, name: str, proofs: list[Proof]) -> Iterator[Proof]:
        """Yield the last proof of each process in which what a capture holds grows."""
        from tracelens.engine.growth import grows  # few rules ask

        by_process: dict[str | None, list[Proof]] = {}
        for proof in proofs:
            by_process.setdefault(self._process(proof), []).append(proof)
        for told in by_process.values():
            if grows(dict(proof.captures).get(name, "") for proof in told):
                yield told[-1]

    def _counted_with(self, number: int) -> tuple[str | None, ...]:
        event = self._log.events[number]
        process = process_name(event)
        return (process, event.function, event.location) if isinstance(event, Recompile) else (process,)

    def _captures(self, proof: Proof) -> Mapping[str, str]:
        event = self._log.events[proof.subject.event]
        part = proof.guard if proof.kind in GUARDED else proof.subject.part
        captures = automatic_captures(proof.kind, event, part)
        if proof.kind is Kind.SAID and proof.text is not None:
            captures["message"] = line_around(proof.text, proof.start).strip()
        return {**captures, **dict(proof.captures)}


def _row(proof: Proof) -> int:
    """Return on which line of its text a proof was found."""
    return proof.text.count("\n", 0, proof.start) if proof.text else 0


def _chosen_guard(leaf: Leaf, event: Event) -> int:
    """Return which of an event's guards is of a kind that the leaf asks for."""
    kinds = next((wanted for name, wanted in leaf.choices if name == "kind"), ())
    if leaf.kind not in GUARDED:
        return 0
    return next((number for number, guard in enumerate(guards_of(event)) if guard.kind.value in kinds), 0)


def _bounded(proofs: tuple[Proof, ...]) -> Iterator[Proof]:
    if len(proofs) <= _FIRST_MATCHES + _LAST_MATCHES:
        return iter(proofs)
    return iter((*proofs[:_FIRST_MATCHES], *proofs[-_LAST_MATCHES:]))


def _around(proofs: tuple[Proof, ...], lines: tuple[int, ...], line: int) -> Iterator[Proof]:
    """Yield proofs from a line outwards, nearest start first."""
    right = bisect_left(lines, line)
    left = right - 1
    for _ in range(_NEIGHBOURS):
        if left < 0 and right >= len(lines):
            return
        if right >= len(lines) or (left >= 0 and line - lines[left] <= lines[right] - line):
            yield proofs[left]
            left -= 1
        else:
            yield proofs[right]
            right += 1
