"""Picks the graph that answers a question best, and the next best where a text is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from tracelens.events import CompileId
from tracelens.record import Record
from tracelens.typed import Enum
from tracelens.verify.graph.found import FoundGraph, GraphIr, GraphKind, Level, Refusal
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


#: Each is read in a process of its own; where so many are refused the rest will be, too.
_MAX_TRIED = 24
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

    Graphs of the compile in question come before all others, and with them the scripts
    of the minifier, which are written of nothing but the failing graph. What a script
    lacks (the bodies of inner graphs) the printed graph of the same compile has, and
    what that lacks (the values of constants) the script has; both are on the way. Sizes
    that one text gives are used for another of the same compile.
    """
    graphs = [graph for graph in found if graph.kind is not GraphKind.AOT_JOINT]
    backward = _backward_positions(graphs)
    graphs.sort(key=lambda graph: _rank(graph, question, graph.position in backward))
    refused: list[Refusal] = []
    for graph in graphs[:_MAX_TRIED]:
        read_one = read(graph, None)
        if isinstance(read_one, Refusal):
            refused.append(read_one)
            continue
        if read_one.chosen_symbols:
            again = read(graph, _hints(graph, graphs, read))
            read_one = again if isinstance(again, GraphIr) else read_one
        return Choice(graph=read_one, refused=tuple(refused))
    return Choice(graph=None, refused=tuple(refused))


def _rank(graph: FoundGraph, question: Question, is_backward: bool) -> tuple[int, bool, int, int]:  # noqa: FBT001 - one of the facts
    certainty = 1
    if graph.kind in {GraphKind.MINIFIER_AOT, GraphKind.MINIFIER_DYNAMO} or _same(
        graph.compile_id, question.compile_id
    ):
        certainty = 0
    elif graph.compile_id is not None and question.compile_id is not None:
        certainty = 2
    # A graph of Dynamo has no direction: its backward pass is made of it.
    is_one_way = graph.level is Level.ATEN and question.backward is not None
    wrong_direction = is_one_way and is_backward is not question.backward
    # What failed was compiled last, and the last graph of a frame has most of its sizes as symbols.
    return certainty, wrong_direction, _ORDER[question.purpose].index(graph.kind), -graph.position


def _backward_positions(graphs: list[FoundGraph]) -> set[int]:
    """Tell which graphs are of a backward pass: a trace has its script after that of the forward pass."""
    forward: set[tuple[str, int, int]] = set()
    backward: set[int] = set()
    for graph in graphs:
        if graph.kind is GraphKind.AOT_BACKWARD or "backward" in graph.title.casefold():
            backward.add(graph.position)
        elif graph.kind is GraphKind.FX_GRAPH_RUNNABLE and graph.compile_id is not None:
            key = (graph.source, graph.compile_id.frame_id, graph.compile_id.frame_compile_id)
            if key in forward:
                backward.add(graph.position)
            forward.add(key)
    return backward


def _same(one: CompileId | None, other: CompileId | None) -> bool:
    if one is None or other is None:
        return False
    return (one.frame_id, one.frame_compile_id) == (other.frame_id, other.frame_compile_id)


def _hints(wanting: FoundGraph, graphs: list[FoundGraph], read: Reader) -> dict[str, int]:
    """Return sizes from a script of the same compile, which names the sizes that failed."""
    for graph in graphs:
        if graph.kind.is_script and _same(graph.compile_id, wanting.compile_id):
            script = read(graph, None)
            if isinstance(script, GraphIr):
                return dict(script.symbols)
    return {}
