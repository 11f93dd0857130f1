"""Read a pattern's tree and write its pieces in the dialect of every engine.

Each piece of a pattern is written twice: as Python reads it, and as an
expression over bytes that hyperscan, RE2 and ``re`` all read alike and that
never matches a newline. Where the two cannot be equal the expression matches
more, never less: any character outside ASCII stands for any other in a class.
The tree is that of Python's own pattern parser.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import reduce
from importlib import import_module
from typing import Any

from tracelens.scan.byte_classes import ANY, NEWLINE, ByteClass, class_of, escape, single
from tracelens.scan.plan import Literal

# The parser moved in Python 3.11; its tree is the same.
_parser = import_module("re._parser" if sys.version_info >= (3, 11) else "sre_parse")

_NEWLINE = ord("\n")
#: Larger numbers cost engines a state each; above it a repeat is open-ended.
_MAX_REPEAT = 64
#: How many texts are written out where a sequence can match just these.
_MAX_LITERALS = 48
#: How many alternatives are worth a search each, where at least one must stand.
_MAX_ALTERNATIVES = 96
#: A literal of this length says as much as a longer one.
_LONG_ENOUGH = 8

_REFUSED = {
    "ASSERT": "lookahead and lookbehind are not linear",
    "ASSERT_NOT": "lookahead and lookbehind are not linear",
    "GROUPREF": "back-references are not linear",
    "GROUPREF_EXISTS": "conditional groups are not linear",
    "ATOMIC_GROUP": "atomic groups exist in one engine only",
    "POSSESSIVE_REPEAT": "possessive repeats exist in one engine only",
}
_EDGES = {"AT_BOUNDARY": r"\b", "AT_NON_BOUNDARY": r"\B"}
_STARTS = ("AT_BEGINNING", "AT_BEGINNING_STRING")

_Items = Iterable[tuple[Any, Any]]


class Crossing(IntEnum):
    """Whether what a part matches may hold a newline."""

    NEVER = 0
    #: It may, as ``\\s`` and ``[^x]`` may, but need not have been meant to.
    MAYBE = 1
    #: It must, or was plainly meant to.
    MEANT = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A pattern that stays within a line.

    ``weight`` is the number of characters that a match cannot do without. Of
    each tuple in ``demands`` at least one literal stands in each match.
    ``exact`` is all that it can match, where that is little.
    """

    pattern: str = ""
    expression: str = ""
    weight: int = 0
    demands: tuple[tuple[Literal, ...], ...] = ()
    exact: tuple[Literal, ...] | None = (Literal(b"", folded=False),)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One item of a sequence, kept to its line.

    ``within`` holds pieces that stand in each match even where the part itself
    crosses lines. ``is_one`` tells that a repeat may be written right behind.
    """

    piece: Piece
    crossing: Crossing = Crossing.NEVER
    byte_class: ByteClass | None = None
    is_one: bool = False
    within: tuple[Piece, ...] = ()


class Refused(Exception):  # noqa: N818 - caught where the pattern's text is known
    """Something in a pattern that no scan can look for; the text says why."""


def read_parts(pattern: str, *, keep_ends: bool) -> list[Part]:
    """Return the parts of a pattern; raises ``Refused``.

    Without ``keep_ends``, what ties the pattern to the ends of a line is left
    out: a rule sees lines bare, a scan sees them with their decorations.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            tree = _parser.parse(pattern, re.MULTILINE | re.ASCII)
    except (re.error, OverflowError, RecursionError, Warning) as error:
        message = f"not a regular expression: {error}"
        raise Refused(message) from error
    return _Reader(keep_ends).read(tree, tree.state.flags)


def joined(parts: Sequence[Part]) -> Piece:
    """Return one piece for parts that follow each other."""
    demands: list[tuple[Literal, ...]] = []
    nothing: tuple[Literal, ...] = (Literal(b"", folded=False),)
    run = nothing
    is_exact = True
    for part in parts:
        exact = part.piece.exact
        longer = _product(run, exact) if exact else None
        if longer is None:
            is_exact = False
            demands += [run, *part.piece.demands]
        run = longer or exact or nothing
    demands.append(run)
    return Piece(
        pattern="".join(part.piece.pattern for part in parts),
        expression="".join(part.piece.expression for part in parts),
        weight=sum(part.piece.weight for part in parts),
        demands=tuple(dict.fromkeys(each for each in demands if shortest(each))),
        exact=run if is_exact else None,
    )


def _product(first: tuple[Literal, ...], second: tuple[Literal, ...]) -> tuple[Literal, ...] | None:
    if len(first) * len(second) > _MAX_LITERALS:
        return None
    if len(first) == len(second) == 1 and first[0].folded == second[0].folded:
        return (Literal(first[0].text + second[0].text, first[0].folded),)
    folded = first[0].folded or second[0].folded
    texts = (one.text + other.text for one in first for other in second)
    return tuple(dict.fromkeys(Literal(text.lower() if folded else text, folded) for text in texts))


def best_within(parts: Sequence[Part], least: Crossing) -> Piece:
    """Return the strongest piece between the parts that cross lines as ``least`` says."""
    best = Piece()
    run: list[Part] = []
    for part in [*parts, Part(piece=Piece(), crossing=Crossing.MEANT)]:
        if part.crossing < least:
            run.append(part)
            continue
        best = max((best, joined(run), *part.within), key=strength)
        run = []
    return best


def strength(piece: Piece) -> tuple[int, int]:
    """Return how good a piece is to look for: the length of a text that each match holds, its weight."""
    return max(map(shortest, piece.demands), default=0), piece.weight


def alternatives(pieces: Sequence[Piece]) -> Piece:
    """Return a piece that matches where any of the given ones does."""
    best = [max(piece.demands, key=telling, default=()) for piece in pieces]
    return Piece(
        pattern=f"(?:{'|'.join(dict.fromkeys(piece.pattern for piece in pieces))})",
        expression=f"(?:{'|'.join(dict.fromkeys(piece.expression for piece in pieces))})",
        weight=min(piece.weight for piece in pieces),
        demands=tuple(filter(None, (_union(best, most=_MAX_ALTERNATIVES),))),
        exact=_union([piece.exact or () for piece in pieces], most=_MAX_LITERALS),
    )


def _union(literals: Sequence[tuple[Literal, ...]], *, most: int) -> tuple[Literal, ...] | None:
    if not all(literals):
        return None
    folded = any(literal.folded for each in literals for literal in each)
    texts = (literal.text for each in literals for literal in each)
    union = tuple(dict.fromkeys(Literal(text.lower() if folded else text, folded) for text in texts))
    return union if len(union) <= most else None


def telling(literals: tuple[Literal, ...]) -> float:
    """Return how good some literals are to look for: long ones, and few of them."""
    return min(shortest(literals), _LONG_ENOUGH) - len(literals) / 8


def shortest(literals: tuple[Literal, ...]) -> int:
    """Return the length of the shortest of some literals."""
    return min(len(literal.text) for literal in literals)


class _Reader:
    def __init__(self, keep_ends: bool) -> None:  # noqa: FBT001 - handed on from a keyword
        self._keep_ends = keep_ends

    def read(self, items: _Items, flags: int) -> list[Part]:
        parts: list[Part] = []
        text = ""
        for operator, value in items:
            name = operator.name
            if name == "LITERAL" and _is_plain(value, flags):
                text += chr(value)
                continue
            if text:
                parts.append(_text(text))
                text = ""
            if name in _REFUSED:
                raise Refused(_REFUSED[name])
            if name == "SUBPATTERN":
                _, added, removed, body = value
                parts += self.read(body, (flags | added) & ~removed)
            else:
                parts.append(self._one(name, value, flags))
        if text:
            parts.append(_text(text))
        return parts

    def _one(self, name: str, value: Any, flags: int) -> Part:  # noqa: ANN401 - the tree has no public type
        if name == "AT":
            return self._edge(value.name)
        if name == "BRANCH":
            return self._branch(value[1], flags)
        if name in ("MAX_REPEAT", "MIN_REPEAT"):
            low, high, body = value
            return _repeat(low, None if high == _parser.MAXREPEAT else high, self.read(body, flags))
        if name == "LITERAL" and value == _NEWLINE:
            return Part(piece=Piece(exact=None), crossing=Crossing.MEANT)
        if name == "ANY" and flags & re.DOTALL:
            return _class(replace(ANY, members=ANY.members | NEWLINE, pattern=r"[\s\S]"))
        return _class(class_of(name, value, ignore_case=bool(flags & re.IGNORECASE)))

    def _edge(self, name: str) -> Part:
        edge = _EDGES.get(name)
        if edge is not None:
            return Part(piece=Piece(pattern=edge, expression=edge))
        if not self._keep_ends:
            return Part(piece=Piece())
        # A bare carriage return ends what a reader sees as a line, though not what is counted as one.
        if name in _STARTS:
            # What is looked for at the start of a line is looked for behind the newline before it.
            before = (Literal(b"\n", folded=False), Literal(b"\r", folded=False))
            return Part(piece=Piece(pattern="^", expression=r"(?:^|\r)", exact=before))
        return Part(piece=Piece(pattern="$", expression=r"(?:\r|$)"))

    def _branch(self, branches: Iterable[_Items], flags: int) -> Part:
        read = [self.read(branch, flags) for branch in branches]
        crossing = max((part.crossing for parts in read for part in parts), default=Crossing.NEVER)
        within = (alternatives([best_within(parts, Crossing.MAYBE) for parts in read]),) if crossing else ()
        return Part(piece=alternatives([joined(parts) for parts in read]), crossing=crossing, within=within)


def _is_plain(code: int, flags: int) -> bool:
    return code != _NEWLINE and (code > 127 or not flags & re.IGNORECASE or not chr(code).isalpha())


def _text(text: str) -> Part:
    data = text.encode("utf-8", "surrogateescape")
    piece = Piece(
        pattern="".join(map(escape, text)),
        expression="".join(map(single, data)),
        weight=len(text),
        exact=(Literal(data, folded=False),),
    )
    return Part(piece=piece, is_one=len(data) == 1)


def _class(byte_class: ByteClass) -> Part:
    crossing = Crossing.NEVER
    if byte_class.members & NEWLINE:
        crossing = Crossing.MEANT if byte_class.is_everything or not byte_class.is_within_lines else Crossing.MAYBE
    letter = byte_class.folded_letter
    exact = tuple(Literal(member, folded=False) for member in byte_class.listed)
    piece = Piece(
        pattern=byte_class.pattern,
        expression=byte_class.once() if byte_class.is_within_lines else "",
        weight=1 if exact else 0,
        exact=(Literal(letter, folded=True),) if letter else exact or None,
    )
    return Part(piece=piece, crossing=crossing, byte_class=byte_class, is_one=True)


def _repeat(low: int, high: int | None, body: list[Part]) -> Part:
    piece = joined(body)
    crossing = reduce(max, (part.crossing for part in body), Crossing.NEVER)
    within = (best_within(body, Crossing.MAYBE),) if crossing and low else ()
    if high is not None and high > _MAX_REPEAT:
        high = None
    low = min(low, _MAX_REPEAT)
    only = body[0] if len(body) == 1 else Part(piece=piece)
    times = _times(low, high)
    if only.byte_class is not None:
        expression = only.byte_class.repeated(low, high) if only.byte_class.is_within_lines else ""
    else:
        expression = piece.expression and _grouped(piece.expression, only) + times
    exact = piece.exact
    demands = () if not low else piece.demands
    if (low, high) == (0, 1):
        exact = exact and _union([(Literal(b"", folded=False),), exact], most=_MAX_LITERALS)
    elif (low, high) != (1, 1):
        exact = None
    repeated = Piece(
        pattern=_grouped(piece.pattern, only) + times,
        expression=expression,
        weight=piece.weight * low,
        demands=demands,
        exact=exact,
    )
    return Part(piece=repeated, crossing=crossing, within=within)


def _grouped(text: str, part: Part) -> str:
    return text if part.is_one else f"(?:{text})"


def _times(low: int, high: int | None) -> str:
    marks = {(0, None): "*", (1, None): "+", (0, 1): "?", (1, 1): ""}
    mark = marks.get((low, high))
    if mark is not None:
        return mark
    return f"{{{low},{'' if high is None else high}}}"
