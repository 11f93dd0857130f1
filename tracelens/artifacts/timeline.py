"""Collects what traces tell into one ``Timeline``, in bounded memory."""

from __future__ import annotations

from tracelens.events import GraphBreak, GuardFailure
from tracelens.expressions import expression
from tracelens.timeline import (
    CacheUse,
    Compilation,
    CompileStatus,
    GraphBreakGroup,
    Phase,
    PhaseName,
    RecompileGroup,
    Timeline,
)

_MAX_COMPILATIONS = 10_000
_MAX_GROUPS = 500
_MAX_LISTED = 16
_LONGEST = 400
_LONGEST_HINT = 1000
#: "# x = y * n  # train.py:12 in step" behind a guard: the user's line that made it.
_PLACE = expression(r"# (\S[^\n#:]{0,300}:\d{1,9}) in \S")
_VARIABLE = expression(r"0x[0-9a-fA-F]+|\d{5,}")


class CompileEntry:
    """One compilation while it is being read."""

    __slots__ = (
        "attempts",
        "compile_id",
        "ended_in",
        "failure",
        "function",
        "graph_breaks",
        "hits",
        "line",
        "location",
        "misses",
        "phases",
        "process",
        "runnable_line",
        "seconds",
        "source",
        "started",
        "status",
    )

    def __init__(self, compile_id: str, process: str | None, source: str, line: int) -> None:
        """Begin with nothing but its name and where it begins."""
        self.compile_id = compile_id
        self.process = process
        self.source = source
        self.line = line
        self.status = CompileStatus.UNFINISHED
        self.function: str | None = None
        self.location: str | None = None
        self.started: float | None = None
        self.seconds: float | None = None
        self.phases: tuple[Phase, ...] = ()
        self.attempts = 1
        self.graph_breaks = 0
        self.hits = 0
        self.misses = 0
        self.failure: str | None = None
        self.runnable_line: int | None = None
        self.ended_in: str | None = None

    def add_backward(self, seconds: float) -> None:
        """Add the backward graph, which torch compiles later, as a part of the same compilation."""
        self.phases = (*self.phases, Phase(name=PhaseName.BACKWARD, seconds=seconds))
        self.seconds = (self.seconds or 0.0) + seconds

    def finished(self, epoch: float | None) -> Compilation:
        """Return what is known of it; ``epoch`` is when the first one began."""
        return Compilation(
            compile_id=self.compile_id,
            process=self.process,
            status=self.status,
            source=self.source,
            line=self.line,
            function=self.function,
            location=self.location,
            started=None if self.started is None or epoch is None else max(0.0, self.started - epoch),
            seconds=self.seconds,
            phases=self.phases,
            attempts=self.attempts,
            graph_breaks=self.graph_breaks,
            cache_hits=self.hits,
            cache_misses=self.misses,
            failure=self.failure,
            runnable_line=self.runnable_line,
            ended_in=self.ended_in,
        )


class _Group:
    """Equal recompiles or graph breaks: the first one, how many, and where."""

    __slots__ = ("count", "ids", "line", "source", "values")

    def __init__(self, source: str, line: int) -> None:
        self.source = source
        self.line = line
        self.count = 0
        self.ids: dict[str, None] = {}
        self.values: dict[str, None] = {}

    def add(self, compile_id: str, *values: str | None) -> None:
        self.count += 1
        if len(self.ids) < _MAX_LISTED:
            self.ids[compile_id] = None
        for value in values:
            if value and len(self.values) < _MAX_LISTED:
                self.values[value[:_LONGEST]] = None


class _Cache:
    __slots__ = ("bypasses", "hits", "misses", "reasons", "saved")

    def __init__(self) -> None:
        self.hits = self.misses = self.bypasses = 0
        self.saved = 0.0
        self.reasons: dict[str, None] = {}


class TimelineBuilder:
    """Takes facts in any order and number."""

    def __init__(self) -> None:
        """Start with an empty timeline."""
        self._sources: dict[str, None] = {}
        self._entries: list[CompileEntry] = []
        self._left_out = 0
        self._groups_left_out = 0
        self._recompiles: dict[tuple[object, ...], tuple[_Group, GuardFailure, CompileEntry, str | None]] = {}
        self._breaks: dict[tuple[object, ...], tuple[_Group, GraphBreak]] = {}
        self._caches: dict[str, _Cache] = {}

    @property
    def is_empty(self) -> bool:
        """Tell whether no trace was read."""
        return not self._sources

    def add_source(self, name: str) -> None:
        """Take note of a trace."""
        self._sources[name] = None

    def add_compilation(self, entry: CompileEntry) -> None:
        """Keep a compilation; it may still change."""
        if len(self._entries) < _MAX_COMPILATIONS:
            self._entries.append(entry)
        else:
            self._left_out += 1

    def add_recompile(self, entry: CompileEntry, guard: GuardFailure) -> None:
        """Count a recompile under the guard of the newest code, which is the one that had to fail."""
        place = _PLACE.search(f"# {guard.comment}" if guard.comment else "")
        location = place[1] if place else entry.location
        about = guard.source or _VARIABLE.sub("#", guard.expression)
        key = (guard.kind, about, guard.dimension, location, entry.function)
        known = self._recompiles.get(key)
        if known is None:
            if len(self._recompiles) >= _MAX_GROUPS:
                self._groups_left_out += 1
                return
            group = _Group(entry.source, guard.span.line)
            known = self._recompiles[key] = (group, guard, entry, location)
        known[0].add(entry.compile_id, guard.expected, guard.actual)

    def add_break(self, entry: CompileEntry, graph_break: GraphBreak) -> None:
        """Count a graph break."""
        key = (graph_break.gb_id, graph_break.gb_type, graph_break.location)
        known = self._breaks.get(key)
        if known is None:
            if len(self._breaks) >= _MAX_GROUPS:
                self._groups_left_out += 1
                return
            known = self._breaks[key] = (_Group(entry.source, graph_break.span.line), graph_break)
        known[0].add(entry.compile_id)

    def add_cache(self, name: str, status: str, *, saved: float = 0.0, reason: str | None = None) -> None:
        """Count one question to a cache: ``hit``, ``miss`` or ``bypass``."""
        cache = self._caches.setdefault(name, _Cache())
        cache.hits += status == "hit"
        cache.misses += status == "miss"
        cache.bypasses += status == "bypass"
        cache.saved += saved
        if reason and len(cache.reasons) < _MAX_LISTED:
            cache.reasons[reason[:_LONGEST]] = None

    def build(self) -> Timeline:
        """Return everything, in the order of the traces; groups by their number."""
        starts = [entry.started for entry in self._entries if entry.started is not None]
        epoch = min(starts, default=None)
        return Timeline(
            sources=tuple(self._sources),
            seconds=sum(entry.seconds or 0.0 for entry in self._entries),
            compilations=tuple(entry.finished(epoch) for entry in self._entries),
            recompiles=tuple(sorted(self._recompile_groups(), key=lambda group: -group.count)),
            graph_breaks=tuple(sorted(self._break_groups(), key=lambda group: -group.count)),
            caches=tuple(_use(name, cache) for name, cache in self._caches.items()),
            compilations_left_out=self._left_out,
            groups_left_out=self._groups_left_out,
        )

    def _recompile_groups(self) -> list[RecompileGroup]:
        return [
            RecompileGroup(
                guard_kind=guard.kind.value,
                guard=guard.expression[:_LONGEST],
                subject=guard.source,
                dimension=guard.dimension,
                function=entry.function,
                location=location,
                count=group.count,
                values=tuple(group.values),
                compile_ids=tuple(group.ids),
                source=group.source,
                line=group.line,
                hint=guard.comment[:_LONGEST_HINT] if guard.comment else None,
            )
            for group, guard, entry, location in self._recompiles.values()
        ]

    def _break_groups(self) -> list[GraphBreakGroup]:
        return [
            GraphBreakGroup(
                gb_id=graph_break.gb_id,
                reason=(graph_break.gb_type or "")[:_LONGEST],
                location=graph_break.location,
                count=group.count,
                compile_ids=tuple(group.ids),
                hints=graph_break.hints,
                source=group.source,
                line=group.line,
            )
            for group, graph_break in self._breaks.values()
        ]


def _use(name: str, cache: _Cache) -> CacheUse:
    return CacheUse(
        cache=name,
        hits=cache.hits,
        misses=cache.misses,
        bypasses=cache.bypasses,
        saved_seconds=cache.saved,
        bypass_reasons=tuple(cache.reasons),
    )
