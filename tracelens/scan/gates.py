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
from tracelens.scan.ordinary import count_parts
from tracelens.scan.pieces import shortest
from tracelens.scan.plan import Anchor, Clue, Gate, Literal, Plan

#: Shorter texts stand in every log and gate nothing.
_SHORTEST = 3
#: What gates begin as: longer ones are rarer and faster to look for, shorter ones are fewer.
_SIZES = (5, 6, 7)
#: hyperscan looks at no more than eight bytes; longer gates only cost memory.
_LONGEST = 10
#: What one occurrence in a page of ordinary lines costs, measured in gates.
_COMMON = 10.0


def choose_gates(anchors: Sequence[Anchor], *, common: bytes = b"", each: float = 0.1) -> tuple[Gate, ...]:
    """Choose gates such that each match of an anchor holds one of its gates.

    ``common`` is text in which gates proved to be common, beside what ordinary
    logs are full of; ``each`` is what one more gate costs.
    """
    costs = _Costs({literal for anchor in anchors for literals in anchor.demands for literal in literals}, common, each)
    demands: dict[frozenset[Literal], list[int]] = {}
    without = []
    for index, anchor in enumerate(anchors):
        wanted = _demands(anchor, costs)
        for options in wanted:
            demands.setdefault(options, []).append(index)
        if not wanted:
            without.append(Gate(b"", folded=False, expression=anchor.expression, clues=(Clue(index),)))
    sets = tuple(demands)
    gates = [
        _gate(literal, [(sets[number], demands[sets[number]]) for number in covered])
        for literal, covered in _Cover(sets, costs).choose()
    ]
    return (*gates, *without)


def make_plan(anchors: Iterable[str], *, each_gate: float = 0.1) -> Plan:
    """Work out a plan; raises ``AnchorError``."""
    compiled = compile_anchors(anchors)
    return Plan.of(compiled, choose_gates(compiled, each=each_gate))


def replan(plan: Plan, common: bytes) -> Plan:
    """Return a plan that finds the same by gates that are rarer in ``common``."""
    anchors = plan.anchors()
    return Plan.of(anchors, choose_gates(anchors, common=common))


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


def _demands(anchor: Anchor, costs: _Costs) -> list[frozenset[Literal]]:
    """Return sets of texts; a match holds, of each set, a text that stands in it as a whole."""
    usable = [each for each in anchor.demands if shortest(each) >= _SHORTEST]
    sure = frozenset(each[0] for each in usable if len(each) == 1)
    ways = [[sure]] if sure else []
    ways += [[frozenset({literal}) for literal in each] for each in usable if len(each) > 1]
    return min(ways, key=costs.of_all, default=[])


class _Costs:
    """What it costs to look for texts: each of them, and what they are found in without need."""

    def __init__(self, literals: Iterable[Literal], common: bytes, each: float) -> None:
        parts: dict[bool, set[bytes]] = {False: set(), True: set()}
        for literal in literals:
            parts[literal.folded].update(part.text for part in _parts(literal))
        self._counts = {folded: count_parts(texts, common, folded=folded) for folded, texts in parts.items()}
        self._each = each

    def of(self, part: Literal) -> float:
        """Return what one part of a literal costs as a gate."""
        missing = max(0, min(_SIZES) - len(part.text))
        return self._each + _COMMON * self._counts[part.folded][part.text] + missing + 0.5 * part.folded

    def of_all(self, demands: list[frozenset[Literal]]) -> float:
        """Return what it costs at most to look for a text of each of some sets."""
        return sum(min(self.of(part) for option in options for part in _parts(option)) for options in demands)


class _Cover:
    def __init__(self, demands: Sequence[frozenset[Literal]], costs: _Costs) -> None:
        self._demands = demands
        self._covers: dict[Literal, set[int]] = {}
        for number, options in enumerate(demands):
            for option in options:
                for part in _parts(option):
                    self._covers.setdefault(part, set()).add(number)
        self._costs = {part: costs.of(part) for part in self._covers}

    def choose(self) -> Iterator[tuple[Literal, tuple[int, ...]]]:
        """Yield the parts that cover most for their cost, each with what it adds."""
        heap = [(-len(numbers) / self._costs[part], part.text, part.folded) for part, numbers in self._covers.items()]
        heapify(heap)
        left = set(range(len(self._demands)))
        while left:
            _, text, folded = heap[0]
            part = Literal(text, folded)
            covered = self._covers[part] & left
            worth = -len(covered) / self._costs[part]
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
        while end - start < _LONGEST:
            following = {text[place + end : place + end + 1] for text, place in zip(texts, places, strict=True)}
            previous = {text[: place + start][-1:] for text, place in zip(texts, places, strict=True)}
            if len(following) == 1 and following != {b""}:
                end += 1
            elif len(previous) == 1 and previous != {b""}:
                start -= 1
            else:
                break
        return Literal(texts[0][places[0] + start : places[0] + end], part.folded)


def _holds(option: Literal, part: Literal) -> bool:
    return option.folded == part.folded and part.text in option.text


def _parts(literal: Literal) -> Iterator[Literal]:
    """Yield what a gate for a literal may begin as; a short literal has no parts."""
    text = literal.text
    if len(text) < min(_SIZES):
        yield literal
    for size in _SIZES:
        for start in range(len(text) - size + 1):
            yield Literal(text[start : start + size], literal.folded)
