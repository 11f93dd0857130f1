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
from collections.abc import Set as AbstractSet
from functools import cached_property
from itertools import accumulate

from tracelens.engine.around import lowered, search_around
from tracelens.ruleset.compiled import GateGroup, StoredGates
from tracelens.ruleset.patterns import AnyLiteral, Hit, Pattern

_LETTERS = bytes(byte if chr(byte).isalpha() and byte < 128 else 32 for byte in range(256))
#: Stands for all that is not ASCII.
_OTHER = "?"
#: Up to this length a line is searched as a whole.
_SHORT = 1500


class _Joined:
    """Lines joined, in which literals are looked for, with the runs of ASCII letters in them, and those joined.

    Text of ASCII alone is searched much faster, and most literals are nothing else.
    """

    __slots__ = ("_ascii", "listed", "text", "words")

    def __init__(self, text: str, words: frozenset[str], listed: str) -> None:
        self.text = text
        self.words = words
        self.listed = listed
        self._ascii = text if text.isascii() else text.encode("ascii", "replace").decode("ascii")

    def find(self, literal: str, start: int = 0) -> int:
        """Return where a literal first stands from an offset on, -1 if nowhere."""
        text = self._ascii if literal.isascii() and _OTHER not in literal else self.text
        return text.find(literal, start)


class Lines:
    """Lines of which no two are equal."""

    def __init__(self, lines: Iterable[str]) -> None:
        """Take the lines in any order."""
        self._lines = tuple(lines)
        self._asked: tuple[dict[str, bool], dict[str, bool]] = ({}, {})
        self._held: tuple[dict[str, tuple[int, ...]], dict[str, tuple[int, ...]]] = ({}, {})

    def open(self, gates: GateGroup | StoredGates, opened: set[int]) -> None:
        """Add what the literals stand for that are in any line; those that would add nothing are not looked for."""
        joined = self._searched(ignore_case=gates.ignore_case)
        known, listed = joined.words, joined.listed
        asked = self._asked[gates.ignore_case]
        for text, words, part, opens in gates.likely(known):
            if known.issuperset(words) and part in listed:
                if not opened.issuperset(opens):
                    stands = asked[text] = joined.find(text) >= 0
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
        joined = self._searched(ignore_case=ignore_case)
        known, listed = joined.words, joined.listed
        asked = self._asked[ignore_case]
        for text, words, part in literals:
            stands = asked.get(text)
            if stands is None:
                stands = asked[text] = known.issuperset(words) and part in listed and joined.find(text) >= 0
            if stands:
                yield text

    def search(self, pattern: Pattern, among: AbstractSet[str] | None = None) -> dict[str, Hit]:
        """Return the lines, or those ``among`` some, in which a pattern matches, each with its first match."""
        if not pattern.literals:
            if among is not None:
                return {line: hit for line in among if (hit := pattern.search(line))}
            # Seldom a match at all, and then one search tells.
            if pattern.search(self._as_they_are.text) is None:
                return {}
            return {line: hit for line in self._lines if (hit := pattern.search(line))}
        literals = self.present(pattern)
        if not literals:
            return {}
        found: dict[str, Hit] = {}
        for number in self._holding(literals, ignore_case=pattern.ignore_case):
            line = self._lines[number]
            if among is not None and line not in among:
                continue
            if len(line) <= _SHORT:
                hit = pattern.search(line)
            else:
                start = self._starts[number]
                joined = self._searched(ignore_case=pattern.ignore_case).text
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
                held[literal] = tuple(self._places_of(literal, self._searched(ignore_case=ignore_case)))
            numbers.update(held[literal])
        return numbers

    def _places_of(self, literal: str, joined: _Joined) -> Iterator[int]:
        """Yield the numbers of the lines that hold a literal."""
        starts = self._starts
        position = joined.find(literal)
        while position >= 0:
            number = bisect_right(starts, position) - 1
            yield number
            if number + 1 == len(starts):
                break
            position = joined.find(literal, starts[number + 1])

    def _searched(self, *, ignore_case: bool) -> _Joined:
        return self._in_lower_case if ignore_case else self._as_they_are

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *accumulate(len(line) + 1 for line in self._lines[:-1])]

    @cached_property
    def _as_they_are(self) -> _Joined:
        joined = "\n".join(self._lines)
        letters = joined.encode("utf-8", "surrogatepass").translate(_LETTERS)
        words = frozenset(letters.decode("ascii").split())
        return _Joined(joined, words, " ".join(words))

    @cached_property
    def _in_lower_case(self) -> _Joined:
        listed = self._as_they_are.listed.lower()
        return _Joined(lowered(self._as_they_are.text), frozenset(listed.split()), listed)
