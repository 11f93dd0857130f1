"""Recompilations: a toy whose guard fails again and again, as the guard in the log did.

It shows what this release of torch does with such guards, and how often it
compiles; it is not the user's model.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from . import toys, toys_of_sizes
from .compare import compare, tensors_in
from .measure import timed
from .result import Reached, Result
from .settings import apply_settings, compile_as_set, count_compiles


def run(job: dict[str, Any], result: Result) -> None:
    """Make every call of the toy, in eager or compiled, and count the compilations."""
    import torch

    apply_settings({"config": [["torch._dynamo.config", "recompile_limit", job["limit"]]]})
    settings = dict(job.get("settings", {}))
    # What is compiled before stays in use, so the stance is for what comes after the first call.
    stance = settings.pop("stance", None)
    apply_settings(settings)
    toy = {**toys_of_sizes.MAKERS, **toys.MAKERS}[job["guard"]](job)
    result.facts["ops"] = 3
    result.reach(Reached.EAGER if job["entry"] == "eager" else Reached.COMPILE)
    compiled = compile_as_set(toy.function, settings, backend="eager", **toy.settings)
    total = 0.0
    for call in toy.calls:
        with torch.set_grad_enabled(call.gradients):
            expected = tensors_in(toy.function(*call.arguments))
            if job["entry"] == "eager":
                continue
            chosen = compile_as_set(toy.twin, settings, backend="eager") if call.by_twin and toy.twin else compiled
            got, seconds = timed(partial(_leaves, chosen, call.arguments), job["device"])
        total += seconds
        if stance:
            torch.compiler.set_stance(stance)
        compare(expected, got, None, result)
    result.facts["compile_s"] = round(total, 3)
    result.facts["compiles"] = count_compiles()


def _leaves(function: Any, arguments: list[Any]) -> list[Any]:  # noqa: ANN401 - compiled or not
    return tensors_in(function(*arguments))
