"""How far compilation came, as the log shows it.

A stage is passed only if something of a later stage, or of its own output, is
in the log; where nothing is, it stays unknown.
"""

from __future__ import annotations

from collections.abc import Iterator

from tracelens.engine.fields import frames_of
from tracelens.engine.log import Log
from tracelens.events import Compiled, CompilerDiagnostic, ExceptionChain, GraphText, Recompile, RecompileLimit
from tracelens.expressions import compiled
from tracelens.findings import PipelineStage, Severity, Stage, StageStatus
from tracelens.ruleset.model import Kind

#: What has to be done before a stage can start.
_UPSTREAM: dict[Stage, tuple[Stage, ...]] = {
    Stage.DYNAMO: (),
    Stage.AOT_AUTOGRAD: (Stage.DYNAMO,),
    Stage.INDUCTOR: (Stage.DYNAMO, Stage.AOT_AUTOGRAD),
    Stage.TRITON: (Stage.DYNAMO, Stage.AOT_AUTOGRAD, Stage.INDUCTOR),
    Stage.CPP: (Stage.DYNAMO, Stage.AOT_AUTOGRAD, Stage.INDUCTOR),
    # Ninja builds extensions, beside the pipeline.
    Stage.NINJA: (),
    Stage.RUNTIME: (Stage.DYNAMO, Stage.AOT_AUTOGRAD, Stage.INDUCTOR),
}
#: Parts of paths and module names that only one stage has, latest stage first.
_TELLTALES: tuple[tuple[str, Stage], ...] = (
    ("/triton/", Stage.TRITON),
    ("torch/_inductor/", Stage.INDUCTOR),
    ("torch/_functorch/", Stage.AOT_AUTOGRAD),
    ("torch/_dynamo/", Stage.DYNAMO),
    ("torch/utils/cpp_extension", Stage.NINJA),
)
_OWN_COMPILER = ("torch/_inductor/cpp_builder", "torch/_inductor/cpu_vec_isa")
#: What Triton and Inductor name the C code that they make.
_MADE = (
    r"(?P<triton>(?:^|/)(?:main|cuda_utils|hip_utils|launcher|__triton_launcher|arch_utils|spirv_utils)\.c(?:pp)?$"
    r"|/triton/)|(?P<inductor>/[a-z0-9]{2}/c[a-z0-9]{40,60}[\w.]*$|torch/csrc/inductor/)"
)
_MAX_CHAINS = 64


def stage_of(log: Log, subject_event: int) -> Stage | None:
    """Return the stage that a traceback's deepest frames stand in, or whose code a compiler refused."""
    event = log.events[subject_event]
    if isinstance(event, CompilerDiagnostic):
        return _stage_of_source(event.path or "")
    if not isinstance(event, ExceptionChain):
        return None
    for part in range(len(event.exceptions)):
        for frame in reversed(frames_of(event, part)):
            path = frame.path.replace("\\", "/")
            if any(part_of in path for part_of in _OWN_COMPILER):
                return Stage.CPP
            stage = next((stage for telltale, stage in _TELLTALES if telltale in path), None)
            if stage:
                return stage
    return None


def _stage_of_source(path: str) -> Stage | None:
    """Return who wrote the file that does not compile: what none of the compilers made belongs to an extension."""
    made = compiled(_MADE).search(path.replace("\\", "/"))
    if made is not None:
        return Stage.TRITON if made.lastgroup == "triton" else Stage.CPP
    return Stage.NINJA if path else None


def read_pipeline(log: Log, failed: Stage | None, severity: Severity | None) -> tuple[PipelineStage, ...]:
    """Return the status of every stage, in order; ``failed`` is where the answer's failure is."""
    seen = set(_seen(log))
    if Stage.INDUCTOR not in seen:
        # A Triton kernel of the user's own has not come through the compiler.
        seen.discard(Stage.TRITON)
    passed = {before for stage in seen for before in _UPSTREAM[stage]}
    if failed is None:
        passed |= seen if severity is None else set()
    elif failed in seen:
        passed |= set(_UPSTREAM[failed])
    else:
        passed |= seen & set(_UPSTREAM[failed])
    statuses: list[PipelineStage] = []
    for stage in Stage:
        status = StageStatus.PASSED if stage in passed else StageStatus.UNKNOWN
        if stage is failed:
            status = StageStatus.FAILED
        elif failed and severity is Severity.FATAL and stage in _downstream(failed):
            status = StageStatus.NOT_REACHED
        statuses.append(PipelineStage(stage=stage, status=status))
    return tuple(statuses)


def _downstream(failed: Stage) -> set[Stage]:
    if failed in (Stage.TRITON, Stage.CPP):
        return {Stage.RUNTIME}
    return {stage for stage in Stage if failed in _UPSTREAM[stage]}


def _seen(log: Log) -> Iterator[Stage]:
    places: set[str] = set()
    for _, chain in log.chains[:_MAX_CHAINS]:
        for part in range(min(len(chain.exceptions), _MAX_CHAINS)):
            places.update(frame.path.replace("\\", "/") for frame in frames_of(chain, part)[-400:])
    for number in log.by_kind.get(Kind.RECORD, ())[:2000]:
        record = log.events[number].record
        if record and record.location:
            places.add(record.location.replace(".", "/"))
    yield from (stage for telltale, stage in _TELLTALES if any(telltale in place for place in places))
    yield from _compiled(log)
    if log.by_kind.get(Kind.NINJA):
        yield Stage.NINJA
    for kind in (Kind.GRAPH, Kind.RECOMPILE, Kind.RECOMPILE_LIMIT, Kind.GRAPH_BREAK):
        for number in log.by_kind.get(kind, ()):
            event = log.events[number]
            if isinstance(event, GraphText) and "aot" in event.kind:
                yield Stage.AOT_AUTOGRAD
            elif isinstance(event, GraphText | Recompile | RecompileLimit):
                yield Stage.DYNAMO


def _compiled(log: Log) -> Iterator[Stage]:
    for number in log.by_kind.get(Kind.COMPILED, ()):
        event = log.events[number]
        if isinstance(event, Compiled):
            yield from (stage for stage in Stage if stage.value in event.stages)
