"""The texts of one field over all events of one kind, made quick to search.

Equal texts are searched once, and equal lines of different texts too, as far
as a pattern cannot match across lines; see ``lines``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from operator import attrgetter, itemgetter

from tracelens.engine.around import search_around
from tracelens.engine.fields import Subject
from tracelens.engine.lines import Lines, lowered
from tracelens.ruleset.compiled import GateGroup, StoredGates
from tracelens.ruleset.patterns import AnyLiteral, Hit, Pattern, shortened
from tracelens.typed import NamedTuple

#: Up to this length a text is searched as a whole.
_SHORT = 1500


class Found(NamedTuple):
    """A match of one pattern in one text of one subject."""

    subject: Subject
    text: str
    hit: Hit


class Column:
    """Texts of one field, each with the subjects that carry it."""

    def __init__(self, texts: Iterable[tuple[Subject, str]]) -> None:
        """Take the texts in the order of their subjects."""
        owners: dict[str, list[Subject]] = {}
        for subject, text in texts:
            known = owners.get(text)
            if known is None:
                owners[text] = [subject]
            else:
                known.append(subject)
        self._owners = list(owners.values())
        self._texts = [shortened(text) for text in owners]
        self._found: dict[Pattern, tuple[Found, ...]] = {}

    def search(self, pattern: Pattern) -> tuple[Found, ...]:
        """Return the first match of a pattern in each text, in order of subjects."""
        found = self._found.get(pattern)
        if found is None:
            hits: list[Found] = []
            for number, hit in sorted(self._hits(pattern), key=itemgetter(0)):
                text = self._texts[number]
                hits += [Found(subject, text, hit) for subject in self._owners[number]]
            hits.sort(key=attrgetter("subject"))
            found = self._found[pattern] = tuple(hits)
        return found

    def open(self, gates: GateGroup | StoredGates, opened: set[int]) -> None:
        """Add what the literals stand for that are in any text; those that would add nothing are not looked for."""
        self._lines.open(gates, opened)

    def holds(self, literals: Iterable[AnyLiteral], *, ignore_case: bool) -> bool:
        """Tell whether any of some literals is in any text."""
        return self._lines.holds(literals, ignore_case=ignore_case)

    def _hits(self, pattern: Pattern) -> Iterator[tuple[int, Hit]]:
        single, several = self._split
        matched = self._lines.search(pattern)
        for line, hit in matched.items():
            for number in single.get(line, ()):
                yield number, hit
        if several:
            yield from self._over_lines(pattern) if pattern.newlines else self._on_lines(matched)

    def _on_lines(self, matched: Mapping[str, Hit]) -> Iterator[tuple[int, Hit]]:
        """Yield the first match in each text of several lines, given the lines that match."""
        for place, held in self._holders_of(matched).items():
            number, lines = self._split[1][place]
            first = held[0] if len(held) == 1 else next(line for line in lines if line in matched)
            hit = matched[first]
            start = _line_place(self._texts[number], first)
            yield number, Hit(start + hit.start, start + hit.end, hit.captures)

    def _over_lines(self, pattern: Pattern) -> Iterator[tuple[int, Hit]]:
        """Yield the first match in each text of several lines, of a pattern that may hold line ends."""
        literals = self._lines.present(pattern)
        if pattern.literals and not literals:
            return
        several = self._split[1]
        places: Iterable[int] = range(len(several))
        if literals and not any("\n" in literal for literal in literals):
            places = self._holders_of(self._lines.holding(literals, ignore_case=pattern.ignore_case))
        for place in places:
            number = several[place][0]
            text = self._texts[number]
            if len(text) <= _SHORT or not literals:
                hit = pattern.search(text)
            else:
                hit = search_around(pattern, text, literals, lowered(text) if pattern.ignore_case else text)
            if hit:
                yield number, hit

    def _holders_of(self, lines: Iterable[str]) -> dict[int, list[str]]:
        """Return the places of the texts of several lines that hold any of these, each with those that it holds."""
        held: dict[int, list[str]] = {}
        for line in lines:
            for place in self._holders.get(line, ()):
                held.setdefault(place, []).append(line)
        return held

    @cached_property
    def _holders(self) -> dict[str, list[int]]:
        """The places of the texts of several lines by what stands in them."""
        holders: dict[str, list[int]] = {}
        for place, (_number, lines) in enumerate(self._split[1]):
            for line in lines:
                holders.setdefault(line, []).append(place)
        return holders

    @cached_property
    def _lines(self) -> Lines:
        single, several = self._split
        unique = dict.fromkeys(single)
        for _, lines in several:
            unique.update(lines)
        return Lines(unique)

    @cached_property
    def _split(self) -> tuple[dict[str, list[int]], list[tuple[int, dict[str, None]]]]:
        """Return the texts of one line with their numbers, and of the others the different lines in order."""
        single: dict[str, list[int]] = {}
        several: list[tuple[int, dict[str, None]]] = []
        kept: dict[str, str] = {}
        for number, text in enumerate(self._texts):
            if "\n" in text:
                # Texts share lines, and should share the memory of them as well.
                several.append((number, dict.fromkeys([kept.setdefault(line, line) for line in text.split("\n")])))
            else:
                single.setdefault(text, []).append(number)
        return single, several


def _line_place(text: str, line: str) -> int:
    """Return where a whole line of a text first begins."""
    if text.startswith(f"{line}\n"):
        return 0
    place = text.find(f"\n{line}\n")
    return (text.rfind(f"\n{line}") if place < 0 else place) + 1
