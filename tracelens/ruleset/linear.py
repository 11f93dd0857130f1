"""Which patterns a rule may use.

The patterns accepted here mean the same to ``re`` and to RE2 and cannot make
``re`` explode on the texts of a log. The check reads the tree of Python's own
pattern parser, so that it works where RE2 is not installed; where it is, RE2
has to accept the pattern as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from tracelens.ruleset.pattern_tree import REPEATS, UNBOUNDED, Items, bodies, parse
from tracelens.ruleset.patterns import compile_linear

#: RE2's own limit on one numbered repeat, and ours on nested ones.
MAX_REPEAT = 1000
MAX_LENGTH = 2000

_FORBIDDEN = {
    "ASSERT": "lookahead and lookbehind are not linear",
    "ASSERT_NOT": "lookahead and lookbehind are not linear",
    "GROUPREF": "back-references are not linear",
    "GROUPREF_EXISTS": "conditional groups are not linear",
    "ATOMIC_GROUP": "atomic groups mean nothing to RE2",
    "POSSESSIVE_REPEAT": "possessive repeats mean nothing to RE2",
}
_PIECE = re.compile(r"\\.|\(\?[a-zA-Z-]+[:)]|\(\?#|\{,\d*\}|.", re.DOTALL)
_WIDE = 50


def find_problems(source: str, *, foreign: bool = False) -> list[str]:
    """Say in words what is wrong with a pattern; empty when it is sound."""
    if len(source) > MAX_LENGTH:
        return [f"longer than {MAX_LENGTH} characters"]
    problems = list(_spelling_problems(source))
    try:
        tree = parse(source)
    except (re.error, OverflowError, RecursionError, Warning) as error:
        return [*problems, f"not a regular expression: {error}"]
    problems += dict.fromkeys(_tree_problems(tree))
    shortest, _ = tree.getwidth()
    if shortest == 0:
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


def _tree_problems(items: Items, repeats: int = 1) -> Iterator[str]:
    for operator, value in items:
        name = operator.name
        if name in _FORBIDDEN:
            yield _FORBIDDEN[name]
        if name in REPEATS:
            low, high, body = value
            unbounded = high == UNBOUNDED
            times = repeats * max(low, 1 if unbounded else high, 1)
            if times > MAX_REPEAT:
                yield f"repeats more than {MAX_REPEAT} times, counted with the repeats around it"
            if unbounded and _is_ambiguous(list(body)):
                yield "an unbounded repeat of an unbounded repeat can be matched in too many ways"
            yield from _tree_problems(body, times)
        else:
            for body in bodies(name, value):
                yield from _tree_problems(body, repeats)


def _is_ambiguous(items: list[tuple[Any, Any]]) -> bool:
    """Tell whether a repeated body is itself open-ended with nothing firm beside it."""
    open_ended = False
    for operator, value in items:
        if operator.name in REPEATS:
            low, high, body = value
            if high == UNBOUNDED:
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
    if operator.name not in REPEATS or value[1] != UNBOUNDED:
        return False
    return [inner.name for inner, _ in value[2]] == ["ANY"]


def _open_start(items: Items) -> tuple[int, bool]:
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
        if name in REPEATS:
            low, high, body = value
            inner, firm = _open_start(body)
            inner += high >= _WIDE
            firm = firm and low > 0 and high < _WIDE
        elif name in ("SUBPATTERN", "BRANCH"):
            starts = [_open_start(body) for body in bodies(name, value)]
            inner, firm = max(count for count, _ in starts), all(is_firm for _, is_firm in starts)
        wide += inner
        if firm:
            return wide, True
    return wide, False
