"""Toys whose inputs change in something other than a size; each knows the remedies of its guard."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

from .settings import apply_settings
from .toy import Call, Toy

_BEYOND = 4


def _count(job: dict[str, Any]) -> int:
    return int(job["limit"]) + _BEYOND


def _with_argument(job: dict[str, Any], function: Callable[..., Any], values: list[Any], **settings: object) -> Toy:
    """Return calls that each hand over the same tensor and another second argument."""
    import torch

    x = torch.randn(4, device=job["device"])
    return Toy(function, (Call([x, value]) for value in values), dict(settings))


def _stride(job: dict[str, Any]) -> Toy:
    import torch

    def halve(x: Any) -> Any:  # noqa: ANN401 - a tensor
        return x / 2

    def calls() -> Iterator[Call]:
        for order in itertools.islice(itertools.permutations(range(4)), _count(job)):
            x = torch.randn(3, 3, 3, 3, device=job["device"]).permute(order)
            yield Call([x.contiguous() if job.get("remedy") == "contiguous" else x])

    return Toy(halve, calls())


def _rank(job: dict[str, Any]) -> Toy:
    import torch

    def scale(x: Any) -> Any:  # noqa: ANN401 - a tensor
        return x * 3

    def calls() -> Iterator[Call]:
        for rank in range(_count(job)):
            x = torch.randn(*[1] * rank, 2, 16, device=job["device"])
            yield Call([x.reshape(-1, 2, 16) if job.get("remedy") == "fixed-rank" else x])

    return Toy(scale, calls())


def _dtype(job: dict[str, Any]) -> Toy:
    import torch

    def halve(x: Any) -> Any:  # noqa: ANN401 - a tensor
        return x / 2

    if job.get("remedy") != "raise-limit":
        # There are fewer dtypes than the usual limit.
        apply_settings({"config": [["torch._dynamo.config", "recompile_limit", 2]]})
    kinds = [torch.float32, torch.float64, torch.float16, torch.bfloat16]
    values = [torch.ones(4, dtype=kind, device=job["device"]) for kind in kinds]
    if job.get("remedy") == "one-property":
        values = [value.float() for value in values]
    return Toy(halve, [Call([value]) for value in values])


def _module_int(job: dict[str, Any]) -> Toy:
    import torch

    class Counter(torch.nn.Module):  # type: ignore[misc] # torch's types are not read
        def __init__(self) -> None:
            super().__init__()
            self.step: Any = torch.tensor(0) if job.get("remedy") == "int-to-tensor" else 0

        def forward(self, x: Any) -> Any:  # noqa: ANN401 - a tensor
            return x * self.step

    module = Counter()

    def calls() -> Iterator[Call]:
        x = torch.randn(4, device=job["device"])
        for _ in range(_count(job)):
            module.step += 1
            yield Call([x])

    return Toy(module, calls())


def _float(job: dict[str, Any]) -> Toy:
    import torch

    rates: list[Any] = [0.5 + number / 8 for number in range(_count(job))]
    if job.get("remedy") == "float-to-tensor":
        rates = [torch.tensor(rate) for rate in rates]
    # torch makes a changing number dynamic by itself, so the program must have forbidden it.
    settings = {} if job.get("remedy") == "drop-dynamic-false" else {"dynamic": False}
    return _with_argument(job, lambda x, rate: x - rate * x, rates, **settings)


def _string(job: dict[str, Any]) -> Toy:
    import torch

    names = ["x" * (number + 1) for number in range(_count(job))]
    if job.get("remedy") == "hoist-constant":
        return _with_argument(job, lambda x, value: x * value, [torch.tensor(len(name)) for name in names])
    return _with_argument(job, lambda x, name: x * len(name), names)


def _object(job: dict[str, Any]) -> Toy:
    fresh: list[Any] = [type("Config", (), {"scale": 2.0}) for _ in range(_count(job))]
    if job.get("remedy") in {"stable-object", "compile-per-module"}:
        fresh = [fresh[0]] * len(fresh)
    return _with_argument(job, lambda x, config: x * config.scale, fresh)


def _container(job: dict[str, Any]) -> Toy:
    import torch

    part = torch.ones(4, device=job["device"])
    lists: list[Any] = [[part] * (number + 1) for number in range(_count(job))]
    if job.get("remedy") == "fixed-container":
        lists = [each[-1:] for each in lists]
    return _with_argument(job, lambda x, parts: x + parts[-1], lists)


def _grad_mode(job: dict[str, Any]) -> Toy:
    import torch

    if job.get("remedy") != "raise-limit":
        # There are two modes only.
        apply_settings({"config": [["torch._dynamo.config", "recompile_limit", 1]]})
    x = torch.randn(4, device=job["device"], requires_grad=True)
    one_mode = job.get("remedy") == "one-mode"
    calls = [Call([x], gradients=number % 2 == 0, by_twin=one_mode and number % 2 == 1) for number in range(6)]
    return Toy(lambda x: x * 2 + 1, calls, twin=lambda x: x * 2 + 1)


MAKERS = {
    "stride": _stride,
    "rank": _rank,
    "dtype": _dtype,
    "int": _module_int,
    "float": _float,
    "string": _string,
    "object id": _object,
    "length": _container,
    "grad mode": _grad_mode,
}
