"""From the source of a sound pattern to a ``Pattern`` that is quick to search.

Here it gets its gates, and here its start is bounded: what rule files say
stays readable, and what runs stays fast.
"""

from __future__ import annotations

import re

from tracelens.ruleset.literals import required_literals
from tracelens.ruleset.pattern_tree import REPEATS, Items, ignores_case, parse
from tracelens.ruleset.patterns import MANY_NEWLINES, Pattern

#: The pieces of a sound pattern: escapes, sets, groups, repeats, characters.
_TOKEN = re.compile(
    r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?P<\w+>|\(\?[ims-]*[:)]|[*+?]\?|\{\d+(?:,\d*)?\}\??|.", re.DOTALL
)
_REPEAT = re.compile(r"[*+]|\{\d+,\d*\}")
_NO_WIDTH = ("$", r"\b", r"\B", r"\A")
_LONGEST_START = 200
_NEWLINE = ord("\n")


def make_pattern(source: str, *, foreign: bool = False) -> Pattern:
    """Return a pattern with its gates; the source must have no problems."""
    source = _within_line(source)
    tree = parse(source)
    return Pattern(
        _bounded_start(source),
        literals=required_literals(source),
        ignore_case=ignores_case(tree),
        newlines=_most_newlines(tree, dot_all=bool(tree.state.flags & re.DOTALL)),
        foreign=foreign,
    )


def group_names(source: str) -> tuple[str, ...]:
    """Return the named groups of a sound pattern, in order."""
    return tuple(parse(source).state.groupdict)


def _within_line(source: str) -> str:
    r"""Keep indentation, and blanks at the end, to their line.

    ``^\s*x`` and ``x\s*$`` find the same lines as ``[^\S\n]``, which cannot
    reach over blank lines; and what stays on one line is searched line by line.
    """
    pieces = _TOKEN.findall(source)
    for place, piece in enumerate(pieces):
        if piece != r"\s":
            continue
        before, after = pieces[max(0, place - 1) : place], pieces[place + 1 : place + 3]
        if (before == ["^"] and after and _REPEAT.match(after[0])) or after == ["*", "$"]:
            pieces[place] = r"[^\S\n]"
    return "".join(pieces)


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


def _most_newlines(items: Items, *, dot_all: bool) -> int:
    """Return how many newlines a match can hold, up to a limit that means any number."""
    total = 0
    for operator, value in items:
        name = operator.name
        if name == "IN":
            total += _set_holds_newline(value)
        elif name in REPEATS:
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


def _set_holds_newline(items: Items) -> bool:
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
