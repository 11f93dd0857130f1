"""Eager first, then compiled, then both compared: the run of anything that can be called.

The eager call is the reference, so a subject that fails in eager says nothing
about the compiler: the stage in the result is then ``eager``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .compare import compare, tensors_in
from .measure import measure_steps, tell_of_cudagraphs, timed
from .processor import note_processor
from .result import Reached, Result
from .settings import apply_settings, compile_as_set, count_compiles


@dataclass(frozen=True)
class Subject:
    """What is compiled, and with which inputs.

    ``make_inputs`` gives new and equal inputs at each call; ``train`` asks for a
    backward pass; ``random`` says that values differ by design; ``precise`` that
    the function takes float64 inputs as well.
    """

    function: Callable[..., Any]
    make_inputs: Callable[[], list[Any]]
    train: bool = False
    random: bool = False
    precise: bool = True
    samples: int = 1
    operators: int = 0


def run_subject(subject: Subject, job: dict[str, Any], result: Result) -> None:
    """Do one run as the job says: ``entry`` is ``eager`` or ``compile``."""
    result.reach(Reached.EAGER)
    expected = _outcome(subject, subject.function, subject.make_inputs())
    precise = _in_double(subject)
    if job["entry"] == "eager":
        if job.get("measure"):
            _measure(subject, subject.function, job, result)
        return
    settings = job.get("settings", {})
    if job.get("tell_cudagraphs"):
        tell_of_cudagraphs()
    if job.get("seeding"):
        note_processor(result)
    result.reach(Reached.COMPILE)
    apply_settings({"config": job.get("config", [])})
    apply_settings(settings)
    compiled = compile_as_set(subject.function, settings)
    before = count_compiles()
    got, seconds = timed(lambda: _outcome(subject, compiled, subject.make_inputs()), job["device"])
    result.facts["compile_s"] = round(seconds, 3)
    result.facts["compiles"] = count_compiles() - before
    result.reach(Reached.COMPARE)
    if subject.random:
        result.note("values not compared: random operators")
        result.facts["wrong"] = _other_shapes(expected, got)
    else:
        compare(expected, got, precise, result)
    # The memory of a step is that of the program, without what it was compared with.
    del expected, got, precise
    result.reach(Reached.RUN)
    if job.get("steps"):
        _measure(subject, compiled, job, result)


def _outcome(subject: Subject, function: Callable[..., Any], inputs: list[Any]) -> list[Any]:
    """Return everything that a call leaves behind: outputs, gradients, and inputs that it may have changed."""
    import torch

    torch.manual_seed(0)
    if not subject.train:
        with torch.no_grad():
            outputs = tensors_in(function(*inputs))
        return [*outputs, *(value.clone() for value in inputs if isinstance(value, torch.Tensor))]
    outputs = tensors_in(function(*inputs))
    sum(value.float().sum() for value in outputs if value.requires_grad).backward()
    gradients = [value.grad for value in inputs if isinstance(value, torch.Tensor) and value.grad is not None]
    return [value.detach() for value in outputs] + gradients


def _in_double(subject: Subject) -> list[Any] | None:
    """Return the outcome in float64, or ``None`` where that cannot be had."""
    import torch

    if not subject.precise or subject.random:
        return None
    inputs = []
    for value in subject.make_inputs():
        if isinstance(value, torch.Tensor) and value.is_floating_point():
            wide = value.detach().double()
            value = wide.requires_grad_(value.requires_grad)  # noqa: PLW2901 - the same input, wider
        inputs.append(value)
    try:
        return _outcome(subject, subject.function, inputs)
    except (RuntimeError, TypeError, NotImplementedError):
        return None  # an operator without float64, or too little memory


def _other_shapes(expected: list[Any], got: list[Any]) -> list[str]:
    """Return which outputs have another shape or dtype."""
    return [
        f"output {number}: {have.dtype}{list(have.shape)} in place of {want.dtype}{list(want.shape)}"
        for number, (want, have) in enumerate(zip(expected, got, strict=True))
        if hasattr(want, "shape") and (want.shape != have.shape or want.dtype != have.dtype)
    ]


def _measure(subject: Subject, function: Callable[..., Any], job: dict[str, Any], result: Result) -> None:
    """Time steps over inputs that stay the same, as training and serving do."""
    import torch

    inputs = subject.make_inputs()

    def step() -> None:
        if not subject.train:
            with torch.no_grad():
                function(*inputs)
            return
        # As an optimizer's zero_grad does; to add to a gradient is to read what a CUDA graph overwrites.
        for value in inputs:
            value.grad = None
        outputs = tensors_in(function(*inputs))
        sum(value.float().sum() for value in outputs if value.requires_grad).backward()

    measure_steps(step, job, result)
    result.facts["samples_per_s"] = subject.samples / (result.facts["step_ms"] / 1000)
