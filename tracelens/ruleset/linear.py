"""Which patterns a rule may use, and what must stand in each match.

The patterns accepted here mean the same to ``re`` and to RE2 and cannot make
``re`` explode on the texts of a log. The check reads the tree of Python's own
pattern parser, so that it works where RE2 is not installed; where it is, RE2
has to accept the pattern as well.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any

from tracelens.ruleset.patterns import FLAGS, MANY_NEWLINES, Literal, Pattern, compile_linear

#: RE2's own limit on one numbered repeat, and ours on nested ones.
MAX_REPEAT = 1000
MAX_LENGTH = 2000
#: A shorter literal stands in every log and gates nothing.
_MIN_LITERAL = 3
#: One of several may be shorter, if the others make up for it.
_MIN_ALTERNATIVE = 2
_MIN_WORD = 2
_MIN_PART = 3
_MAX_ALTERNATIVES = 40

# The parser moved in Python 3.11; its tree is the same.
_parser = import_module("re._parser" if sys.version_info >= (3, 11) else "sre_parse")

_FORBIDDEN = {
    "ASSERT": "lookahead and lookbehind are not linear",
    "ASSERT_NOT": "lookahead and lookbehind are not linear",
    "GROUPREF": "back-references are not linear",
    "GROUPREF_EXISTS": "conditional groups are not linear",
    "ATOMIC_GROUP": "atomic groups mean nothing to RE2",
    "POSSESSIVE_REPEAT": "possessive repeats mean nothing to RE2",
}
_REPEATS = ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")
_PIECE = re.compile(r"\\.|\(\?[a-zA-Z-]+[:)]|\(\?#|\{,\d*\}|.", re.DOTALL)
_WORD = re.compile("[A-Za-z]+")
#: The pieces of a sound pattern: escapes, sets, groups, repeats, characters.
_TOKEN = re.compile(
    r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?P<\w+>|\(\?[ims-]*[:)]|[*+?]\?|\{\d+(?:,\d*)?\}\??|.", re.DOTALL
)
_NO_WIDTH = ("$", r"\b", r"\B", r"\A")
_WIDE = 50
_LONGEST_START = 200
_NEWLINE = ord("\n")

_Items = Iterable[tuple[Any, Any]]


def make_pattern(source: str, *, foreign: bool = False) -> Pattern:
    """Return a pattern with its gates; the source must have no problems."""
    tree = _parse(source)
    return Pattern(
        _bounded_start(source),
        literals=required_literals(source),
        ignore_case=_ignores_case(tree),
        newlines=_most_newlines(tree, dot_all=bool(tree.state.flags & re.DOTALL)),
        foreign=foreign,
    )


def _bounded_start(source: str) -> str:
    r"""Bound each repeat that a pattern, or a branch of it, starts with.

    ``\S*torch`` begins anew at every character of a path, and on a line
    without spaces that takes for ever. Nothing is missed: a match just starts
    later in a run that is longer.
    """
    pieces: list[str] = []
    groups = [True]
    at_start, repeatable = True, False
    for piece in _TOKEN.findall(source):
        if piece in ("*", "+") and repeatable:
            pieces.append(f"{{{int(piece == '+')},{_LONGEST_START}}}")
        else:
            pieces.append(piece)
        repeatable = False
        if piece.startswith("(") and not piece.endswith(")"):
            groups.append(at_start)
        elif piece == ")":
            groups.pop()
            at_start = False
        elif piece == "|":
            at_start = groups[-1]
        elif piece == "^":
            at_start = False
        elif piece not in _NO_WIDTH and not piece.startswith("(?"):
            repeatable, at_start = at_start, False
    return "".join(pieces)


def _open_start(items: _Items) -> tuple[int, bool]:
    """Count the wide repeats before the first firm character, and tell whether there is one."""
    wide = 0
    for operator, value in items:
        name = operator.name
        inner, firm = 0, True
        if name == "AT":
            if value.name == "AT_BEGINNING":
                # Tried once for each line only.
                return wide, True
            continue
        if name in _REPEATS:
            low, high, body = value
            inner, firm = _open_start(body)
            inner += high >= _WIDE
            firm = firm and low > 0 and high < _WIDE
        elif name in ("SUBPATTERN", "BRANCH"):
            starts = [_open_start(body) for body in _bodies(name, value)]
            inner, firm = max(count for count, _ in starts), all(is_firm for _, is_firm in starts)
        wide += inner
        if firm:
            return wide, True
    return wide, False


def _most_newlines(items: _Items, *, dot_all: bool) -> int:
    """Return how many newlines a match can hold, up to a limit that means any number."""
    total = 0
    for operator, value in items:
        name = operator.name
        if name == "IN":
            total += _set_holds_newline(value)
        elif name in _REPEATS:
            total += _most_newlines(value[2], dot_all=dot_all) * min(value[1], MANY_NEWLINES)
        elif name == "SUBPATTERN":
            inner = (dot_all or bool(value[1] & re.DOTALL)) and not value[2] & re.DOTALL
            total += _most_newlines(value[3], dot_all=inner)
        elif name == "BRANCH":
            total += max(_most_newlines(branch, dot_all=dot_all) for branch in value[1])
        elif name == "ANY":
            total += dot_all
        elif name in ("LITERAL", "NOT_LITERAL"):
            total += (value == _NEWLINE) is (name == "LITERAL")
    return min(total, MANY_NEWLINES)


def _set_holds_newline(items: _Items) -> bool:
    negated = False
    holds = False
    for operator, value in items:
        name = operator.name
        if name == "NEGATE":
            negated = True
        elif name == "LITERAL":
            holds = holds or value == _NEWLINE
        elif name == "RANGE":
            holds = holds or value[0] <= _NEWLINE <= value[1]
        elif name == "CATEGORY":
            holds = holds or value.name in ("CATEGORY_SPACE", "CATEGORY_NOT_DIGIT", "CATEGORY_NOT_WORD")
    return holds is not negated


def group_names(source: str) -> tuple[str, ...]:
    """Return the named groups of a sound pattern, in order."""
    return tuple(_parse(source).state.groupdict)


def find_problems(source: str, *, foreign: bool = False) -> list[str]:
    """Say in words what is wrong with a pattern; empty when it is sound."""
    if len(source) > MAX_LENGTH:
        return [f"longer than {MAX_LENGTH} characters"]
    problems = list(_spelling_problems(source))
    try:
        tree = _parse(source)
        matches_nothing = re.compile(source, FLAGS).search("") is not None
    except (re.error, OverflowError, RecursionError, Warning) as error:
        return [*problems, f"not a regular expression: {error}"]
    problems += dict.fromkeys(_tree_problems(tree))
    if matches_nothing:
        problems.append("matches the empty text, so it would match every log")
    items = list(tree)
    if items and _is_dot_star(items[0]):
        problems.append("starts with '.*', which a search does not need and which is slow on long lines")
    if _open_start(tree)[0] > 1:
        problems.append("has two wide repeats before anything firm, which is slow on long lines")
    return problems or _linear_problems(source, foreign=foreign)


def _linear_problems(source: str, *, foreign: bool) -> list[str]:
    try:
        compile_linear(source)
    except ImportError:
        if foreign:
            return ["needs google-re2, which is not installed: patterns from outside only run in linear time"]
    except ValueError as error:
        return [f"RE2 refuses it: {error}"]
    return []


def _parse(source: str) -> Any:  # noqa: ANN401  # the parser's tree has no public type
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return _parser.parse(source, FLAGS)


def _spelling_problems(source: str) -> Iterator[str]:
    """Refuse what ``re`` reads and RE2 does not, or reads otherwise."""
    for piece in dict.fromkeys(_PIECE.findall(source)):
        if piece == "(?#":
            yield "comments in a pattern mean nothing to RE2"
        elif piece.startswith("{,"):
            yield f"{piece} is a repeat to re and plain text to RE2; write {{0{piece[1:]}"
        elif piece.startswith("(?") and set(piece[2:-1]) - set("ims-"):
            yield f"the flags in {piece!r} are not the same in RE2; only i, m and s are"
        elif len(piece) > 1 and piece[0] == "\\" and (piece[1] in "ZNuU0" or not piece.isascii()):
            yield f"the escape {piece!r} is not the same in RE2"


def _tree_problems(items: _Items, repeats: int = 1) -> Iterator[str]:
    for operator, value in items:
        name = operator.name
        if name in _FORBIDDEN:
            yield _FORBIDDEN[name]
        if name in _REPEATS:
            low, high, body = value
            unbounded = high == _parser.MAXREPEAT
            times = repeats * max(low, 1 if unbounded else high, 1)
            if times > MAX_REPEAT:
                yield f"repeats more than {MAX_REPEAT} times, counted with the repeats around it"
            if unbounded and _is_ambiguous(list(body)):
                yield "an unbounded repeat of an unbounded repeat can be matched in too many ways"
            yield from _tree_problems(body, times)
        else:
            for body in _bodies(name, value):
                yield from _tree_problems(body, repeats)


def _bodies(name: str, value: Any) -> Iterator[_Items]:  # noqa: ANN401  # as the parser's tree is
    if name == "SUBPATTERN":
        yield value[3]
    elif name == "BRANCH":
        yield from value[1]
    elif name in ("ASSERT", "ASSERT_NOT"):
        yield value[1]
    elif name == "ATOMIC_GROUP":
        yield value


def _is_ambiguous(items: list[tuple[Any, Any]]) -> bool:
    """Tell whether a repeated body is itself open-ended with nothing firm beside it."""
    open_ended = False
    for operator, value in items:
        if operator.name in _REPEATS:
            low, high, body = value
            if high == _parser.MAXREPEAT:
                open_ended = True
            elif low:
                return _is_ambiguous(list(body)) if len(items) == 1 else False
        elif operator.name == "SUBPATTERN":
            if not _is_ambiguous(list(value[3])):
                return False
            open_ended = True
        elif operator.name == "BRANCH":
            if not any(_is_ambiguous(list(branch)) for branch in value[1]):
                return False
            open_ended = True
        elif operator.name != "AT":
            return False
    return open_ended


def _is_dot_star(item: tuple[Any, Any]) -> bool:
    operator, value = item
    if operator.name == "SUBPATTERN":
        body = list(value[3])
        return bool(body) and _is_dot_star(body[0])
    if operator.name not in _REPEATS or value[1] != _parser.MAXREPEAT:
        return False
    return [inner.name for inner, _ in value[2]] == ["ANY"]


def required_literals(source: str) -> tuple[Literal, ...]:
    """Return texts of which one at least stands in every match.

    Empty means that nothing is known. Where any part of the pattern ignores
    case, they are in lower case and to be looked for in lower-cased text.
    """
    tree = _parse(source)
    collector = _Collector(lower=_ignores_case(tree))
    collector.read(tree)
    collector.flush()
    best = max(collector.found, key=_worth, default=())
    return tuple(_literal(text) for text in best)


def _ignores_case(tree: Any) -> bool:  # noqa: ANN401  # as the parser's tree is
    return bool(tree.state.flags & re.IGNORECASE) or _has_part_without_case(tree)


def _has_part_without_case(items: _Items) -> bool:
    for operator, value in items:
        name = operator.name
        if name == "SUBPATTERN" and value[1] & re.IGNORECASE:
            return True
        bodies = [value[2]] if name in _REPEATS else _bodies(name, value)
        if any(_has_part_without_case(body) for body in bodies):
            return True
    return False


def _worth(alternatives: tuple[str, ...]) -> float:
    """Rank literals by the one that is most often found by chance; many count a little less than few."""
    return min(len(text) for text in alternatives) - (len(alternatives) - 1) / 4


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

    def read(self, items: _Items) -> None:
        """Take in what a sequence of nodes demands."""
        for operator, value in items:
            name = operator.name
            if name == "LITERAL":
                self._take(chr(value))
            elif name == "SUBPATTERN":
                self.read(value[3])
            elif name in _REPEATS:
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

    def _repeat(self, low: int, high: int, body: _Items) -> None:
        if low:
            self.read(body)
        if (low, high) != (1, 1):
            self.flush()

    def _branch(self, branches: Iterable[_Items]) -> None:
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
            best: tuple[str, ...] = max(inner.found, key=_worth)
            alternatives += best
        if len(alternatives) <= _MAX_ALTERNATIVES:
            self.found.append(tuple(dict.fromkeys(alternatives)))
