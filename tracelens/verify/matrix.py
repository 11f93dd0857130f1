"""The matrix: each way of compiling, measured on this machine, and what two faults do to it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tracelens.record import Record, replace
from tracelens.report.harmless import harmless_line
from tracelens.verification import GraphSource, ModeRun, VerifiedGraph
from tracelens.verify.applied import Applied
from tracelens.verify.child.result import Reached
from tracelens.verify.child_process import ChildRun
from tracelens.verify.judge import judge
from tracelens.verify.options import VerifyOptions
from tracelens.verify.places import PlaceMode
from tracelens.verify.private import PrivateFolders
from tracelens.verify.runner import Runner
from tracelens.verify.workload import Workload

_STEPS = 200
_STEP_SECONDS = 2.0
_SUPPRESS = [["torch._dynamo.config", "suppress_errors", True]]
_NO_COMPILER = dict.fromkeys(("CC", "CXX"), "/nonexistent/compiler")
_SKIPPED = re.compile(r"skipping cudagraphs[^\n]*", re.IGNORECASE)
#: What Inductor loads of its own making.
_KERNELS = ("*.main.so", "*.cubin")


_SUBJECTS = {
    True: ("decoder", "a decoder layer as in LLaMA-7B, batch 16, 512 tokens, bfloat16, forward and backward"),
    False: ("medium", "a matrix product, a softmax and two reductions, 512 x 512"),
}


class Mode(Record):
    """One row: settings of ``torch.compile``, variables, and whether the cache of another row is broken for it."""

    name: str
    settings: dict[str, Any]
    variables: dict[str, str] | None = None
    entry: str = "compile"
    breaks_cache: bool = False


MODES = (
    Mode(name="eager", settings={}, entry="eager"),
    Mode(name="default", settings={}),
    Mode(name="reduce-overhead", settings={"mode": "reduce-overhead"}),
    Mode(name="max-autotune", settings={"mode": "max-autotune"}),
    Mode(name="dynamic=True", settings={"dynamic": True}),
    Mode(name="no compiler", settings={}, variables=_NO_COMPILER),
    Mode(name="corrupted cache", settings={}, breaks_cache=True),
    Mode(name="suppress_errors", settings={"config": _SUPPRESS}, variables=_NO_COMPILER),
)


def matrix_workload(device: str, exact: Workload | None = None) -> Workload:
    """Return what is measured: the user's graph if there is one that this machine can run, else one of ours.

    Ours is a decoder layer with its backward pass on a GPU, and what a CPU can take elsewhere.
    """
    measured = {"steps": _STEPS, "step_seconds": _STEP_SECONDS, "warm_up": 3, "measure": True, "tell_cudagraphs": True}
    if exact is not None and exact.device in {"cpu", device.partition(":")[0]}:
        return replace(exact, job={**exact.job, **measured}, places=PlaceMode.FRESH, needs_hit=False)
    size, source = _SUBJECTS[device.startswith("cuda")]
    graph = VerifiedGraph(kind=GraphSource.PROBE, source=source)
    return Workload(job={"kind": "probe", "size": size, **measured}, graph=graph, device=device)


class Machine(Record):
    """Where the matrix is measured: ``device`` for torch, its name for people, and the release."""

    device: str
    name: str | None
    torch: str | None


def look_at_machine(options: VerifyOptions, folders: PrivateFolders) -> Machine:
    """Ask the Python of the user what it sees; a GPU where there is one and nothing else was asked for."""
    wanted = options.device or "cuda"
    workload = Workload(job={"kind": "nothing"}, graph=VerifiedGraph(kind=GraphSource.NONE), device=wanted)
    run = Runner(workload, "", options, folders).run(Applied(environ=dict(os.environ)), entry="eager")
    device = wanted if run.stage is Reached.DONE or options.device else "cpu"
    return Machine(device=device, name=run.facts.get("device", device), torch=run.facts.get("torch"))


def measure_matrix(
    workload: Workload,
    options: VerifyOptions,
    folders: PrivateFolders,
    environ: Mapping[str, str],
    tell: Callable[[str], None],
) -> tuple[ModeRun, ...]:
    """Run every mode once with these variables, and return the rows; gains are over the eager row."""
    runner = Runner(workload, "", options, folders)
    healthy = folders.root / "healthy"
    rows: list[ModeRun] = []
    for mode in MODES:
        tell(f"the matrix: {mode.name}")
        applied = Applied(environ={**environ, **(mode.variables or {})}, settings=mode.settings)
        if mode.breaks_cache:
            if not any(row.mode == "default" and row.status == "ran" for row in rows):
                rows.append(ModeRun(mode=mode.name, status="not run", note="there is no cache to break"))
                continue
            _break(healthy)
        cache = healthy if mode.breaks_cache else None
        run = runner.run(applied, entry=mode.entry, cache=cache, kept=healthy if mode.name == "default" else None)
        rows.append(_row(mode, run, rows[0].step_ms if rows else None))
    return tuple(rows)


def _row(mode: Mode, run: ChildRun, eager_ms: float | None) -> ModeRun:
    facts, judged = run.facts, judge(run)
    step_ms = facts.get("step_ms")
    skipped = _SKIPPED.search(run.log)
    notes = [harmless_line(skipped[0])] if skipped else []
    if judged.note:
        notes.append(judged.note)
    if step_ms is not None and facts.get("compiles") and mode.settings.get("config") == _SUPPRESS:
        notes.append("the failure is only stepped over: it runs in eager")
    ran = run.exit_code == 0 and run.stage is Reached.DONE and not facts.get("wrong")
    return ModeRun(
        mode=mode.name,
        status="ran" if ran else f"failed: {judged.label or 'unexplained'}",
        first_call_s=facts.get("compile_s"),
        step_ms=step_ms,
        step_spread_ms=facts.get("step_spread_ms"),
        samples_per_s=facts.get("samples_per_s"),
        gain=eager_ms / step_ms if step_ms and eager_ms else (1.0 if mode.entry == "eager" and step_ms else None),
        peak_mib=facts.get("peak_mib"),
        note="; ".join(notes) or None,
    )


def _break(cache: Path) -> None:
    """Leave nothing in the compiled kernels, as a process does that was killed before it wrote them.

    What Inductor compiled to find out what the processor can do is no kernel.
    """
    for pattern in _KERNELS:
        for file in cache.rglob(pattern):
            os.truncate(file, 0)
