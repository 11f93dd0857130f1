"""What Inductor finds out about the processor, once for all runs of a verification."""

from __future__ import annotations

import os
from pathlib import Path

from .result import Result


def note_processor(result: Result) -> None:
    """Let Inductor find out what the processor can do, and say which files that left in the cache.

    That takes most of a first compilation and says nothing about the failure, so
    the parent hands these files, and no others, to the runs that follow.
    """
    try:
        from torch._inductor.cpu_vec_isa import pick_vec_isa

        pick_vec_isa()
    except Exception:  # noqa: BLE001 - whatever is wrong, the compilation itself will tell
        return
    root = os.environ.get("TORCHINDUCTOR_CACHE_DIR")
    if root:
        files = (file for file in Path(root).rglob("*") if file.is_file() and file.suffix in {".so", ".cpp"})
        result.facts["seeds"] = [str(file.relative_to(root)) for file in files]
