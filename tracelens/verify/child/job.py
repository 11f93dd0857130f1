"""One job: limits first, then torch, then the work that the parent asked for."""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import json
import os
import resource
import signal
import sys
from typing import Any

from .result import Reached, Result
from .settings import missing_setting

#: What a job may ask for, and the module that does it.
_KINDS = {
    "probe": "probes",
    "extension": "extension",
    "cached": "cached",
    "guards": "guards",
    "tracing": "tracing",
    "cudagraphs": "cudagraphs",
    "graph": "graphs",
    "nothing": "nothing",
}
#: No file of a verification is as large as this, not even a precompiled header.
_LARGEST_FILE = 2**30
#: Others may be at work on it, too; what needs more fails as out of memory does.
_SHARE_OF_GPU = 0.9
#: From <linux/prctl.h>.
_PR_SET_PDEATHSIG = 1


def main() -> None:
    """Read the job from standard input, do it, and let a failure end the process as it would end a user's."""
    job: dict[str, Any] = json.load(sys.stdin)
    result = Result(int(sys.argv[1]))
    _limit(job)
    try:
        _work(job, result)
        result.reach(Reached.DONE)
    finally:
        # What torch left buffered belongs before the traceback that Python is about to print.
        sys.stdout.flush()
        result.send()


def _limit(job: dict[str, Any]) -> None:
    """Bound what this process and those it starts may take; CUDA needs its address space, so that has no bound."""
    _end_with_parent()
    # A shell that runs in the background hands on that Ctrl-C is ignored; here it ends a run that waits for ever.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (_LARGEST_FILE, _LARGEST_FILE))
    if job.get("cpu_seconds"):
        resource.setrlimit(resource.RLIMIT_CPU, (job["cpu_seconds"], job["cpu_seconds"] + 5))
    if job.get("memory") and job["device"] == "cpu":
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        wanted = job["memory"] if hard == resource.RLIM_INFINITY else min(job["memory"], hard)
        resource.setrlimit(resource.RLIMIT_AS, (wanted, hard))


def _end_with_parent() -> None:
    """Have the kernel end this process when the parent is gone, even if that was killed; Linux only."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _work(job: dict[str, Any], result: Result) -> None:
    result.reach(Reached.IMPORT)
    result.facts["python"] = f"{sys.version_info.major}.{sys.version_info.minor}"
    import torch

    result.facts["torch"] = str(torch.__version__)
    if job["device"].startswith("cuda"):
        # Not asked otherwise: the driver takes more address space than a child on the CPU is given.
        number = torch.device(job["device"]).index or 0
        if not torch.cuda.is_available() or number >= torch.cuda.device_count():
            result.reach(Reached.NO_DEVICE)
            sys.exit(os.EX_UNAVAILABLE)
        torch.cuda.set_device(number)
        result.facts["device"] = torch.cuda.get_device_name()
        torch.cuda.set_per_process_memory_fraction(_SHARE_OF_GPU)
    else:
        result.facts["device"] = "cpu"
    if missing := missing_setting(job.get("settings", {})):
        result.note(f"torch {torch.__version__} has no {missing}")
        result.reach(Reached.NO_SETTING)
        sys.exit(os.EX_UNAVAILABLE)
    torch.manual_seed(0)
    importlib.import_module(f".{_KINDS[job['kind']]}", __package__).run(job, result)
