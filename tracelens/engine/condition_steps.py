"""A condition gone through part by part: what holds, where, and what is missing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tracelens.engine.evidence import Excerpt, locate
from tracelens.engine.match import Match, Matcher, Proof
from tracelens.ruleset.model import AllOf, AnyOf, Condition, Leaf, Not
from tracelens.ruleset.spelling import spell_place
from tracelens.text import Span

#: Of one condition's places so many are told.
MAX_SEEN = 6


class Seen(NamedTuple):
    """One place where a leaf holds: its lines, the field, and the text that matched."""

    span: Span
    field: str | None
    text: str


class Step(NamedTuple):
    """One condition; ``places`` is how many there are, of which ``seen`` holds the first."""

    name: str
    asks: tuple[tuple[str, str], ...]
    holds: bool
    seen: tuple[Seen, ...] = ()
    places: int = 0
    missing: tuple[str, ...] = ()
    members: tuple[Step, ...] = ()


def go_through(condition: Condition, matcher: Matcher, excerpt: Excerpt, primary: Proof | None = None) -> Step:
    """Return how a condition fares; ``primary`` is what it is seen from, where it needs that."""
    if isinstance(condition, Leaf):
        return _through_leaf(condition, matcher, excerpt, primary)
    if isinstance(condition, Not):
        inner = go_through(condition.condition, matcher, excerpt, primary)
        return Step(name="not", asks=(), holds=not inner.holds, members=(inner,))
    if isinstance(condition, AnyOf):
        members = tuple(go_through(member, matcher, excerpt, primary) for member in condition.conditions)
        return Step(name="any", asks=(), holds=any(member.holds for member in members), members=members)
    return _through_all(condition, matcher, excerpt, primary)


def _through_all(condition: AllOf, matcher: Matcher, excerpt: Excerpt, primary: Proof | None) -> Step:
    first, *others = condition.conditions
    whole = _first_match(condition, matcher, primary)
    # Where it does not hold, the others are told of from where they would have had to.
    start = whole or _first_match(first, matcher, primary)
    beside = start.primary if start else primary
    members = (
        go_through(first, matcher, excerpt, primary),
        *(go_through(other, matcher, excerpt, beside) for other in others),
    )
    missing = () if whole or not start else (f"seen from line {locate(start.primary, excerpt).line}",)
    return Step(name="all", asks=(), holds=whole is not None, members=members, missing=missing)


def _first_match(condition: Condition, matcher: Matcher, primary: Proof | None) -> Match | None:
    return matcher.beside(condition, primary) if primary else next(matcher.places(condition), None)


def _through_leaf(leaf: Leaf, matcher: Matcher, excerpt: Excerpt, primary: Proof | None) -> Step:
    proofs = matcher.proofs(leaf)
    beside = matcher.beside(leaf, primary) if primary else None
    shown = (beside.primary,) if beside else proofs[:MAX_SEEN]
    holds = bool(beside) if primary else bool(proofs)
    missing: tuple[str, ...] = ()
    if not proofs:
        missing = tuple(_fields_alone(leaf, matcher, excerpt))
    elif not holds and primary:
        lines = ", ".join(str(locate(proof, excerpt).line) for proof in shown)
        where = f"line {locate(primary, excerpt).line}"
        missing = (f"it stands on line {lines}, which is not where it has to be, seen from {where}",)
    return Step(
        name=leaf.kind.value,
        asks=tuple(_asks(leaf)),
        holds=holds,
        seen=tuple(dict.fromkeys(_seen(proof, excerpt) for proof in shown)) if holds else (),
        places=len(proofs),
        missing=missing,
    )


def _seen(proof: Proof, excerpt: Excerpt) -> Seen:
    span = locate(proof, excerpt)
    text = proof.text[proof.start : proof.end] if proof.text is not None else excerpt(span)
    return Seen(span=span, field=proof.field, text=text)


def _asks(leaf: Leaf) -> Iterator[tuple[str, str]]:
    for name, pattern in leaf.patterns:
        yield name, pattern.source
    for name, wanted in leaf.choices:
        yield name, ", ".join(str(value).lower() if isinstance(value, bool) else str(value) for value in wanted)
    if leaf.said_in:
        yield "in", ", ".join(kind.value for kind in leaf.said_in)
    if leaf.at_least > 1:
        yield "count", str(leaf.at_least)
    if leaf.grows:
        yield "grows", leaf.grows
    if leaf.place:
        for name, value in spell_place(leaf.place).items():
            yield name, str(value).lower()


def _fields_alone(leaf: Leaf, matcher: Matcher, excerpt: Excerpt) -> Iterator[str]:
    """Say of each field of a leaf that holds nowhere where it would hold by itself."""
    bare = leaf._replace(place=None, at_least=1, grows=None)
    if leaf.grows:
        yield f"{leaf.grows} does not grow{_told(matcher.proofs(bare), excerpt)}"
    if leaf.at_least > 1:
        yield f"fewer than {leaf.at_least}{_told(matcher.proofs(bare), excerpt)}"
    if len(leaf.patterns) + len(leaf.choices) < 2:
        return
    for pattern in leaf.patterns:
        alone = bare._replace(patterns=(pattern,), choices=())
        yield f"{pattern[0]} alone{_told(matcher.proofs(alone), excerpt)}"
    for choice in leaf.choices:
        alone = bare._replace(patterns=(), choices=(choice,))
        yield f"{choice[0]} alone{_told(matcher.proofs(alone), excerpt)}"


def _told(proofs: tuple[Proof, ...], excerpt: Excerpt) -> str:
    if not proofs:
        return ": nowhere"
    lines = ", ".join(str(locate(proof, excerpt).line) for proof in proofs[:MAX_SEEN])
    more = f" and {len(proofs) - MAX_SEEN} more" if len(proofs) > MAX_SEEN else ""
    return f": line {lines}{more}"
