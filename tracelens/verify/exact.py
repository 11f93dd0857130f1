"""The very graph that failed, where its text was left: in the log, or in what torch wrote beside it."""

from __future__ import annotations

from collections.abc import Sequence

from tracelens.events import CompileId
from tracelens.findings import Diagnosis, Stage, StageStatus
from tracelens.report.harmless import harmless_line
from tracelens.verification import GraphSource, VerifiedGraph
from tracelens.verify.graph import STANDALONE_PATH, FoundGraph, GraphIr, Purpose, Question, choose, find_graphs
from tracelens.verify.places import PlaceMode
from tracelens.verify.workload import Workload, places_of, unpinned_for

#: Causes that only a compilation of the graph can meet, or meets best.
_CAUSES = ("toolchain/", "abi/", "cache/permission", "cache/no-space", "cache/noexec", "outside/codegen-bug")
_ABOUT_THE_PROGRAM = ("outside/triton-resources", "outside/fake-tensor", "cache/truncated-artifact")


def exact_workload(diagnosis: Diagnosis, text: str, artifacts: Sequence[str]) -> tuple[Workload | None, str | None]:
    """Return a workload with the failed graph; and where graphs were found and none could be read, why not."""
    label = diagnosis.findings[0].label
    is_extension = any(item.stage is Stage.NINJA and item.status is StageStatus.FAILED for item in diagnosis.pipeline)
    if is_extension or not label.startswith((*_CAUSES, *_ABOUT_THE_PROGRAM)):
        return None, None
    return graph_left_behind(text, artifacts, label)


def graph_left_behind(text: str, artifacts: Sequence[str], label: str) -> tuple[Workload | None, str | None]:
    """Return the best graph that a log and its artifacts hold for this label; or why none can be read."""
    found = find_graphs(text.splitlines(), artifacts)
    if not found:
        return None, None
    purpose = Purpose.CACHE if label.startswith("cache/truncated") else Purpose.FAILURE
    # A log ends with the compilation that failed, so the last graph in it is of that one.
    chosen = choose(found, Question(purpose=purpose, compile_id=_last_compile(found)))
    if chosen.graph is None:
        return None, harmless_line(f"no graph could be read: {chosen.refused[0]}") if chosen.refused else None
    return _workload(chosen.graph, label), None


def _last_compile(found: Sequence[FoundGraph]) -> CompileId | None:
    return next((graph.compile_id for graph in reversed(found) if graph.compile_id is not None), None)


def _workload(graph: GraphIr, label: str) -> Workload:
    found = graph.found
    identity = found.compile_id
    note = "sizes were chosen by us" if graph.chosen_symbols else None
    verified = VerifiedGraph(
        kind=GraphSource.EXACT,
        source=f"{found.kind.value}, {found.source}:{found.line}",
        compile_id=None if identity is None else f"{identity.frame_id}/{identity.frame_compile_id}",
        ops=graph.operators,
        note=note,
    )
    return Workload(
        job={"kind": "graph", "ir": graph.json, "standalone": STANDALONE_PATH},
        graph=verified,
        places=places_of(label),
        device="cuda" if '"cuda' in graph.json else "cpu",
        unpinned=unpinned_for(label),
        needs_hit=places_of(label) is PlaceMode.COPIED,
    )
