"""Small graphs for the stages of the pipeline, for failures that do not depend on the graph.

``cpp`` makes Inductor build a C++ kernel, ``triton`` a Triton kernel, both with
reductions and an input that is changed in place; ``train`` adds the backward pass.
"""

from __future__ import annotations

from typing import Any

from .result import Result
from .trial import Subject, run_subject

_SIZES = {"small": (64, 128), "medium": (512, 512)}


def run(job: dict[str, Any], result: Result) -> None:
    """Run the probe graph that the job names."""
    subject = probe(job)
    result.facts["ops"] = subject.operators
    run_subject(subject, job, result)


def probe(job: dict[str, Any]) -> Subject:
    """Return the probe: attention-like arithmetic, without or with gradients."""
    import torch

    device = job["device"]
    if job.get("size") == "decoder":
        from .decoder import decoder

        return decoder(device)
    rows, width = _SIZES[job.get("size", "small")]
    dtype = getattr(torch, job.get("dtype", "float32"))

    def forward(x: Any, weight: Any, seen: Any) -> Any:  # noqa: ANN401 - tensors, in a child without torch's types
        seen.add_(1)
        hidden = torch.relu(x @ weight)
        return torch.softmax(hidden, dim=-1) * 2 + x.sum(-1, keepdim=True)

    def with_gradients(x: Any, weight: Any) -> Any:  # noqa: ANN401 - the same
        return torch.softmax(torch.relu(x @ weight), dim=-1) * x.mean(-1, keepdim=True)

    def make(*shapes: tuple[int, ...], gradients: bool) -> list[Any]:
        generator = torch.Generator().manual_seed(0)
        values = [torch.randn(shape, generator=generator).to(device=device, dtype=dtype) for shape in shapes]
        return [value.requires_grad_(gradients) for value in values]

    if job.get("train"):
        return Subject(
            with_gradients, lambda: make((rows, width), (width, width), gradients=True), train=True, operators=6
        )

    def inputs() -> list[Any]:
        return [*make((rows, width), (width, width), gradients=False), torch.zeros(4, device=device)]

    return Subject(forward, inputs, samples=rows, operators=7)
