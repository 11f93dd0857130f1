"""Lay out what a trace tells: compilations as a table with bars, then why there were so many.

Styles and symbols are those of the rest of the report.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tracelens.record import Record
from tracelens.report.harmless import harmless, harmless_line
from tracelens.report.layout import UNICODE, Layout, StyledLine
from tracelens.report.timeline_words import (
    PHASE_NAMES,
    STATUS_WORDS,
    cache_in_words,
    id_of,
    in_seconds,
    name_of,
    short_place,
    subject_of,
)
from tracelens.report.wrap import cell_width, shorten, wrap
from tracelens.timeline import (
    Compilation,
    CompileStatus,
    GraphBreakGroup,
    PhaseName,
    RecompileGroup,
    Timeline,
)

_MAX_COMPILATIONS = 12
_MAX_GROUPS = 8
_MAX_VALUES = 6
_NUMBER_WIDTH = 9
_SHORTEST_BAR = 16
_WIDEST_NAME = 24


class _Bars(Record):
    """One character for each phase, so that a bar tells them apart without colour."""

    of_phase: dict[PhaseName, str]


_UNICODE_BARS = _Bars(of_phase=dict(zip(PhaseName, "░▒▓█▞", strict=True)))
_ASCII_BARS = _Bars(of_phase=dict(zip(PhaseName, "daicb", strict=True)))


def lay_out_timeline(timeline: Timeline, layout: Layout) -> Iterator[StyledLine]:
    """Yield the timeline of one input, line by line."""
    if timeline.compilations:
        yield from _compilations(timeline, layout)
    if timeline.recompiles:
        yield ()
        yield from _recompiles(timeline.recompiles, layout)
    if timeline.graph_breaks:
        yield ()
        yield from _graph_breaks(timeline.graph_breaks, layout)
    if timeline.caches:
        yield ()
        for number, cache in enumerate(timeline.caches):
            yield from _paragraph("Cache" if number == 0 else "", cache_in_words(cache), layout, "plain")


def _compilations(timeline: Timeline, layout: Layout) -> Iterator[StyledLine]:
    everything = len(timeline.compilations) + timeline.compilations_left_out
    shown = timeline.longest(_MAX_COMPILATIONS)
    table = _Table(shown, layout)
    dot = layout.symbols.separator
    took = f"{dot}{in_seconds(timeline.seconds)}" if timeline.seconds else ""
    legend = table.legend()
    head = f"  {_count(everything, 'compilation')}{took}"
    yield (("bold", head), ("dim", f"{dot}{legend}" if legend else ""))
    for item in shown:
        yield from table.rows(item)
    if everything > len(shown):
        known = f"{len(timeline.compilations):,}" if timeline.compilations_left_out else "all"
        yield (("dim", f"  the {len(shown)} longest; {known} of them in --format json"),)


class _Table:
    """The rows of compilations; bars are to scale within one table."""

    def __init__(self, items: Sequence[Compilation], layout: Layout) -> None:
        self._layout = layout
        self._bars = (_UNICODE_BARS if layout.symbols is UNICODE else _ASCII_BARS).of_phase
        self._present = {phase.name for item in items for phase in item.phases}
        self._ids = max(cell_width(id_of(item)) for item in items) + 2
        self._names = min(_WIDEST_NAME, max(cell_width(name_of(item)) for item in items))
        self._room = max(_SHORTEST_BAR, layout.width - 4 - self._ids - self._names - _NUMBER_WIDTH)
        self._slowest = max((item.seconds or 0.0 for item in items), default=0.0)

    def legend(self) -> str:
        """Say what the characters of the bars stand for."""
        return " ".join(f"{self._bars[name]} {PHASE_NAMES[name]}" for name in PhaseName if name in self._present)

    def rows(self, item: Compilation) -> Iterator[StyledLine]:
        """Yield the row of one compilation, and below it how it ended where it did not end well."""
        name = shorten(name_of(item), self._names, self._layout.symbols.ellipsis)
        lead = f"  {id_of(item):<{self._ids}}{name}{' ' * (self._names - cell_width(name))}"
        number = f"{'' if item.seconds is None else in_seconds(item.seconds):>{_NUMBER_WIDTH}}"
        yield (("fail" if item.went_wrong else "plain", lead), ("plain", f"{number}  "), ("dim", self._bar(item)))
        mark = STATUS_WORDS[item.status]
        if mark:
            step = f", in {item.ended_in}" if item.ended_in else ""
            said = f": {item.failure}" if item.failure and item.status is CompileStatus.FAILED else step
            for row in wrap(harmless_line(f"{mark}{said}"), self._layout.width - 2 - self._ids):
                yield (("dim", " " * (2 + self._ids) + row),)

    def _bar(self, item: Compilation) -> str:
        if not self._slowest:
            return ""
        scale = self._room / self._slowest
        return "".join(self._bars[phase.name] * round(phase.seconds * scale) for phase in item.phases)[: self._room]


def _recompiles(groups: Sequence[RecompileGroup], layout: Layout) -> Iterator[StyledLine]:
    total = sum(group.count for group in groups)
    reasons = f" for {len(groups)} reasons" if len(groups) > 1 else ""
    yield (("bold", f"  {_count(total, 'recompile')}{reasons}"),)
    for group in groups[:_MAX_GROUPS]:
        place = f"{layout.symbols.separator}{short_place(group.location)}" if group.location else ""
        head = f"{group.count:>4} x {group.guard_kind}: {subject_of(group)}{_values(group, layout)}{place}"
        yield from _hanging(head, layout, "plain")
        for command in group.fixes[0].commands if group.fixes else ():
            yield (("label", "         Fix  "), ("command", harmless(command)))
    if len(groups) > _MAX_GROUPS:
        yield (("dim", f"       and {len(groups) - _MAX_GROUPS} more in --format json"),)


def _values(group: RecompileGroup, layout: Layout) -> str:
    values = group.values[:_MAX_VALUES]
    if not values:
        return ""
    more = f", {layout.symbols.ellipsis}" if len(group.values) > len(values) else ""
    return f" = {', '.join(values)}{more}"


def _graph_breaks(groups: Sequence[GraphBreakGroup], layout: Layout) -> Iterator[StyledLine]:
    total = sum(group.count for group in groups)
    yield (("bold", f"  {_count(total, 'graph break')}"),)
    for group in groups[:_MAX_GROUPS]:
        number = f"{group.gb_id} " if group.gb_id else ""
        place = f"{layout.symbols.separator}{short_place(group.location)}" if group.location else ""
        yield from _hanging(f"{group.count:>4} x {number}{group.reason}{place}", layout, "plain")
    if len(groups) > _MAX_GROUPS:
        yield (("dim", f"       and {len(groups) - _MAX_GROUPS} more in --format json"),)


def _count(number: int, word: str, plural: str = "s") -> str:
    return f"{number:,} {word}{plural if number != 1 else ''}"


def _hanging(text: str, layout: Layout, style: str) -> Iterator[StyledLine]:
    for number, row in enumerate(wrap(harmless_line(text), layout.width - 9)):
        yield ((style, f"{'  ' if number == 0 else ' ' * 9}{row}"),)


def _paragraph(head: str, text: str, layout: Layout, style: str) -> Iterator[StyledLine]:
    for number, row in enumerate(wrap(harmless_line(text), layout.width - 9)):
        yield (("label", f"  {head if number == 0 else '':<7}"), (style, row))
