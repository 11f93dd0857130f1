"""What Dynamo and export refuse to trace, in its smallest form, and with each remedy.

A branch, a slice or an output whose size depends on data; a dimension that was
promised to be dynamic and is not. The toy fails as the log did, or the answer is
that the log's failure did not happen here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .compare import compare, tensors_in
from .measure import timed
from .result import Reached, Result
from .settings import apply_settings, compile_as_set, count_compiles


def run(job: dict[str, Any], result: Result) -> None:
    """Trace the toy that the job names."""
    settings = dict(job.get("settings", {}))
    apply_settings(settings)
    function, inputs, own = _TOYS[job["toy"]](job)
    result.facts["ops"] = 3
    result.reach(Reached.EAGER)
    expected = tensors_in(function(*inputs()))
    if job["entry"] == "eager":
        return
    result.reach(Reached.COMPILE)
    compiled = own.pop("export", None) or compile_as_set(function, settings, **{"backend": "eager", **own})
    got, seconds = timed(lambda: tensors_in(compiled(*inputs())), job["device"])
    result.facts["compile_s"] = round(seconds, 3)
    result.facts["compiles"] = count_compiles()
    result.reach(Reached.COMPARE)
    compare(expected, got, None, result)


_Toy = tuple[Callable[..., Any], Callable[[], list[Any]], dict[str, Any]]


def _whole(job: dict[str, Any]) -> dict[str, Any]:
    return {"fullgraph": job.get("remedy") != "allow-break"}


def _branch(job: dict[str, Any]) -> _Toy:
    import torch

    def plain(x: Any) -> Any:  # noqa: ANN401 - a tensor
        if x.sum() > 0:
            return torch.relu(x)
        return torch.sigmoid(x)

    def traced(x: Any) -> Any:  # noqa: ANN401 - a tensor
        if job.get("remedy") == "tensor-op":
            return torch.where(x.sum() > 0, torch.relu(x), torch.sigmoid(x))
        return torch.cond(x.sum() > 0, torch.relu, torch.sigmoid, (x,))

    generator = torch.Generator().manual_seed(0)
    x = torch.randn(4, 4, generator=generator).to(job["device"])
    return (traced if job.get("remedy") in {"cond", "tensor-op"} else plain), lambda: [x], _whole(job)


def _slice(job: dict[str, Any]) -> _Toy:
    import torch

    apply_settings({"config": [["torch._dynamo.config", "capture_scalar_outputs", True]]})

    def cut(x: Any, lengths: Any) -> Any:  # noqa: ANN401 - tensors
        if job.get("remedy") == "tensor-op":
            return torch.where(torch.arange(x.shape[1], device=x.device) < lengths.max(), x, 0) * 2
        count = lengths.max().item()
        if job.get("remedy") == "check":
            torch._check(count >= 0)  # noqa: SLF001 - what torch itself advises
            torch._check(count <= x.shape[1])  # noqa: SLF001 - the same
        if count <= x.shape[1]:
            x = x[:, :count]
        return x * 2

    x, lengths = torch.ones(2, 8, device=job["device"]), torch.tensor([3, 5], device=job["device"])
    return cut, lambda: [x, lengths], _whole(job)


def _constant(job: dict[str, Any]) -> _Toy:
    import torch

    positions = torch.ones(128, 4, device=job["device"])

    def add(x: Any) -> Any:  # noqa: ANN401 - a tensor
        return x + (positions[: x.shape[0]] if job.get("remedy") == "remove-constant" else positions[:128])

    def inputs() -> list[Any]:
        x = torch.ones(128, 4, device=job["device"])
        dynamo = torch._dynamo  # noqa: SLF001 - what torch itself advises
        mark = dynamo.maybe_mark_dynamic if job.get("remedy") == "maybe-mark-dynamic" else dynamo.mark_dynamic
        mark(x, 0)
        return [x]

    return add, inputs, {}


_TOYS: dict[str, Callable[[dict[str, Any]], _Toy]] = {"branch": _branch, "slice": _slice, "constant": _constant}
