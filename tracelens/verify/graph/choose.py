"""Picks the graph that answers a question best, and the next best where a text is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import Enum

from tracelens.events import CompileId
from tracelens.record import Record
from tracelens.verify.graph.found import FoundGraph, GraphIr, GraphKind, Refusal
from tracelens.verify.graph.read import read_graph

Reader = Callable[[FoundGraph, Mapping[str, int] | None], GraphIr | Refusal]


class Purpose(Enum):
    """What a graph is wanted for."""

    #: Compile what failed to compile or to run.
    FAILURE = "failure"
    #: Hit an entry of the compile cache: only Dynamo's own graph leads to the same key.
    CACHE = "cache"
    #: Compile for several sizes.
    RECOMPILE = "recompile"


class Question(Record):
    """What a graph is wanted for, and of which compile, where the log says."""

    purpose: Purpose
    compile_id: CompileId | None = None
    backward: bool | None = None
    """Whether the backward graph failed; ``None`` where the log does not say."""


class Choice(Record):
    """The graph, and those that were better but could not be read."""

    graph: GraphIr | None
    refused: tuple[Refusal, ...] = ()


_ATEN_FIRST = (
    GraphKind.FX_GRAPH_RUNNABLE,
    GraphKind.MINIFIER_AOT,
    GraphKind.AOT_FORWARD,
    GraphKind.AOT_INFERENCE,
    GraphKind.AOT_BACKWARD,
    GraphKind.TRANSFORMED,
    GraphKind.READABLE,
    GraphKind.POST_GRAD,
    GraphKind.MINIFIER_DYNAMO,
    GraphKind.GRAPH_CODE,
    GraphKind.DYNAMO_OUTPUT,
    GraphKind.PRE_GRAD,
)
_DYNAMO_FIRST = (
    GraphKind.MINIFIER_DYNAMO,
    GraphKind.GRAPH_CODE,
    GraphKind.DYNAMO_OUTPUT,
    GraphKind.PRE_GRAD,
    *_ATEN_FIRST[:8],
)
_ORDER = {
    Purpose.FAILURE: _ATEN_FIRST,
    Purpose.CACHE: _DYNAMO_FIRST,
    # Only a printed graph has its sizes as symbols, and the last of a frame is the most symbolic.
    Purpose.RECOMPILE: (GraphKind.GRAPH_CODE, GraphKind.DYNAMO_OUTPUT, *_DYNAMO_FIRST),
}


def choose(found: Iterable[FoundGraph], question: Question, *, read: Reader = read_graph) -> Choice:
    """Read graphs, best first for the question, until one can be had.

    Graphs of the compile in question come before all others. What a script lacks
    (the bodies of inner graphs) the printed graph of the same compile has, and what
    that lacks (constants) the script has; both are on the way. Sizes that one text
    gives are used for another of the same compile.
    """
    candidates = sorted(
        (graph for graph in found if graph.kind is not GraphKind.AOT_JOINT), key=lambda graph: _rank(graph, question)
    )
    refused: list[Refusal] = []
    for graph in candidates:
        read_one = read(graph, None)
        if isinstance(read_one, GraphIr):
            hints = _hints(read_one, candidates, read) if read_one.chosen_symbols else {}
            if hints:
                again = read(graph, hints)
                read_one = again if isinstance(again, GraphIr) else read_one
            return Choice(graph=read_one, refused=tuple(refused))
        refused.append(read_one)
    return Choice(graph=None, refused=tuple(refused))


def _rank(graph: FoundGraph, question: Question) -> tuple[bool, bool, int, int]:
    order = _ORDER[question.purpose]
    is_backward = graph.kind is GraphKind.AOT_BACKWARD or "backward" in graph.title.casefold()
    wrong_direction = question.backward is not None and is_backward is not question.backward
    latest_first = -graph.position if question.purpose is Purpose.RECOMPILE else graph.position
    return (
        not _same_compile(graph.compile_id, question.compile_id),
        wrong_direction,
        order.index(graph.kind),
        latest_first,
    )


def _same_compile(one: CompileId | None, other: CompileId | None) -> bool:
    if one is None or other is None:
        return False
    return (one.frame_id, one.frame_compile_id) == (other.frame_id, other.frame_compile_id)


def _hints(wanting: GraphIr, candidates: list[FoundGraph], read: Reader) -> dict[str, int]:
    """Return sizes from a script of the same compile, which names the size that failed."""
    for graph in candidates:
        if graph.kind.is_script and _same_compile(graph.compile_id, wanting.found.compile_id):
            script = read(graph, None)
            if isinstance(script, GraphIr):
                return dict(script.symbols)
    return {}
