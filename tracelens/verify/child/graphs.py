"""The graph that failed, rebuilt from data, in eager and compiled.

A graph that Dynamo captured goes through ``torch.compile`` as the user's did. One
that AOTAutograd made goes to Inductor directly, for it would not be the same after
another pass of AOTAutograd.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Callable
from typing import Any

from .compare import compare_named
from .measure import measure_steps, tell_of_cudagraphs, timed
from .processor import note_processor
from .result import Reached, Result
from .settings import apply_settings, compile_as_set, count_compiles


def run(job: dict[str, Any], result: Result) -> None:
    """Build the graph of the job, run it in eager, compile it, and compare."""
    # Last, so that no module of the folder stands in the way of one of Python's.
    sys.path.append(job["standalone"])
    building = importlib.import_module("standalone.building")
    result.reach(Reached.BUILD)
    try:
        limit = _memory_of(job, building.MEMORY_LIMIT)
        built = building.build_graph(json.loads(job["ir"]), devices=_devices(job["device"]), memory_limit=limit)
        built.train(trained=job.get("train"))
        built.check_memory(limit)
        result.reach(Reached.EAGER)
        eager = built.run_eager()
        for note in built.notes:
            result.note(note)
    except building.RefusedError as refusal:
        result.note(f"this torch or machine cannot build the graph: {refusal}")
        result.reach(Reached.REFUSED)
        return
    if job["entry"] == "eager":
        _measure(built, eager.fill, lambda values: built.eager(*values), job, result)
        return
    if job.get("tell_cudagraphs"):
        tell_of_cudagraphs()
    if job.get("seeding"):
        note_processor(result)
    result.reach(Reached.COMPILE)
    settings = dict(job.get("settings", {}))
    apply_settings(settings)
    inputs = built.make_inputs(eager.fill)
    try:
        # What Dynamo is to compile is compiled by its first call.
        (function, got), seconds = timed(lambda: _first_call(built, inputs, settings, result), job["device"])
    finally:
        result.facts["hits"] = _cache_hits()
    result.facts["compile_s"] = round(seconds, 3)
    result.reach(Reached.COMPARE)
    _compare(built, eager, got, result)
    result.reach(Reached.RUN)
    _measure(built, eager.fill, function, job, result)


def _devices(device: str) -> dict[str, str]:
    """Return where the graph's devices are, when the user named one: another GPU, or the CPU as a stand-in."""
    return {} if device == "cuda" else {"cuda": device}


def _memory_of(job: dict[str, Any], usual: int) -> int:
    """Return the bytes that a graph may need: on a GPU what is free there, and on the host, where inputs are made."""
    if not job["device"].startswith("cuda"):
        return usual
    import torch

    free, _ = torch.cuda.mem_get_info(job["device"])
    return max(usual, min(int(free), int(job.get("memory") or usual)))


#: Takes the inputs as a list.
_Function = Callable[[list[Any]], Any]


def _first_call(
    built: Any,  # noqa: ANN401 - of another package
    inputs: list[Any],
    settings: dict[str, Any],
    result: Result,
) -> tuple[_Function, dict[str, Any]]:
    """Return the compiled function and what its first call left; note how many graphs were compiled."""
    before = count_compiles()
    if built.level == "dynamo":
        compiled = compile_as_set(built.module, settings)
        left = built.leave(compiled, inputs)
        result.facts["compiles"] = count_compiles() - before
        return lambda values: compiled(*values), left
    function = _for_inductor(built, inputs, settings)
    result.facts["compiles"] = int(function is not None)
    chosen: _Function = function or (lambda values: built.eager(*values))
    return chosen, built.leave(lambda *values: chosen(list(values)), inputs)


def _for_inductor(built: Any, inputs: list[Any], settings: dict[str, Any]) -> _Function | None:  # noqa: ANN401 - of another package
    """Compile a graph that does not go through Dynamo; ``None`` where Dynamo would have run it in eager."""
    if os.environ.get("TORCH_COMPILE_DISABLE") == "1" or settings.get("backend") == "aot_eager":
        return None
    try:
        function: _Function = _by_inductor(built, inputs)
    except Exception:
        from torch._dynamo import config

        if not config.suppress_errors:
            raise
        return None
    return function


def _measure(built: Any, fill: Any, function: _Function, job: dict[str, Any], result: Result) -> None:  # noqa: ANN401 - of another package
    """Time steps, where the job asks for that."""
    if not job.get("steps"):
        return
    inputs = built.make_inputs(fill)
    measure_steps(lambda: built.step(lambda *values: function(list(values)), inputs), job, result)


def _by_inductor(built: Any, inputs: list[Any]) -> Any:  # noqa: ANN401 - what Inductor makes
    """Compile an aten graph as AOTAutograd hands it to Inductor; the result takes its inputs as a list."""
    import torch
    from torch._guards import TracingContext, detect_fake_mode, tracing
    from torch._inductor.compile_fx import compile_fx_inner
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.fx.experimental.proxy_tensor import make_fx
    from torch.fx.experimental.symbolic_shapes import ShapeEnv

    with torch.no_grad():
        if built.symbolic:
            traced = make_fx(built.module, tracing_mode="symbolic")(*inputs)
            places = [node for node in traced.graph.nodes if node.op == "placeholder"]
            examples = [node.meta.get("val", value) for node, value in zip(places, inputs, strict=True)]
            _make_random_as_inductor(built, traced, detect_fake_mode(examples))
            return compile_fx_inner(traced, examples)
        mode = FakeTensorMode(allow_non_fake_inputs=True, shape_env=ShapeEnv())
        fakes = [
            mode.from_tensor(value, static_shapes=True) if isinstance(value, torch.Tensor) else value
            for value in inputs
        ]
        with tracing(TracingContext(mode)), mode:
            traced = make_fx(built.module)(*fakes)
        with tracing(TracingContext(mode)):
            _make_random_as_inductor(built, traced, mode)
            return compile_fx_inner(traced, fakes, is_inference=True)


def _make_random_as_inductor(built: Any, traced: Any, mode: Any) -> None:  # noqa: ANN401 - of another package, and of torch
    """Do the one pass between AOTAutograd and Inductor that Inductor takes for done: it knows no ``aten.rand``."""
    if not built.random_operators:
        return
    from torch._inductor.fx_passes.replace_random import replace_random_passes
    from torch._inductor.virtualized import V

    with V.set_fake_mode(mode):
        replace_random_passes(traced)


def _cache_hits() -> int:
    """Return how often an entry of a graph cache was found and used."""
    from torch._dynamo.utils import counters

    return int(counters["inductor"].get("fxgraph_cache_hit", 0)) + int(
        counters["aot_autograd"].get("autograd_cache_hit", 0)
    )


def _compare(built: Any, eager: Any, got: dict[str, Any], result: Result) -> None:  # noqa: ANN401 - of another package
    """Compare what can be compared: random values and memory that nobody wrote have no right value."""
    if built.random_operators:
        result.note("values not compared: random operators")
        result.facts["wrong"] = [] if got.keys() == eager.left.keys() else ["other outputs than in eager"]
        return
    expected = {name: value for name, value in eager.left.items() if name not in eager.unstable}
    got = {name: value for name, value in got.items() if name not in eager.unstable}
    compare_named(expected, got, _in_double(built, eager, result), result)


def _in_double(built: Any, eager: Any, result: Result) -> dict[str, Any]:  # noqa: ANN401 - of another package
    """Return what a run in float64 leaves, as far as there is such a thing; where not, that is noted."""
    building = importlib.import_module("standalone.building")
    try:
        precise: dict[str, Any] = built.leave_in_double(eager.fill)
    except building.NoReferenceError as error:
        result.note(f"compared with eager alone, no reference in float64: {error}")
        return {}
    return precise
