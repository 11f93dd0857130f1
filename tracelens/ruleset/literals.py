"""What must stand in each match of a pattern.

Texts that no match can lack are found in the pattern's tree: runs of literal
characters, and of alternatives one each. They let a caller tell by plain text
search that a pattern cannot match, and where it could.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tracelens.ruleset.pattern_tree import REPEATS, Items, ignores_case, parse
from tracelens.ruleset.patterns import Literal

#: A shorter literal stands in every log and gates nothing.
_MIN_LITERAL = 3
#: One of several may be shorter, if the others make up for it.
_MIN_ALTERNATIVE = 2
_MIN_WORD = 2
_MIN_PART = 3
_MAX_ALTERNATIVES = 40
_WORD = re.compile("[A-Za-z]+")


def required_literals(source: str) -> tuple[Literal, ...]:
    """Return texts of which one at least stands in every match.

    Empty means that nothing is known. Where any part of the pattern ignores
    case, they are in lower case and to be looked for in lower-cased text.
    """
    return max(required_texts(source), key=_worth, default=())


def required_texts(source: str) -> list[tuple[Literal, ...]]:
    """Return all such texts: of each of the tuples one at least stands in every match."""
    tree = parse(source)
    collector = _Collector(lower=ignores_case(tree))
    collector.read(tree)
    collector.flush()
    return [tuple(map(_literal, texts)) for texts in collector.found]


def _worth(alternatives: tuple[Literal, ...]) -> float:
    """Rank literals by the one that is most often found by chance; many count a little less than few."""
    return _worth_of_texts([literal.text for literal in alternatives])


def _worth_of_texts(texts: Sequence[str]) -> float:
    return min(map(len, texts)) - (len(texts) - 1) / 4


def _literal(text: str) -> Literal:
    words: list[str] = []
    part = ""
    for match in _WORD.finditer(text):
        word = match.group()
        if match.start() > 0 and match.end() < len(text):
            if len(word) >= _MIN_WORD:
                words.append(word)
        elif len(word) >= max(_MIN_PART, len(part)):
            part = word
    return Literal(text, tuple(dict.fromkeys(words)), part)


class _Collector:
    """Reads a pattern's tree and keeps the texts that no match can lack."""

    def __init__(self, *, lower: bool, prefix: str = "", least: int = _MIN_LITERAL) -> None:
        self.found: list[tuple[str, ...]] = []
        self._least = least
        self._lower = lower
        self._buffer = prefix

    def flush(self) -> None:
        """End the run of literal characters."""
        if len(self._buffer) >= self._least:
            self.found.append((self._buffer,))
        self._buffer = ""

    def read(self, items: Items) -> None:
        """Take in what a sequence of nodes demands."""
        for operator, value in items:
            name = operator.name
            if name == "LITERAL":
                self._take(chr(value))
            elif name == "SUBPATTERN":
                self.read(value[3])
            elif name in REPEATS:
                self._repeat(*value)
            elif name == "BRANCH":
                self._branch(value[1])
            elif name != "AT":
                self.flush()

    def _take(self, character: str) -> None:
        if not self._lower:
            self._buffer += character
        elif character.isascii():
            self._buffer += character.lower()
        else:
            self.flush()

    def _repeat(self, low: int, high: int, body: Items) -> None:
        if low:
            self.read(body)
        if (low, high) != (1, 1):
            self.flush()

    def _branch(self, branches: Iterable[Items]) -> None:
        # The parser moves what all branches begin with in front of them.
        prefix = self._buffer
        self.flush()
        alternatives: list[str] = []
        for branch in branches:
            inner = _Collector(lower=self._lower, prefix=prefix, least=_MIN_ALTERNATIVE)
            inner.read(branch)
            inner.flush()
            if not inner.found:
                return
            best: tuple[str, ...] = max(inner.found, key=_worth_of_texts)
            alternatives += best
        if len(alternatives) <= _MAX_ALTERNATIVES:
            self.found.append(tuple(dict.fromkeys(alternatives)))
