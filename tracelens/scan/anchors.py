"""What the scan looks for, derived from what rules and grammar match.

An anchor is a regular expression such that each match of the pattern it comes
from has, in some line, a match of the anchor. So no rule whose patterns have
become anchors can be deaf in a large input. Anchors are patterns in Python's
syntax; ``compile_anchors`` turns them into what the engines run.
"""

from __future__ import annotations

from collections.abc import Iterable

from tracelens.errors import AnchorError
from tracelens.scan.ordinary import ordinary_match
from tracelens.scan.pieces import Crossing, Part, Piece, Refused, best_within, read_parts, strength
from tracelens.scan.plan import Anchor, Literal

#: A rule's pattern must demand a text of this length, or it could not be looked for quickly.
_LEAST = 3
#: A piece with a text of this length may stand for a pattern that goes on after white space.
_TELLING = 8


def anchors_from_patterns(patterns: Iterable[str]) -> tuple[str, ...]:
    """Derive one anchor from each pattern of a rule; repeats are left out.

    What ties a pattern to the ends of a line is dropped, since a rule sees
    lines without the decorations that the scan sees. A pattern that goes over
    several lines is seen by its strongest piece. Raises ``AnchorError`` for the
    first pattern that the scan could not see, or would see everywhere. Only
    pass patterns over text that the log itself holds in that form.
    """
    return tuple(dict.fromkeys(_derive_for_rule(pattern) for pattern in patterns))


def compile_anchors(anchors: Iterable[str]) -> tuple[Anchor, ...]:
    """Turn anchors into expressions, without those that others make redundant.

    ``^`` and ``$`` mean the ends of a line as it stands in the input, or a
    bare carriage return. Raises ``AnchorError``.
    """
    pieces = {
        piece.expression: piece for piece in (_derive(anchor, keep_ends=True) for anchor in dict.fromkeys(anchors))
    }
    plain = frozenset(filter(None, map(_plain, pieces.values())))
    return tuple(Anchor(piece.expression, piece.demands) for piece in pieces.values() if not _implies(piece, plain))


def _derive_for_rule(pattern: str) -> str:
    piece = _derive(pattern, keep_ends=False)
    if strength(piece)[0] < _LEAST:
        reason = f"no text of {_LEAST} characters or more stands in each of its matches"
        raise AnchorError(pattern, reason)
    ordinary = ordinary_match(piece.expression)
    if ordinary is not None:
        reason = f"ordinary lines are full of it: {ordinary!r}"
        raise AnchorError(pattern, reason)
    return piece.pattern


def _derive(pattern: str, *, keep_ends: bool) -> Piece:
    try:
        parts = read_parts(pattern, keep_ends=keep_ends)
    except Refused as refused:
        raise AnchorError(pattern, str(refused)) from refused
    piece = best_within(parts, Crossing.MEANT) if keep_ends else _telling(parts)
    if not piece.weight:
        reason = "nothing definite stands in each of its matches"
        raise AnchorError(pattern, reason)
    return piece


def _telling(parts: list[Part]) -> Piece:
    piece = best_within(parts, Crossing.MAYBE)
    if strength(piece)[0] >= _TELLING:
        return piece
    # What may cross a line at either end says nothing of the line in between.
    parts = [part for part in parts if part.piece.pattern or part.crossing]
    while parts and parts[0].crossing is Crossing.MAYBE:
        del parts[0]
    while parts and parts[-1].crossing is Crossing.MAYBE:
        del parts[-1]
    return best_within(parts, Crossing.MEANT)


def _plain(piece: Piece) -> Literal | None:
    """Return the text that a piece is looked for by, if it can match nothing else."""
    return piece.exact[0] if piece.exact and len(piece.exact) == 1 and not _has_edges(piece) else None


def _has_edges(piece: Piece) -> bool:
    return any(edge in piece.expression for edge in (r"\b", r"\B", "(?:^|", "|$)"))


def _implies(piece: Piece, plain: frozenset[Literal]) -> bool:
    """Tell whether another, plain anchor is found wherever this one is."""
    sure = [each[0] for each in piece.demands if len(each) == 1]
    return any(
        literal != other and other.text in literal.text and (other.folded or not literal.folded)
        for literal in sure
        for other in plain
    )
