"""The different lines of many texts, made quick to search.

Logs repeat themselves: each of 1,100 warnings quotes the same source, an
exception's message quotes what the compiler printed above it, eight ranks die
alike. A pattern that cannot match across lines therefore looks at each line
once, however many texts hold it. Most patterns match nothing, so lines are
asked by the pattern's literals first: is the literal's word among all words,
and if so, where does the literal stand? Only the lines that hold it meet the
regular expression.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate

from tracelens.engine.around import search_around
from tracelens.ruleset.compiled import GateGroup, StoredGates
from tracelens.ruleset.patterns import AnyLiteral, Hit, Pattern
from tracelens.typed import TypeAlias

_LETTERS = bytes(byte if chr(byte).isalpha() and byte < 128 else 32 for byte in range(256))
#: The lines joined, the runs of ASCII letters in them, and those joined.
_Searched: TypeAlias = tuple[str, frozenset[str], str]
#: Up to this length a line is searched as a whole.
_SHORT = 1500


class Lines:
    """Lines of which no two are equal."""

    def __init__(self, lines: Iterable[str]) -> None:
        """Take the lines in any order."""
        self._lines = tuple(lines)
        self._asked: tuple[dict[str, bool], dict[str, bool]] = ({}, {})
        self._held: tuple[dict[str, tuple[int, ...]], dict[str, tuple[int, ...]]] = ({}, {})

    def open(self, gates: GateGroup | StoredGates, opened: set[int]) -> None:
        """Add what the literals stand for that are in any line; those that would add nothing are not looked for."""
        joined, known, listed = self._searched(ignore_case=gates.ignore_case)
        asked = self._asked[gates.ignore_case]
        for text, words, part, opens in gates.likely(known):
            if known.issuperset(words) and part in listed:
                if not opened.issuperset(opens):
                    stands = asked[text] = text in joined
                    if stands:
                        opened.update(opens)
            else:
                asked[text] = False

    def present(self, pattern: Pattern) -> list[str]:
        """Return the literals of a pattern that are in any line; patterns share many of theirs."""
        return list(self._standing(pattern.literals, ignore_case=pattern.ignore_case))

    def holds(self, literals: Iterable[AnyLiteral], *, ignore_case: bool) -> bool:
        """Tell whether any of some literals is in any line."""
        return next(self._standing(literals, ignore_case=ignore_case), None) is not None

    def _standing(self, literals: Iterable[AnyLiteral], *, ignore_case: bool) -> Iterator[str]:
        joined, known, listed = self._searched(ignore_case=ignore_case)
        asked = self._asked[ignore_case]
        for text, words, part in literals:
            stands = asked.get(text)
            if stands is None:
                stands = asked[text] = known.issuperset(words) and part in listed and text in joined
            if stands:
                yield text

    def search(self, pattern: Pattern) -> dict[str, Hit]:
        """Return the lines in which a pattern matches, each with its first match."""
        if not pattern.literals:
            # Seldom a match at all, and then one search tells.
            if pattern.search(self._as_they_are[0]) is None:
                return {}
            return {line: hit for line in self._lines if (hit := pattern.search(line))}
        literals = self.present(pattern)
        if not literals:
            return {}
        found: dict[str, Hit] = {}
        for number in self._holding(literals, ignore_case=pattern.ignore_case):
            line = self._lines[number]
            if len(line) <= _SHORT:
                hit = pattern.search(line)
            else:
                start = self._starts[number]
                joined = self._searched(ignore_case=pattern.ignore_case)[0]
                hit = search_around(pattern, line, literals, joined[start : start + len(line)])
            if hit:
                found[line] = hit
        return found

    def holding(self, literals: Sequence[str], *, ignore_case: bool) -> Iterator[str]:
        """Yield the lines that hold any of the literals, each once."""
        return map(self._lines.__getitem__, self._holding(literals, ignore_case=ignore_case))

    def _holding(self, literals: Sequence[str], *, ignore_case: bool) -> set[int]:
        held = self._held[ignore_case]
        numbers = set[int]()
        for literal in literals:
            if literal not in held:
                held[literal] = tuple(self._places_of(literal, self._searched(ignore_case=ignore_case)[0]))
            numbers.update(held[literal])
        return numbers

    def _places_of(self, literal: str, joined: str) -> Iterator[int]:
        """Yield the numbers of the lines that hold a literal."""
        starts = self._starts
        position = joined.find(literal)
        while position >= 0:
            number = bisect_right(starts, position) - 1
            yield number
            if number + 1 == len(starts):
                break
            position = joined.find(literal, starts[number + 1])

    def _searched(self, *, ignore_case: bool) -> _Searched:
        return self._in_lower_case if ignore_case else self._as_they_are

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *accumulate(len(line) + 1 for line in self._lines[:-1])]

    @cached_property
    def _as_they_are(self) -> _Searched:
        joined = "\n".join(self._lines)
        letters = joined.encode("utf-8", "surrogatepass").translate(_LETTERS)
        words = frozenset(letters.decode("ascii").split())
        return joined, words, " ".join(words)

    @cached_property
    def _in_lower_case(self) -> _Searched:
        joined, _words, listed = self._as_they_are
        listed = listed.lower()
        return lowered(joined), frozenset(listed.split()), listed


def lowered(text: str) -> str:
    """Return a text with its ASCII letters in lower case, so that no position moves."""
    return text.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")
