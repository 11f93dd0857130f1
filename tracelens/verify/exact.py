"""The very graph that failed, where its text was left: in the log, or in what torch wrote beside it."""

from __future__ import annotations

from collections.abc import Sequence

from tracelens.events import CompileId
from tracelens.findings import Diagnosis, Stage, StageStatus
from tracelens.report.harmless import harmless_line
from tracelens.verification import GraphSource, VerifiedGraph
from tracelens.verify.failed_compile import failed_compile, is_in_backward
from tracelens.verify.graph import (
    STANDALONE_PATH,
    FoundGraph,
    GraphIr,
    GraphKind,
    Purpose,
    Question,
    choose,
    find_graphs,
)
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
    return graph_left_behind(diagnosis, text, artifacts)


def graph_left_behind(diagnosis: Diagnosis, text: str, artifacts: Sequence[str]) -> tuple[Workload | None, str | None]:
    """Return the best graph that a log and its artifacts hold of the failure; or why none can be read."""
    lines = text.split("\n")
    found = find_graphs(lines, artifacts)
    if not found:
        return None, None
    label = diagnosis.label or ""
    purpose = Purpose.CACHE if label.startswith("cache/truncated") else Purpose.FAILURE
    failed = failed_compile(diagnosis, lines) if diagnosis.findings else None
    backward = is_in_backward(diagnosis, lines) if diagnosis.findings else None
    # Where nothing names the one that failed: a log ends with it, so the last graph is of that one.
    question = Question(purpose=purpose, compile_id=failed or _last_compile(found), backward=backward)
    chosen = choose(found, question)
    if chosen.graph is None:
        return None, harmless_line(f"no graph could be read: {chosen.refused[0]}") if chosen.refused else None
    return _workload(chosen.graph, label, backward or _is_trained(found, chosen.graph.found)), None


def _last_compile(found: Sequence[FoundGraph]) -> CompileId | None:
    return next((graph.compile_id for graph in reversed(found) if graph.compile_id is not None), None)


def _is_trained(found: Sequence[FoundGraph], chosen: FoundGraph) -> bool | None:
    """Tell whether AOTAutograd made a backward graph of the same compilation; ``None`` where nothing shows."""
    kinds = {graph.kind for graph in found if graph.compile_id == chosen.compile_id and graph.source == chosen.source}
    if kinds & {GraphKind.AOT_JOINT, GraphKind.AOT_BACKWARD}:
        return True
    return False if GraphKind.AOT_INFERENCE in kinds else None


def _workload(graph: GraphIr, label: str, trained: bool | None) -> Workload:  # noqa: FBT001 - one of the facts
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
    places, on_gpu = places_of(label), '"cuda' in graph.json
    return Workload(
        job={
            "kind": "graph",
            "ir": graph.json,
            "standalone": STANDALONE_PATH,
            "train": trained,
            "seeding": places is PlaceMode.FRESH and not on_gpu,
        },
        graph=verified,
        places=places,
        device="cuda" if on_gpu else "cpu",
        unpinned=unpinned_for(label),
        needs_hit=places is PlaceMode.COPIED,
    )
