"""Toys whose sizes change: of an input, with 1 among them, and of a parameter."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .toy import Call, Toy

#: More calls than the limit, so that it is reached.
_BEYOND = 4
_MOST_SIZES = 64


def _sizes(job: dict[str, Any]) -> Toy:
    """Sizes of one dimension, as the log has them; more of the same where it shows too few."""
    import torch

    dimension, remedy = job["dimension"], job.get("remedy")
    values = [size for size in job["values"] if size > 0][:_MOST_SIZES] or [16]
    step = abs(values[-1] - values[-2]) if len(values) > 1 else 8
    while len(values) < job["limit"] + _BEYOND:
        values.append(max(values) + max(step, 1))
    if remedy == "pad":
        values = [max(values)] * len(values)

    def reduce(x: Any) -> Any:  # noqa: ANN401 - a tensor
        return torch.relu(x * 2 + 1).sum(-1)

    def calls() -> Iterator[Call]:
        for size in values:
            shape = [2] * (dimension + 2)
            shape[dimension] = size
            x = torch.randn(shape, device=job["device"])
            if remedy == "mark-dynamic":
                torch._dynamo.mark_dynamic(x, dimension)  # noqa: SLF001 - what torch itself advises
            yield Call([x])

    # The log shows a graph for each size, so the program had each one specialised.
    return Toy(reduce, calls(), {} if remedy == "mark-dynamic" else {"dynamic": False})


def _size_one(job: dict[str, Any]) -> Toy:
    """Sizes among which 1 is, which torch always specialises."""
    import torch

    remedy = job.get("remedy")

    def double(x: Any) -> Any:  # noqa: ANN401 - a tensor
        return x * 2

    def calls() -> Iterator[Call]:
        for size in (1, 7, 5, 1, 9):
            x = torch.randn(size + (remedy == "avoid-one"), 8, device=job["device"])
            if remedy == "mark-unbacked":
                torch._dynamo.decorators.mark_unbacked(x, 0)  # noqa: SLF001 - what torch itself advises
            yield Call([x])

    return Toy(double, calls(), {"dynamic": True} if remedy == "avoid-one" else {})


def _parameter_sizes(job: dict[str, Any]) -> Toy:
    """A parameter that grows."""
    import torch

    class Growing(torch.nn.Module):  # type: ignore[misc] # torch's types are not read
        def __init__(self) -> None:
            super().__init__()
            self.weight = torch.nn.Parameter(torch.ones(2))

        def forward(self) -> Any:  # noqa: ANN401 - a tensor
            return self.weight * 2

    module = Growing()

    def calls() -> Iterator[Call]:
        for size in range(4, 4 + job["limit"] + _BEYOND):
            module.weight = torch.nn.Parameter(torch.ones(size))
            yield Call([])

    return Toy(module, calls())


MAKERS = {"size": _sizes, "size one": _size_one, "parameter size": _parameter_sizes}
