"""A large trace made of real ones, and what two tools make of it."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

from bench.measure import Command

_FRAME = re.compile(rb'"frame_id": (\d+)|"compile_id": "(\d+)/')
#: More compilations than any one of the real traces has frames.
_FRAMES = 64


#: What traces are made of: training runs through Inductor, or nothing but small compilations, full of facts.
MIXES = {
    "Inductor": ("torch-trace-clean", "torch-trace-failed", "torch-trace-cache-hit"),
    "recompiles and graph breaks": ("torch-trace-recompiles", "torch-trace-breaks"),
}


def write_trace(target: Path, size: int, corpus: Path, mix: str) -> str:
    """Write traces of the corpus behind each other until a size is reached; each copy has frames of its own."""
    folders = [folder for name in MIXES[mix] for folder in sorted(corpus.glob(f"artifacts/2.1*/{name}"))]
    parts = [path.read_bytes() for folder in folders for path in sorted(folder.glob("*.log"))]
    copies = 0
    with target.open("wb") as file:
        while file.tell() < size:
            for part in parts:
                file.write(_shifted(part, copies * _FRAMES))
                copies += 1
    return f"structured trace, {mix}: {len(parts)} real traces repeated with frames of their own"


def _shifted(trace: bytes, by: int) -> bytes:
    def shift(match: re.Match[bytes]) -> bytes:
        if match[1] is not None:
            return b'"frame_id": %d' % (int(match[1]) + by)
        return b'"compile_id": "%d/' % (int(match[2]) + by)

    return _FRAME.sub(shift, trace)


def tlparse_commands(tlparse: str, trace: Path, folder: Path) -> dict[str, Command]:
    """Return tlparse as it is, and without the highlighting of its pages."""
    common: list[str | Path] = [trace, "--overwrite", "--no-browser", "-o"]
    return {
        "tlparse": [tlparse, *common, folder / "rendered"],
        "tlparse --plain-text": [tlparse, "--plain-text", *common, folder / "plain"],
    }


def produced_by_tracelens(command: Command) -> str:
    """Return in words what tracelens says of a trace."""
    done = subprocess.run(command, capture_output=True, check=False)  # noqa: S603 - the command that was measured
    answer = json.loads(done.stdout)
    timeline = answer["timeline"]
    recompiles = sum(group["count"] for group in timeline["recompiles"])
    breaks = sum(group["count"] for group in timeline["graph_breaks"])
    failed = sum(item["status"] == "failed" for item in timeline["compilations"])
    hits, misses = (sum(cache[each] for cache in timeline["caches"]) for each in ("hits", "misses"))
    return (
        f"tracelens: one answer ({answer['label'] or answer['outcome']}), a timeline of {len(timeline['compilations'])}"
        f" compilations with their phases ({failed} failed), {recompiles} recompiles in {len(timeline['recompiles'])}"
        f" groups with their fixes, {breaks} graph breaks in {len(timeline['graph_breaks'])} groups, {hits} cache hits"
        f" and {misses} misses; {len(done.stdout) / 1e6:.1f} MB of JSON."
    )


def produced_by_tlparse(folder: Path) -> str:
    """Return in words what tlparse has written for a trace."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    compilations = json.loads((folder / "compile_directory.json").read_bytes())
    size = sum(path.stat().st_size for path in files)
    return (
        f"tlparse: a page for each of {len(compilations)} compile ids with its reasons, breaks, errors and metrics,"
        f" every graph and payload as a file, a chromium trace; {len(files):,} files, {size / 1e6:.0f} MB."
    )
