"""Which few short texts to look for, so that no anchor can match unnoticed.

Looking for hundreds of anchors at once is slow in every engine; looking for
some two hundred short texts is not. So a *gate* is a text that stands in each
match of several anchors, and a line without gates holds no match of any. The
gates are chosen by greedy set cover: each anchor demands one, common texts
cost more. Which gates are chosen never changes what is found, only how fast.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from heapq import heapify, heappop, heapreplace

from tracelens.scan.anchors import compile_anchors
from tracelens.scan.options import EngineName
from tracelens.scan.ordinary import count_parts
from tracelens.scan.pieces import shortest
from tracelens.scan.plan import Anchor, Clue, Gate, Literal, Plan
from tracelens.typed import NamedTuple

#: Shorter texts stand in every log and gate nothing.
_SHORTEST = 3
#: What one occurrence in a page of ordinary lines costs.
_COMMON = 10.0


class Costs(NamedTuple):
    """Which gates an engine is quick with.

    They begin with one of the ``lengths`` and grow up to the ``longest``, if
    they get as far as is ``enough``; what is shorter is cut to ``cut``.
    ``each`` is what one costs, ``missing`` (by its square) what is missing to
    enough, ``folded`` that any case will do.
    """

    lengths: tuple[int, ...]
    cut: int
    enough: int
    longest: int
    each: float
    missing: float
    folded: float


#: hyperscan looks at the last eight bytes of a text. It sorts texts by length into eight buckets and is held up by what
#: looks like a mixture of those in one bucket: few lengths leave many buckets to the texts of eight bytes. RE2 is held
#: up by what it finds, and finds least of the same.
_RARE = Costs(lengths=(5, 8), cut=3, enough=8, longest=8, each=0.3, missing=0.15, folded=2.0)
#: One gate is looked for after the other.
_FEW = Costs(lengths=(5, 6, 7), cut=4, enough=5, longest=10, each=8.0, missing=0.2, folded=0.5)
COSTS: dict[str, Costs] = {"hyperscan": _RARE, "re2": _RARE, "python": _FEW}


def choose_gates(anchors: Sequence[Anchor], costs: Costs = _RARE, *, common: bytes = b"") -> tuple[Gate, ...]:
    """Choose gates such that each match of an anchor holds one of its gates.

    ``common`` is text in which gates proved to be common, beside what ordinary
    logs are full of.
    """
    literals = {literal for anchor in anchors for literals in anchor.demands for literal in literals}
    prices = _Prices(literals, common, costs)
    demands: dict[frozenset[Literal], list[int]] = {}
    without = []
    for index, anchor in enumerate(anchors):
        wanted = _demands(anchor, prices)
        for options in wanted:
            demands.setdefault(options, []).append(index)
        if not wanted:
            without.append(Gate(b"", folded=False, expression=anchor.expression, clues=(Clue(index),)))
    sets = tuple(demands)
    gates = [
        _gate(literal, [(sets[number], demands[sets[number]]) for number in covered])
        for literal, covered in _Cover(sets, prices).choose()
    ]
    return (*gates, *without)


def make_plan(anchors: Iterable[str], engine: EngineName = "hyperscan") -> Plan:
    """Work out a plan for an engine; raises ``AnchorError``."""
    compiled = compile_anchors(anchors)
    return Plan.of(compiled, choose_gates(compiled, COSTS[engine]))


def replan(plan: Plan, common: bytes, engine: str) -> Plan:
    """Return a plan that finds the same by gates that are rarer in ``common``."""
    anchors = plan.anchors()
    return Plan.of(anchors, choose_gates(anchors, COSTS[engine], common=common))


def _gate(literal: Literal, covered: Iterable[tuple[frozenset[Literal], list[int]]]) -> Gate:
    clues = {}
    for options, anchors in covered:
        text = _chosen(options, literal).text
        for anchor in anchors:
            clues[anchor, text] = Clue(anchor, text, text.index(literal.text))
    return Gate(literal.text, literal.folded, "", tuple(clues.values()))


def _chosen(options: Iterable[Literal], part: Literal) -> Literal:
    """Return the option that a gate stands for, the longest that holds it."""
    return max((each for each in options if _holds(each, part)), key=lambda each: (len(each.text), each.text))


def _demands(anchor: Anchor, prices: _Prices) -> list[frozenset[Literal]]:
    """Return sets of texts; a match holds, of each set, a text that stands in it as a whole."""
    usable = [each for each in anchor.demands if shortest(each) >= _SHORTEST]
    sure = frozenset(each[0] for each in usable if len(each) == 1)
    ways = [[sure]] if sure else []
    ways += [[frozenset({literal}) for literal in each] for each in usable if len(each) > 1]
    return min(ways, key=prices.of_all, default=[])


class _Prices:
    """What it costs to look for texts: each of them, and what they are found in without need."""

    def __init__(self, literals: Iterable[Literal], common: bytes, costs: Costs) -> None:
        self.costs = costs
        parts: dict[bool, set[bytes]] = {False: set(), True: set()}
        for literal in literals:
            parts[literal.folded].update(part.text for part in self.parts(literal))
        self._counts = {folded: count_parts(texts, common, folded=folded) for folded, texts in parts.items()}

    def parts(self, literal: Literal) -> Iterator[Literal]:
        """Yield what a gate for a literal may begin as."""
        text = literal.text
        is_short = len(text) < min(self.costs.lengths)
        for length in (min(self.costs.cut, len(text)),) if is_short else self.costs.lengths:
            for start in range(len(text) - length + 1):
                yield Literal(text[start : start + length], literal.folded)

    def of(self, part: Literal) -> float:
        """Return what one part of a literal costs as a gate."""
        costs = self.costs
        missing = costs.missing * max(0, costs.enough - len(part.text)) ** 2
        return costs.each + _COMMON * self._counts[part.folded][part.text] + missing + costs.folded * part.folded

    def of_all(self, demands: list[frozenset[Literal]]) -> float:
        """Return what it costs at most to look for a text of each of some sets."""
        return sum(min(self.of(part) for option in options for part in self.parts(option)) for options in demands)


class _Cover:
    def __init__(self, demands: Sequence[frozenset[Literal]], prices: _Prices) -> None:
        self._demands = demands
        self._covers: dict[Literal, set[int]] = {}
        for number, options in enumerate(demands):
            for option in options:
                for part in prices.parts(option):
                    self._covers.setdefault(part, set()).add(number)
        self._prices = {part: prices.of(part) for part in self._covers}
        self._costs = prices.costs

    def choose(self) -> Iterator[tuple[Literal, tuple[int, ...]]]:
        """Yield the parts that cover most for their cost, each with what it adds."""
        heap = [(-len(numbers) / self._prices[part], part.text, part.folded) for part, numbers in self._covers.items()]
        heapify(heap)
        left = set(range(len(self._demands)))
        while left:
            _, text, folded = heap[0]
            part = Literal(text, folded)
            covered = self._covers[part] & left
            worth = -len(covered) / self._prices[part]
            # A worth computed earlier can only have become smaller since.
            if worth > heap[0][0]:
                heapreplace(heap, (worth, text, folded))
                continue
            heappop(heap)
            left -= covered
            yield self._lengthen(part, sorted(covered)), tuple(sorted(covered))

    def _lengthen(self, part: Literal, numbers: Iterable[int]) -> Literal:
        """Extend a part by what surrounds it in everything that it covers."""
        texts = [_chosen(self._demands[number], part).text for number in numbers]
        places = [text.index(part.text) for text in texts]
        start, end = 0, len(part.text)
        while end - start < self._costs.longest:
            following = {text[place + end : place + end + 1] for text, place in zip(texts, places, strict=True)}
            previous = {text[: place + start][-1:] for text, place in zip(texts, places, strict=True)}
            if len(following) == 1 and following != {b""}:
                end += 1
            elif len(previous) == 1 and previous != {b""}:
                start -= 1
            else:
                break
        if end - start < self._costs.enough:
            return part
        return Literal(texts[0][places[0] + start : places[0] + end], part.folded)


def _holds(option: Literal, part: Literal) -> bool:
    return option.folded == part.folded and part.text in option.text
