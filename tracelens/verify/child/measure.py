"""How long a step takes: CUDA events on a GPU, the clock elsewhere."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

from .result import Result


def timed(function: Callable[[], Any], device: str) -> tuple[Any, float]:
    """Call once; return the outputs and the seconds until the device had finished."""
    _finish(device)
    started = time.perf_counter()
    value = function()
    _finish(device)
    return value, time.perf_counter() - started


def step_times(function: Callable[[], Any], device: str, steps: int, seconds: float) -> list[float]:
    """Return milliseconds of up to ``steps`` calls, as many as fit into ``seconds``; three at least."""
    times: list[float] = []
    ends = time.perf_counter() + seconds
    while len(times) < steps and (len(times) < 3 or time.perf_counter() < ends):
        times.append(_one(function, device))
    return times


def summary(times: list[float]) -> dict[str, float]:
    """Return the median and the distance between the quartiles."""
    quarters = statistics.quantiles(times, n=4) if len(times) > 1 else [times[0]] * 3
    return {"step_ms": statistics.median(times), "step_spread_ms": quarters[2] - quarters[0]}


def measure_steps(step: Callable[[], Any], job: dict[str, Any], result: Result) -> None:
    """Put the times of steps and the memory that they take into the result."""
    for _ in range(job.get("warm_up", 1)):
        step()
    if job["device"].startswith("cuda"):
        import torch

        torch.cuda.reset_peak_memory_stats()
    times = step_times(step, job["device"], job["steps"], job.get("step_seconds", 1.0))
    result.facts.update(summary(times))
    result.facts["steps"] = len(times)
    result.facts["peak_mib"] = peak_memory(job["device"])


def tell_of_cudagraphs() -> None:
    """Have torch say when it leaves CUDA graphs out, and why."""
    import torch

    torch._logging.set_logs(perf_hints=True, cudagraphs=True)  # noqa: SLF001 - documented under this name


def peak_memory(device: str) -> float | None:
    """Return the largest use of memory in MiB: of the GPU by torch, or of this process."""
    if device.startswith("cuda"):
        import torch

        return float(torch.cuda.max_memory_allocated()) / 2**20
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10


def _one(function: Callable[[], Any], device: str) -> float:
    if not device.startswith("cuda"):
        started = time.perf_counter()
        function()
        return (time.perf_counter() - started) * 1000
    import torch

    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    function()
    end.record()
    end.synchronize()
    return float(begin.elapsed_time(end))


def _finish(device: str) -> None:
    if device.startswith("cuda"):
        import torch

        torch.cuda.synchronize()
