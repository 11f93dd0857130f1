"""The texts of one field over all events of one kind, made quick to search.

Equal texts are searched once, and equal lines of different texts too, as far
as a pattern cannot match across lines; see ``lines``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from functools import cached_property
from operator import attrgetter, itemgetter

from tracelens.engine.around import lowered, search_around, search_around_lines
from tracelens.engine.fields import Subject
from tracelens.engine.lines import Lines
from tracelens.ruleset.compiled import GateGroup, StoredGates
from tracelens.ruleset.patterns import AnyLiteral, Hit, Pattern, shortened
from tracelens.typed import NamedTuple

#: Up to this length a text is searched as a whole.
_SHORT = 1500
#: Some subjects are looked at by themselves where so many times as many would still not be all.
_FEW = 4


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
        self._size = sum(map(len, self._owners))
        self._found: dict[Pattern, tuple[Found, ...]] = {}
        self._firsts: dict[Pattern, dict[Subject, Found]] = {}

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

    def first_of(self, pattern: Pattern, subjects: Collection[Subject]) -> Mapping[Subject, Found]:
        """Return the first match of a pattern in any text of each of some subjects, and maybe of others."""
        known = self._firsts.get(pattern)
        if known is not None:
            return known
        if pattern in self._found or _FEW * len(subjects) > self._size:
            firsts = self._firsts[pattern] = {found.subject: found for found in reversed(self.search(pattern))}
            return firsts
        numbers = {number for subject in subjects for number in self._numbers.get(subject, ())}
        hits = dict(self._hits(pattern, numbers))
        matched = ((subject, [n for n in self._numbers.get(subject, ()) if n in hits]) for subject in subjects)
        return {subject: Found(subject, self._texts[found[0]], hits[found[0]]) for subject, found in matched if found}

    def open(self, gates: GateGroup | StoredGates, opened: set[int]) -> None:
        """Add what the literals stand for that are in any text; those that would add nothing are not looked for."""
        self._lines.open(gates, opened)

    def holds(self, literals: Iterable[AnyLiteral], *, ignore_case: bool) -> bool:
        """Tell whether any of some literals is in any text."""
        return self._lines.holds(literals, ignore_case=ignore_case)

    def _hits(self, pattern: Pattern, numbers: AbstractSet[int] | None = None) -> Iterator[tuple[int, Hit]]:
        """Yield the first match in each text, or in each of those of some numbers."""
        single, several = self._split
        matched = self._lines.search(pattern, None if numbers is None else self._lines_of(numbers))
        for line, hit in matched.items():
            for number in single.get(line, ()):
                yield number, hit
        if several:
            found = self._over_lines(pattern, numbers) if pattern.newlines else self._on_lines(matched)
            yield from found if numbers is None else (item for item in found if item[0] in numbers)

    def _lines_of(self, numbers: Iterable[int]) -> set[str]:
        several = self._split[1]
        lines: set[str] = set()
        for number in numbers:
            lines.update(several.get(number) or (self._texts[number],))
        return lines

    def _on_lines(self, matched: Mapping[str, Hit]) -> Iterator[tuple[int, Hit]]:
        """Yield the first match in each text of several lines, given the lines that match."""
        for number, held in self._holders_of(matched).items():
            first = held[0] if len(held) == 1 else next(line for line in self._split[1][number] if line in matched)
            hit = matched[first]
            start = _line_place(self._texts[number], first)
            yield number, Hit(start + hit.start, start + hit.end, hit.captures)

    def _over_lines(self, pattern: Pattern, numbers: AbstractSet[int] | None) -> Iterator[tuple[int, Hit]]:
        """Yield the first match in texts of several lines, of a pattern that may hold line ends."""
        literals = self._lines.present(pattern)
        if pattern.literals and not literals:
            return
        several, is_lower = self._split[1], pattern.ignore_case
        is_plain = bool(literals) and not any("\n" in literal for literal in literals)
        held = self._holders_of(self._lines.holding(literals, ignore_case=is_lower)) if is_plain else {}
        for number in held if is_plain else several:
            if numbers is not None and number not in numbers:
                continue
            text = self._texts[number]
            if len(text) <= _SHORT or not literals:
                hit = pattern.search(text)
            elif is_plain:
                hit = search_around_lines(pattern, text, literals, held[number], is_lower=is_lower)
            else:
                hit = search_around(pattern, text, literals, lowered(text) if is_lower else text)
            if hit:
                yield number, hit

    def _holders_of(self, lines: Iterable[str]) -> dict[int, list[str]]:
        """Return the texts of several lines that hold any of these, by number, each with those that it holds."""
        held: dict[int, list[str]] = {}
        for line in lines:
            for number in self._holders.get(line, ()):
                held.setdefault(number, []).append(line)
        return held

    @cached_property
    def _holders(self) -> dict[str, list[int]]:
        """The numbers of the texts of several lines by what stands in them."""
        holders: dict[str, list[int]] = {}
        for number, lines in self._split[1].items():
            for line in lines:
                holders.setdefault(line, []).append(number)
        return holders

    @cached_property
    def _numbers(self) -> dict[Subject, list[int]]:
        """The numbers of the texts of each subject, in order."""
        numbers: dict[Subject, list[int]] = {}
        for number, owners in enumerate(self._owners):
            for subject in owners:
                numbers.setdefault(subject, []).append(number)
        return numbers

    @cached_property
    def _lines(self) -> Lines:
        single, several = self._split
        unique = dict.fromkeys(single)
        for lines in several.values():
            unique.update(lines)
        return Lines(unique)

    @cached_property
    def _split(self) -> tuple[dict[str, list[int]], dict[int, dict[str, None]]]:
        """Return the texts of one line with their numbers, and of the others the different lines in order."""
        single: dict[str, list[int]] = {}
        several: dict[int, dict[str, None]] = {}
        kept: dict[str, str] = {}
        for number, text in enumerate(self._texts):
            if "\n" in text:
                # Texts share lines, and should share the memory of them as well.
                several[number] = dict.fromkeys([kept.setdefault(line, line) for line in text.split("\n")])
            else:
                single.setdefault(text, []).append(number)
        return single, several


def _line_place(text: str, line: str) -> int:
    """Return where a whole line of a text first begins."""
    if text.startswith(f"{line}\n"):
        return 0
    place = text.find(f"\n{line}\n")
    return (text.rfind(f"\n{line}") if place < 0 else place) + 1
