"""The texts of one field over all events of one kind, made quick to search.

Equal texts are searched once. Most patterns match nothing, so they are asked
by their literals first: is the literal's word among the words of the column,
and if so, where in the joined texts does the literal stand? Only the texts
that hold it meet the regular expression.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from tracelens.engine.fields import Subject
from tracelens.ruleset.patterns import Hit, Literal, Pattern, shortened

#: Below this many characters a plain search is cheaper than a list of words.
_SMALL = 2048
_LETTERS = bytes(byte if chr(byte).isalpha() and byte < 128 else 32 for byte in range(256))
_SEPARATOR = "\x00"


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
            for number in self._candidates(pattern):
                text = self._texts[number]
                hit = pattern.search(text)
                if hit is not None:
                    hits += [Found(subject, text, hit) for subject in self._owners[number]]
            hits.sort(key=lambda item: item.subject)
            found = self._found[pattern] = tuple(hits)
        return found

    def may_hold(self, literals: Sequence[Literal], *, ignore_case: bool) -> bool:
        """Tell whether any of the literals stands in any text; true if there are none to ask for."""
        if not literals:
            return bool(self._texts)
        joined = self._lower if ignore_case else self._joined
        if joined is None:
            return True
        return any(
            text in joined
            for text, word, whole in literals
            if self._may_hold_word(word, whole=whole, lower=ignore_case)
        )

    def _may_hold_word(self, word: str, *, whole: bool, lower: bool) -> bool:
        if not word or len(self._joined) < _SMALL:
            return True
        if lower:
            return word in self._lower_words
        return word in self._word_set if whole else word in self._words

    def _candidates(self, pattern: Pattern) -> Iterable[int]:
        if not pattern.literals:
            return range(len(self._texts))
        joined = self._lower if pattern.ignore_case else self._joined
        if joined is None:
            return range(len(self._texts))
        numbers: set[int] = set()
        for text, word, whole in pattern.literals:
            if self._may_hold_word(word, whole=whole, lower=pattern.ignore_case):
                self._collect(text, joined, numbers)
        return sorted(numbers)

    def _collect(self, literal: str, joined: str, numbers: set[int]) -> None:
        starts = self._starts
        position = joined.find(literal)
        while position >= 0:
            number = bisect_right(starts, position) - 1
            numbers.add(number)
            if number + 1 == len(starts):
                return
            position = joined.find(literal, starts[number + 1])

    @cached_property
    def _joined(self) -> str:
        return _SEPARATOR.join(self._texts)

    @cached_property
    def _lower(self) -> str | None:
        """The joined texts in lower case; ``None`` where that moves the positions."""
        lower = self._joined.lower()
        return lower if len(lower) == len(self._joined) else None

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *accumulate(len(text) + 1 for text in self._texts[:-1])]

    @cached_property
    def _word_set(self) -> frozenset[str]:
        letters = self._joined.encode("utf-8", "surrogatepass").translate(_LETTERS)
        return frozenset(letters.decode("ascii").split())

    @cached_property
    def _words(self) -> str:
        return " ".join(self._word_set)

    @cached_property
    def _lower_words(self) -> str:
        return self._words.lower()
