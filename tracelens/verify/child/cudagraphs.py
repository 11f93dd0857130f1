"""CUDA graphs: a toy for each way in which they fail or are left out, and its remedies."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from .compare import compare
from .measure import tell_of_cudagraphs, timed
from .result import Reached, Result
from .settings import apply_settings, compile_as_set, count_compiles

#: More sizes than the number after which torch warns of re-recording.
_SIZES = range(8, 8 * 60, 8)
_Toy = tuple[Callable[..., Any], list[list[Any]], dict[str, Any]]


def run(job: dict[str, Any], result: Result) -> None:
    """Call the toy again and again, and look at all outputs at the end, as a program would."""
    import torch

    settings = dict(job.get("settings", {}))
    apply_settings(settings)
    tell_of_cudagraphs()
    function, calls, own = _TOYS[job["toy"]](job)
    remedy = job.get("remedy")
    # The failures of two of the toys are others than an output that the next call overwrites.
    copied = remedy == "clone" or job["toy"] != "overwritten"
    result.facts["ops"] = 2
    result.reach(Reached.EAGER)
    with torch.no_grad():
        expected = [function(*_fresh(arguments)) for arguments in calls]
        if job["entry"] == "eager":
            return
        result.reach(Reached.COMPILE)
        compiled = compile_as_set(function, settings, **{"mode": "reduce-overhead", **own})
        got, total = [], 0.0
        for arguments in calls:
            if remedy == "mark-step":
                torch.compiler.cudagraph_mark_step_begin()
            output, seconds = timed(partial(compiled, *_fresh(arguments)), job["device"])
            got.append(output.clone() if copied else output)
            total += seconds
    result.facts["compile_s"] = round(total, 3)
    result.facts["compiles"] = count_compiles()
    result.reach(Reached.COMPARE)
    compare(expected, [value.clone() for value in got], None, result)


def _fresh(arguments: list[Any]) -> list[Any]:
    return [value.clone() for value in arguments]


def _rerecord(job: dict[str, Any]) -> _Toy:
    import torch

    whole = max(_SIZES)
    sizes = [whole if job.get("remedy") == "pad" else size for size in _SIZES]
    weight = torch.randn(32, 32, device=job["device"])

    def layer(x: Any) -> Any:  # noqa: ANN401 - a tensor
        return torch.relu(x @ weight)

    calls = [[torch.randn(size, 32, device=job["device"])] for size in sizes]
    return layer, calls, {"dynamic": True}


def _overwritten(job: dict[str, Any]) -> _Toy:
    import torch

    def layer(x: Any) -> Any:  # noqa: ANN401 - a tensor
        return torch.relu(x) * 2

    return layer, [[torch.randn(64, device=job["device"])] for _ in range(6)], {}


def _mutated(job: dict[str, Any]) -> _Toy:
    import torch

    def update(x: Any, buffer: Any) -> Any:  # noqa: ANN401 - tensors
        if job.get("remedy") == "no-mutation":
            return (buffer + x) * 2
        buffer.add_(x)
        return buffer * 2

    calls = [[torch.randn(64, device=job["device"]), torch.zeros(64, device=job["device"])] for _ in range(4)]
    return update, calls, {}


_TOYS: dict[str, Callable[[dict[str, Any]], _Toy]] = {
    "rerecord": _rerecord,
    "overwritten": _overwritten,
    "mutated": _mutated,
}
