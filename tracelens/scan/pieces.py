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
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import reduce
from importlib import import_module
from itertools import product
from typing import Any

from tracelens.scan.byte_classes import ANY, NEWLINE, ByteClass, class_of, escape, single
from tracelens.scan.plan import Literal

# The parser moved in Python 3.11; its tree is the same.
_parser = import_module("re._parser" if sys.version_info >= (3, 11) else "sre_parse")

_NEWLINE = ord("\n")
#: Larger numbers cost engines a state each; above it a repeat is open-ended.
_MAX_REPEAT = 64
#: How many texts are written out where a sequence can match just these.
_MAX_LITERALS = 64
#: How many bytes of each are taken where two sequences meet that can match more.
_MEETINGS = (99, 8, 4, 2)
#: How many letters are written out in both cases, where the rest of a text is in one.
_MAX_SPELLED = 2
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
_LINE_STARTS = (b"\n", b"\r")

_Items = Iterable[tuple[Any, Any]]
_NOTHING: tuple[Literal, ...] = (Literal(b"", folded=False),)


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
    ``exact`` is all that it can match, where that is little; else ``head`` and
    ``tail`` are texts of which one begins each match and one ends it.
    """

    pattern: str = ""
    expression: str = ""
    weight: int = 0
    demands: tuple[tuple[Literal, ...], ...] = ()
    exact: tuple[Literal, ...] | None = _NOTHING
    head: tuple[Literal, ...] | None = None
    tail: tuple[Literal, ...] | None = None


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
    head: tuple[Literal, ...] | None = None
    run = _NOTHING
    for part in parts:
        exact = part.piece.exact
        longer = _product(run, exact) if exact else None
        if longer is None:
            meeting = _meeting(run, exact or part.piece.head or _NOTHING)
            head = head or meeting
            demands += [run, meeting, *part.piece.demands]
            longer = exact or part.piece.tail or _NOTHING
        run = longer
    demands.append(run)
    return Piece(
        pattern="".join(part.piece.pattern for part in parts),
        expression="".join(part.piece.expression for part in parts),
        weight=sum(part.piece.weight for part in parts),
        demands=tuple(dict.fromkeys(each for each in demands if shortest(each))),
        exact=run if head is None else None,
        head=head,
        tail=run,
    )


def _product(first: tuple[Literal, ...], second: tuple[Literal, ...]) -> tuple[Literal, ...] | None:
    """Return all that a text of the first and one of the second make together, where that is little."""
    if len(first) * len(second) > _MAX_LITERALS:
        return None
    if first[0].folded != second[0].folded:
        first, second = _alike(first, second)
        if len(first) * len(second) > _MAX_LITERALS:
            return None
    folded = first[0].folded
    texts = (_behind(one.text, other.text) for one in first for other in second)
    return tuple(Literal(text, folded) for text in dict.fromkeys(texts))


def _behind(text: bytes, following: bytes) -> bytes:
    """Return one text behind another; the start of a line may be asked for twice."""
    return text + following[text[-1:] == following[:1] and following[:1] in _LINE_STARTS :]


def _meeting(first: tuple[Literal, ...], second: tuple[Literal, ...]) -> tuple[Literal, ...]:
    """Return texts of which one stands wherever a text of the second follows one of the first."""
    if _NOTHING in (first, second):
        return first if second is _NOTHING else second
    for size in _MEETINGS:
        ends = tuple(dict.fromkeys(Literal(text[-size:], folded) for text, folded in first))
        starts = tuple(dict.fromkeys(Literal(text[:size], folded) for text, folded in second))
        texts = _product(ends, starts)
        if texts is not None:
            return texts
    return first


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
        head=_union([piece.exact or piece.head or () for piece in pieces], most=_MAX_LITERALS),
        tail=_union([piece.exact or piece.tail or () for piece in pieces], most=_MAX_LITERALS),
    )


def _union(literals: Sequence[tuple[Literal, ...]], *, most: int) -> tuple[Literal, ...] | None:
    if not all(literals):
        return None
    if len({each[0].folded for each in literals}) > 1:
        literals = _alike(*literals)
    union = tuple(dict.fromkeys(literal for each in literals for literal in each))
    return union if len(union) <= most else None


def _alike(*literals: tuple[Literal, ...]) -> list[tuple[Literal, ...]]:
    """Return literals that are all folded or none: spelled out in both cases where that is little, else folded.

    A text without letters is what it is in any case.
    """
    cased = [each for each in literals if each[0].folded or any(_letters(text) for text, _ in each)]
    if any(not each[0].folded for each in cased):
        folded = [literal for each in literals for literal in each if literal.folded]
        if all(_letters(text) <= _MAX_SPELLED for text, _ in folded):
            return [tuple(spelling for literal in each for spelling in _spellings(literal)) for each in literals]
    return [tuple(Literal(text.lower(), folded=True) for text, _ in each) for each in literals]


def _spellings(literal: Literal) -> Iterator[Literal]:
    letters = [(chr(code).lower(), chr(code).upper()) if literal.folded else (chr(code),) for code in literal.text]
    for spelling in product(*(dict.fromkeys(each) for each in letters)):
        yield Literal("".join(spelling).encode("latin-1"), folded=False)


def _letters(text: bytes) -> int:
    return sum(bytes((code,)).isalpha() for code in text)


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
            before = tuple(Literal(each, folded=False) for each in _LINE_STARTS)
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
    head, tail = (exact or piece.head, exact or piece.tail) if low else (None, None)
    if (low, high) == (0, 1):
        exact = exact and _union([_NOTHING, exact], most=_MAX_LITERALS)
    elif (low, high) != (1, 1):
        exact = None
    repeated = Piece(
        pattern=_grouped(piece.pattern, only) + times,
        expression=expression,
        weight=piece.weight * low,
        demands=demands,
        exact=exact,
        head=head,
        tail=tail,
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
