"""The texts of one field over all events of one kind, made quick to search.

Equal texts are searched once. Most patterns match nothing, so they are asked
by their literals first: is the literal's word among the words of the column,
and if so, where in the joined texts does the literal stand? Only the texts
that hold it meet the regular expression.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from tracelens.engine.fields import Subject
from tracelens.ruleset.patterns import Hit, Literal, Pattern, shortened

_LETTERS = bytes(byte if chr(byte).isalpha() and byte < 128 else 32 for byte in range(256))
_SEPARATOR = "\x00"
#: Up to this length a text is searched as a whole.
_SHORT = 1500
#: Beyond it: so far around a literal can a match reach.
_LINES_BEFORE = 12
_LINES_AFTER = 24
_REACH = 4000
_MAX_OCCURRENCES = 1000


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
            for number, hit in self._hits(pattern):
                text = self._texts[number]
                hits += [Found(subject, text, hit) for subject in self._owners[number]]
            hits.sort(key=lambda item: item.subject)
            found = self._found[pattern] = tuple(hits)
        return found

    def may_hold(self, literals: Sequence[Literal], *, ignore_case: bool) -> bool:
        """Tell whether any of the literals stands in any text; true if there are none to ask for."""
        if not literals:
            return bool(self._texts)
        joined = self._lower if ignore_case else self._joined
        known, listed = self._lower_vocabulary if ignore_case else self._vocabulary
        return any(part in listed and known.issuperset(words) and text in joined for text, words, part in literals)

    def _hits(self, pattern: Pattern) -> Iterator[tuple[int, Hit]]:
        joined = self._lower if pattern.ignore_case else self._joined
        if not pattern.literals:
            for number, text in enumerate(self._texts):
                hit = pattern.search(text)
                if hit:
                    yield number, hit
            return
        known, listed = self._lower_vocabulary if pattern.ignore_case else self._vocabulary
        literals = [text for text, words, part in pattern.literals if part in listed and known.issuperset(words)]
        for number in sorted(self._holding(literals, joined)):
            text = self._texts[number]
            if len(text) <= _SHORT:
                hit = pattern.search(text)
            else:
                start = self._starts[number]
                hit = search_around(pattern, text, literals, joined[start : start + len(text)])
            if hit:
                yield number, hit

    def _holding(self, literals: Iterable[str], joined: str) -> set[int]:
        """Return the numbers of the texts that hold any of the literals."""
        numbers: set[int] = set()
        starts = self._starts
        for literal in literals:
            position = joined.find(literal)
            while position >= 0:
                number = bisect_right(starts, position) - 1
                numbers.add(number)
                if number + 1 == len(starts):
                    break
                position = joined.find(literal, starts[number + 1])
        return numbers

    @cached_property
    def _joined(self) -> str:
        return _SEPARATOR.join(self._texts)

    @cached_property
    def _lower(self) -> str:
        """The joined texts with their ASCII letters in lower case, so that no position moves."""
        return self._joined.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *accumulate(len(text) + 1 for text in self._texts[:-1])]

    @cached_property
    def _vocabulary(self) -> tuple[frozenset[str], str]:
        """Every run of ASCII letters in the texts, as a set and listed."""
        letters = self._joined.encode("utf-8", "surrogatepass").translate(_LETTERS)
        words = frozenset(letters.decode("ascii").split())
        return words, " ".join(words)

    @cached_property
    def _lower_vocabulary(self) -> tuple[frozenset[str], str]:
        listed = self._vocabulary[1].lower()
        return frozenset(listed.split()), listed


def search_around(pattern: Pattern, text: str, literals: Sequence[str], searched: str) -> Hit | None:
    """Return the first match in a long text, looking only around the literals that it needs.

    ``searched`` is the text as the literals are spelled: in lower case, or as
    it is. A match of several lines may reach so far and no further; a line
    that is pages long is looked at in part.
    """
    before, after = min(pattern.newlines, _LINES_BEFORE), min(pattern.newlines, _LINES_AFTER)
    done = 0
    for position in _occurrences(literals, searched):
        if position < done:
            continue
        start = max(_line_start(text, position, before), position - _REACH, 0)
        end = min(_line_end(text, position, after), position + _REACH)
        hit = pattern.search(text, max(start, 0), end)
        if hit:
            return hit
        done = end
    return None


def _occurrences(literals: Sequence[str], text: str) -> list[int]:
    positions: list[int] = []
    for literal in literals:
        position = text.find(literal)
        while position >= 0 and len(positions) < _MAX_OCCURRENCES * len(literals):
            positions.append(position)
            position = text.find(literal, position + len(literal))
    return sorted(positions)


def _line_start(text: str, position: int, lines: int) -> int:
    for _ in range(lines + 1):
        position = text.rfind("\n", 0, max(position, 0))
        if position < 0:
            return 0
    return position + 1


def _line_end(text: str, position: int, lines: int) -> int:
    for _ in range(lines + 1):
        position = text.find("\n", position + 1)
        if position < 0:
            return len(text)
    return position
