"""Find the lines that an anchor matches, through an engine that only knows gates.

What counts as a hit is decided here, on single lines and with ``re``: the same
for every engine, every plan and every way an input is cut into pieces.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress

from tracelens.expressions import compiled
from tracelens.expressions import expression as compile_expression
from tracelens.scan.engines import GATE_BITS, GATE_MASK, Engine, linear_search
from tracelens.scan.plan import Anchor, Gate, Plan
from tracelens.typed import Any

#: Longer lines count as hit where all that an anchor demands stands in them:
#: an expression could take seconds on a line of a megabyte.
_MAX_LINE = 16 << 10
#: So many gates found in vain cost more than choosing other gates.
_WASTE = 400_000
_MAX_CHANGES = 3
_SAMPLE = 64 << 10
_OPEN_REPEAT = r"[\]).](?:[*+]|\{\d+,\d{2,}\}|\{\d+,\})"
_MANY_REPEATS = 2
#: So many clues are compared faster than they are looked up.
_FEW_CLUES = 3
#: After so many lines that one anchor matches, the next one is asked for it first.
_FLOOD = 4

#: Start and end.
Line = tuple[int, int]
#: Returns how far the text from the start of a line is known, or 0.
Recall = Callable[[int], int]
#: A text, how far before the end of its gate it begins, and the anchor it is a clue to.
_Place = tuple[bytes, int, int]
_NONE: list[_Place] = []
#: A clue, as above, to the anchor that was the last to match, and that anchor alone in a list.
_Lately = tuple[bytes, int, list[int]]
#: Stands where none has matched yet: it begins after the end of any buffer.
_NOWHERE: _Lately = (b"", 1 << 62, [])
_Lookup = Callable[[bytearray, int, int], list[int]]
#: Alternatives, and whether they are in lower case for any case.
_Texts = tuple[tuple[bytes, ...], bool]
_Check = tuple[tuple[bytes, ...], tuple[_Texts, ...], Callable[..., Any]]


class HitFinder:
    """Looks for the lines of a buffer that an anchor matches."""

    def __init__(self, plan: Plan, engine: Engine, make_engine: Callable[[Plan], Engine]) -> None:
        """Take a plan, an engine for it, and how to make one for another plan."""
        self.plan = plan
        self._engine = engine
        self._make_engine = make_engine
        self._changes = 0
        self._checks: list[_Check | None] = [None] * plan.anchor_count
        #: The anchor that matched last, and how many lines it did before without another.
        self._last = -1
        self._in_a_row = 0
        self._start_over()

    @property
    def engine(self) -> str:
        """Return the name of the engine."""
        return self._engine.name

    def _start_over(self) -> None:
        self._opened: list[tuple[_Lookup, list[_Place]] | None] = [None] * self.plan.gate_count
        self._lately: dict[int, _Lately] = {}
        self._wasted = 0

    def hit_lines(self, buffer: bytearray, start: int, end: int) -> list[Line]:
        """Return start and end of each line in ``buffer[start:end]`` that is hit, in order.

        The byte before ``start`` must be a newline.
        """
        return list(self.hits(buffer, start, end))

    def hits(self, buffer: bytearray, start: int, end: int, recall: Recall | None = None) -> Iterator[Line]:
        """Yield the same lines, but for those that are known.

        ``recall`` is asked where a line starts that may be hit, and returns where what is known there ends, or 0.
        """
        hit_end = guessed = -1
        for code in self._engine.occurrences(buffer, start, end):
            place = code >> GATE_BITS
            if place <= hit_end:
                continue
            line = None
            if self._in_a_row >= _FLOOD and hit_end > guessed:
                guessed = hit_end
                line = self._likely_line(buffer, hit_end, place, end)
            if line is None:
                gate = code & GATE_MASK
                suspects = self._suspects(gate, buffer, place, end)
                if suspects:
                    line_start = buffer.rfind(b"\n", start - 1, place) + 1
                    known = 0 if recall is None else recall(line_start)
                    if known:
                        hit_end = known
                        continue
                    line = self._hit_line(gate, suspects, buffer, (line_start, place, end))
            if line is None:
                self._wasted += 1
                continue
            yield line
            hit_end = line[1]
            if self._in_a_row >= _FLOOD:
                hit_end = yield from _equal_below(buffer, line, end)
        if self._wasted > _WASTE and self._changes < _MAX_CHANGES:
            self._change_gates(bytes(buffer[start : min(end, start + _SAMPLE)]))

    def _likely_line(self, buffer: bytearray, start: int, place: int, end: int) -> Line | None:
        """Return the line at ``start``, if ``place`` is in it and what hit the lines before hits it too."""
        if buffer.find(b"\n", start, place) >= 0:
            return None
        line_end = buffer.find(b"\n", place, end) + 1 or end
        check = self._checks[self._last]
        # What an anchor demands stands in each of its matches, and most of these lines are matched.
        if check is None or line_end - start > _MAX_LINE or check[2](buffer, start - 1, line_end) is None:
            return None
        self._in_a_row += 1
        return start, line_end

    def _suspects(self, gate: int, buffer: bytearray, place: int, end: int) -> list[int]:
        """Return the anchors whose clues stand around the end of a gate: the one that matched last, or all."""
        text, back, latest = self._lately.get(gate, _NOWHERE)
        # A flood is hit by one anchor again and again.
        if place >= back and buffer.startswith(text, place - back, end):
            return latest
        return self._clues(gate)[0](buffer, place, end)

    def _clues(self, gate: int) -> tuple[_Lookup, list[_Place]]:
        """Return what tells the anchors whose clues stand around the end of a gate, and all of them."""
        opened = self._opened[gate]
        if opened is None:
            opened = self._opened[gate] = _opened(self.plan.gate(gate))
        return opened

    def _hit_line(self, gate: int, suspects: list[int], buffer: bytearray, spot: tuple[int, int, int]) -> Line | None:
        """Return a line if an anchor of a gate matches it, given where the line begins, the gate ends and all ends."""
        start, place, end = spot
        line_end = buffer.find(b"\n", place, end) + 1 or end
        line = bytes(buffer[start - 1 : line_end])
        hit = self._hit(suspects, line)
        latest = self._lately.get(gate, _NOWHERE)[2]
        if hit < 0 and suspects is latest:
            hit = self._hit(self._clues(gate)[0](buffer, place, end), line)
        if hit < 0:
            return None
        if suspects is not latest or [hit] != latest:
            self._lately[gate] = next(
                (
                    (text, back, [hit])
                    for text, back, anchor in self._clues(gate)[1]
                    if anchor == hit and place >= back and buffer.startswith(text, place - back, end)
                ),
                _NOWHERE,
            )
        return start, line_end

    def _hit(self, anchors: list[int], line: bytes) -> int:
        """Return the first of some anchors that matches a line, or -1."""
        for number in anchors:
            check = self._checks[number]
            if check is None:
                check = self._checks[number] = _check(self.plan.anchor(number))
            sure, others, search = check
            for text in sure:
                if text not in line:
                    break
            else:
                if (not others or _any_stand(others, line)) and (len(line) > _MAX_LINE or search(line) is not None):
                    self._in_a_row = self._in_a_row + 1 if number == self._last else 0
                    self._last = number
                    return number
        return -1

    def _change_gates(self, common: bytes) -> None:
        from tracelens.scan.gates import replan

        self.plan = replan(self.plan, common, self.engine)
        self._engine = self._make_engine(self.plan)
        self._changes += 1
        self._start_over()


def _equal_below(buffer: bytearray, line: Line, end: int) -> Generator[Line, None, int]:
    """Yield the lines right below a hit that are equal to it, and return where they end."""
    start, below = line
    text = buffer[start:below]
    while buffer.startswith(text, below, end):
        yield below, below + len(text)
        below += len(text)
    return below


def _any_stand(demands: tuple[_Texts, ...], line: bytes) -> bool:
    """Tell whether of each of some alternatives at least one stands in a line."""
    for texts, is_folded in demands:
        hay = line.lower() if is_folded else line
        for text in texts:
            if text in hay:
                break
        else:
            return False
    return True


def _check(anchor: Anchor) -> _Check:
    """Return texts that must all stand in a hit line, alternatives to stand in it, and the search for the rest."""
    sure = tuple(each[0].text for each in anchor.demands if len(each) == 1 and not each[0].folded)
    others = [
        (tuple(literal.text for literal in each), each[0].folded)
        for each in anchor.demands
        if len(each) > 1 or each[0].folded
    ]
    # Long texts are rare and rule a line out at once; short ones are for lines too long to search.
    return (
        tuple(sorted(sure, key=len, reverse=True)),
        tuple(sorted(others, key=lambda texts: len(texts[0]))),
        _search(anchor.expression),
    )


def _search(expression: str) -> Callable[..., Any]:
    """Return what searches a line for an expression.

    Where several open-ended repeats follow each other ``re`` can take the square of a line's length and more; RE2,
    which every rule from outside asks for anyway, never does, and finds the same.
    """
    if len(compiled(_OPEN_REPEAT).findall(expression)) >= _MANY_REPEATS:
        with suppress(ImportError):
            return linear_search(expression)
    return compile_expression(expression.encode(), re.MULTILINE).search


def _opened(gate: Gate) -> tuple[_Lookup, list[_Place]]:
    """Return what tells, from where a gate ends, the anchors whose clues stand there, and all clues."""
    places = [(clue.text, clue.offset + len(gate.text), clue.anchor) for clue in gate.clues]
    look = _plain_lookup(places) if len(places) <= _FEW_CLUES else _indexed_lookup(places, len(gate.text))
    return _folded_lookup(look, places) if gate.folded else look, places


def _plain_lookup(places: list[_Place]) -> _Lookup:
    def look(buffer: bytearray, place: int, end: int) -> list[int]:
        return [number for text, back, number in places if place >= back and buffer.startswith(text, place - back, end)]

    return look


def _folded_lookup(look: _Lookup, places: list[_Place]) -> _Lookup:
    """Look in lower case at what is around a gate, as far as its clues go."""
    before = max(back for _, back, _ in places)
    after = max(len(text) - back for text, back, _ in places)

    def look_folded(buffer: bytearray, place: int, end: int) -> list[int]:
        start = max(0, place - before)
        near = buffer[start : min(end, place + after)].lower()
        return look(near, place - start, len(near))

    return look_folded


def _indexed_lookup(places: list[_Place], size: int) -> _Lookup:
    """Sort many clues by the two bytes that follow the gate or stand before it."""
    after: dict[int, list[_Place]] = {}
    before: dict[int, list[_Place]] = {}
    always: list[_Place] = []
    for each in places:
        text, back, _ = each
        following, previous = text[back:][:2], text[: back - size][-2:]
        if len(following) == 2:
            after.setdefault(following[0] << 8 | following[1], []).append(each)
        elif len(previous) == 2:
            before.setdefault(previous[0] << 8 | previous[1], []).append(each)
        else:
            always.append(each)

    def look(buffer: bytearray, place: int, end: int) -> list[int]:
        near = always
        if place + 2 <= end:
            near = near + after.get(buffer[place] << 8 | buffer[place + 1], _NONE)
        if place >= size + 2:
            near = near + before.get(buffer[place - size - 2] << 8 | buffer[place - size - 1], _NONE)
        return [number for text, back, number in near if place >= back and buffer.startswith(text, place - back, end)]

    return look
