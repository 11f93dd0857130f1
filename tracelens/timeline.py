"""What a structured trace tells of compilations: when, how long, why again, and what broke.

A log says little of what went well; a trace names each compilation with the
seconds of its phases. The JSON keys of ``timeline`` are the field names here.
"""

from __future__ import annotations

from tracelens.record import Record
from tracelens.typed import Enum


class PhaseName(Enum):
    """The parts of one compilation, in order; their seconds do not overlap."""

    DYNAMO = "dynamo"
    AOT_AUTOGRAD = "aot_autograd"
    INDUCTOR = "inductor"
    CODE = "code"
    BACKWARD = "backward"


class CompileStatus(Enum):
    """How one compilation ended."""

    COMPILED = "compiled"
    FAILED = "failed"
    #: Dynamo gave the frame up, and it runs eagerly.
    SKIPPED = "skipped"
    RECOMPILE_LIMIT = "recompile limit"
    #: The trace ends before it does.
    UNFINISHED = "unfinished"


class Phase(Record):
    """One phase of a compilation and its own seconds."""

    name: PhaseName
    seconds: float


class Compilation(Record):
    """One compilation of one process; ``line`` is 1-based in the file ``source``.

    Compile ids start again when a program resets Dynamo, so one id may stand
    for several compilations. ``started`` counts from the first one of the trace.
    """

    compile_id: str
    process: str | None
    status: CompileStatus
    source: str
    line: int
    function: str | None = None
    location: str | None = None
    started: float | None = None
    seconds: float | None = None
    phases: tuple[Phase, ...] = ()
    attempts: int = 1
    graph_breaks: int = 0
    cache_hits: int = 0
    cache_misses: int = 0
    failure: str | None = None
    #: Where the trace has the script of its first graph (``fx_graph_runnable``).
    runnable_line: int | None = None
    #: The innermost step that the trace shows begun and not ended.
    ended_in: str | None = None

    @property
    def went_wrong(self) -> bool:
        """Tell whether the program had to go on without it, or never got there."""
        return self.status in (CompileStatus.FAILED, CompileStatus.UNFINISHED, CompileStatus.RECOMPILE_LIMIT)


class RecompileFix(Record):
    """A fix for one kind of guard, from the rule that knows the kind."""

    id: str
    title: str
    commands: tuple[str, ...]


class RecompileGroup(Record):
    """Recompiles for one and the same reason: a guard on one thing, made in one place.

    ``code`` is the rule that knows this kind of guard.
    """

    guard_kind: str
    guard: str
    subject: str | None
    dimension: int | None
    function: str | None
    location: str | None
    count: int
    values: tuple[str, ...]
    compile_ids: tuple[str, ...]
    source: str
    line: int
    #: What torch printed behind the guard: the line that made it, and its own advice.
    hint: str | None = None
    code: str | None = None
    fixes: tuple[RecompileFix, ...] = ()


class GraphBreakGroup(Record):
    """Graph breaks of one kind at one line of the user's code."""

    gb_id: str | None
    reason: str
    location: str | None
    count: int
    compile_ids: tuple[str, ...]
    hints: tuple[str, ...]
    source: str
    line: int


class CacheUse(Record):
    """How often one compile cache had what was asked for."""

    cache: str
    hits: int
    misses: int
    bypasses: int
    saved_seconds: float
    bypass_reasons: tuple[str, ...] = ()


class Timeline(Record):
    """Everything that the traces of one input tell; long lists are cut, and what was left out is counted."""

    sources: tuple[str, ...]
    seconds: float
    compilations: tuple[Compilation, ...]
    recompiles: tuple[RecompileGroup, ...]
    graph_breaks: tuple[GraphBreakGroup, ...]
    caches: tuple[CacheUse, ...]
    compilations_left_out: int = 0
    groups_left_out: int = 0

    def longest(self, most: int) -> tuple[Compilation, ...]:
        """Return those that went wrong, and then those that took longest, in the order of the trace."""
        items = self.compilations
        order = sorted(range(len(items)), key=lambda place: (not items[place].went_wrong, -(items[place].seconds or 0)))
        return tuple(items[place] for place in sorted(order[:most]))
