"""The part of a log that a report carries: enough to come to the same answer again.

A log that fits is taken whole. Of a larger one come first the events that the
answer rests on, then what tells of the machine, the end of the log, and what
stands around; of an event that is too long its beginning and end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tracelens.engine.evidence import Excerpt
from tracelens.engine.log import Log
from tracelens.findings import LogExcerpt
from tracelens.ruleset.model import Kind
from tracelens.text import Span

#: No event may take more than this share of the room.
_SHARE = 3
_HEAD_LINES = 20
_TAIL_LINES = 30
_AROUND = (4, 16, 64, 256)
_MAX_EVENTS = 64


def choose_excerpts(
    log: Log, proofs: Iterable[tuple[Span, Span]], lines: int, excerpt: Excerpt, room: int
) -> tuple[LogExcerpt, ...]:
    """Return at most ``room`` characters of a log of ``lines`` lines, in the order of the log.

    ``proofs`` are the lines of each event that matters and, of these, the ones that prove; most important first.
    """
    if lines == 0 or room <= 0:
        return ()
    everything = Span(line=1, end_line=lines)
    text = excerpt(everything)
    if len(text) <= room and text.count("\n") == lines - 1:
        return (LogExcerpt(span=everything, text=text),)
    chosen = _Chosen(excerpt, room)
    for span in _wishes(log, list(proofs), lines, room, excerpt):
        chosen.add(span)
    return chosen.excerpts()


def _wishes(log: Log, proofs: list[tuple[Span, Span]], lines: int, room: int, excerpt: Excerpt) -> Iterator[Span]:
    for _, proving in proofs:
        yield proving
    for whole, proving in proofs:
        yield from _whole_or_ends(whole, proving, room // _SHARE, excerpt)
    for number in log.by_kind.get(Kind.ENVIRONMENT, ())[:_MAX_EVENTS]:
        yield from _whole_or_ends(log.events[number].span, None, room // 8, excerpt)
    for kind in (Kind.EXIT, Kind.DIAGNOSTIC):
        for number in log.by_kind.get(kind, ())[:_MAX_EVENTS]:
            yield from _whole_or_ends(log.events[number].span, None, room // 8, excerpt)
    yield Span(line=max(1, lines - _TAIL_LINES + 1), end_line=lines)
    yield Span(line=1, end_line=min(lines, _HEAD_LINES))
    for reach in _AROUND:
        for whole, _ in proofs[:1]:
            yield Span(line=max(1, whole.line - reach), end_line=max(1, whole.line - 1))
            yield Span(line=min(lines, whole.end_line + 1), end_line=min(lines, whole.end_line + reach))


def _whole_or_ends(whole: Span, proving: Span | None, room: int, excerpt: Excerpt) -> Iterator[Span]:
    """Return a span, or its first and last lines as far as there is room for them."""
    texts = excerpt(whole).split("\n")
    if sum(len(text) + 1 for text in texts) <= room:
        yield whole
        return
    for is_end in (False, True):
        left, count = room // 2, 0
        for text in reversed(texts) if is_end else texts:
            left -= len(text) + 1
            if left < 0:
                break
            count += 1
        if count:
            yield (
                Span(line=whole.end_line - count + 1, end_line=whole.end_line)
                if is_end
                else Span(line=whole.line, end_line=whole.line + count - 1)
            )
    if proving is not None:
        yield Span(line=max(whole.line, proving.line - 3), end_line=min(whole.end_line, proving.end_line + 8))


class _Chosen:
    """Lines chosen so far, and how much room is left."""

    def __init__(self, excerpt: Excerpt, room: int) -> None:
        self._excerpt = excerpt
        self._room = room
        self._lines: dict[int, str] = {}

    def add(self, span: Span) -> None:
        """Take the lines of a span that are not here yet, if there is room for all of them."""
        missing = [line for line in range(span.line, span.end_line + 1) if line not in self._lines]
        found: dict[int, str] = {}
        for first, last in _runs(missing):
            texts = self._excerpt(Span(line=first, end_line=last)).split("\n")
            if len(texts) == last - first + 1:
                found.update(zip(range(first, last + 1), texts, strict=True))
        size = sum(len(text) + 1 for text in found.values())
        if size <= self._room:
            self._room -= size
            self._lines.update(found)

    def excerpts(self) -> tuple[LogExcerpt, ...]:
        """Return what was chosen, neighbours joined."""
        return tuple(
            LogExcerpt(
                span=Span(line=first, end_line=last),
                text="\n".join(self._lines[line] for line in range(first, last + 1)),
            )
            for first, last in _runs(sorted(self._lines))
        )


def _runs(lines: list[int]) -> Iterator[tuple[int, int]]:
    """Return the first and last numbers of each run of neighbours."""
    first = last = None
    for line in lines:
        if last is not None and first is not None and line != last + 1:
            yield first, last
            first = line
        first = line if first is None else first
        last = line
    if first is not None and last is not None:
        yield first, last
