"""What the page shows of a timeline: bars to scale, and why there were so many."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tracelens.record import Record
from tracelens.report.harmless import harmless, harmless_line
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
from tracelens.timeline import Compilation, GraphBreakGroup, RecompileGroup, Timeline

#: The longest compilations of a long trace; all of them are in the JSON answer.
_MAX_BARS = 60
_MAX_GROUPS = 40
_MAX_VALUES = 12


class Segment(Record):
    """One phase of a bar; ``x`` and ``width`` are percent of the whole picture."""

    x: float
    width: float
    style: str
    text: str


class Bar(Record):
    """One compilation: when it ran, in its phases."""

    id: str
    name: str
    took: str
    status: str
    is_bad: bool
    segments: tuple[Segment, ...]


class Group(Record):
    """Several recompiles or graph breaks for one reason."""

    count: int
    kind: str
    what: str
    place: str
    hints: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()


class TimelineView(Record):
    """Everything the page shows of a timeline."""

    head: str
    legend: tuple[tuple[str, str], ...]
    bars: tuple[Bar, ...]
    #: Of those that the JSON answer has.
    left_out: int
    recompiles: tuple[Group, ...]
    graph_breaks: tuple[Group, ...]
    caches: tuple[str, ...]


def view_timeline(timeline: Timeline) -> TimelineView:
    """Return what the page shows of one timeline."""
    shown = timeline.longest(_MAX_BARS)
    present = {phase.name for item in shown for phase in item.phases}
    total = len(timeline.compilations) + timeline.compilations_left_out
    took = f" in {in_seconds(timeline.seconds)}" if timeline.seconds else ""
    return TimelineView(
        head=f"{total:,} compilation{'s' if total != 1 else ''}{took}",
        legend=tuple((name.value, text) for name, text in PHASE_NAMES.items() if name in present),
        bars=tuple(_bars(shown)),
        left_out=len(timeline.compilations) - len(shown),
        recompiles=tuple(_recompile(group) for group in timeline.recompiles[:_MAX_GROUPS]),
        graph_breaks=tuple(_graph_break(group) for group in timeline.graph_breaks[:_MAX_GROUPS]),
        caches=tuple(harmless_line(cache_in_words(cache)) for cache in timeline.caches),
    )


def _bars(items: Sequence[Compilation]) -> Iterator[Bar]:
    begin = min((item.started for item in items if item.started is not None), default=0.0)
    end = max(((item.started or begin) + _length(item) for item in items), default=begin)
    scale = 100 / (end - begin) if end > begin else 0.0
    for item in items:
        status = STATUS_WORDS[item.status]
        said = f"{status}: {item.failure}" if status and item.failure else status
        yield Bar(
            id=id_of(item),
            name=name_of(item),
            took="" if item.seconds is None else in_seconds(item.seconds),
            status=harmless_line(said),
            is_bad=item.went_wrong,
            segments=tuple(_segments(item, begin, scale)),
        )


def _length(item: Compilation) -> float:
    return max(item.seconds or 0.0, sum(phase.seconds for phase in item.phases))


def _segments(item: Compilation, begin: float, scale: float) -> Iterator[Segment]:
    place = (begin if item.started is None else item.started) - begin
    for phase in item.phases:
        text = f"{PHASE_NAMES[phase.name]}: {in_seconds(phase.seconds)}"
        yield Segment(x=place * scale, width=phase.seconds * scale, style=phase.name.value, text=text)
        place += phase.seconds


def _recompile(group: RecompileGroup) -> Group:
    values = ", ".join(group.values[:_MAX_VALUES])
    more = ", …" if len(group.values) > _MAX_VALUES else ""
    return Group(
        count=group.count,
        kind=harmless_line(group.guard_kind),
        what=harmless_line(f"{subject_of(group)}{f' = {values}{more}' if values else ''}"),
        place=harmless_line(short_place(group.location)),
        hints=(harmless_line(group.hint),) if group.hint else (),
        commands=tuple(harmless(command) for fix in group.fixes[:1] for command in fix.commands),
    )


def _graph_break(group: GraphBreakGroup) -> Group:
    return Group(
        count=group.count,
        kind=harmless_line(group.gb_id or ""),
        what=harmless_line(group.reason),
        place=harmless_line(short_place(group.location)),
        hints=tuple(harmless_line(hint) for hint in group.hints[:3]),
    )
