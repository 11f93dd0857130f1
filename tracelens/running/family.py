"""The command and the processes that it started, as /proc shows them.

They tell what no log has to say: which torch was loaded, where the caches
are, and whether anybody still works. Without /proc nothing is known.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

_PROC = Path("/proc")
#: Variables that say where caches are, or what a compile does.
_TELLING = re.compile(
    rb"(?:TORCH|PYTORCH|TRITON|VLLM_|CUDA_|OMP_|NCCL_|XDG_CACHE|LD_)\w*"
    rb"|(?:CC|CXX|MAX_JOBS|TMPDIR|TEMP|TMP|HOME|USER|LOGNAME|LNAME|USERNAME)"
)
_TORCH_LIBRARY = re.compile(r"(/\S[^\n]*?)/torch/lib/libtorch\S*\.so")
_VERSION = re.compile(r"""^(?:__version__|cuda)(?:: [^=\n]+)? = ['"]([^'"\n]+)['"]""", re.MULTILINE)
_PYTHON = re.compile(r"/python(3\.\d{1,2})/")
#: nanosleep and clock_nanosleep on x86-64 and on Arm: what Python's sleep comes to.
_SLEEPS = {"35", "230", "101", "115"}
_MOST = 4096


class Family:
    """What was seen of a command and its descendants while they lived."""

    def __init__(self, pid: int) -> None:
        """Look at nothing yet."""
        self.pid = pid
        #: The environments that were seen, as far as they are telling; each once.
        self.environments: list[dict[str, str]] = []
        #: Versions by the names of ``Environment``.
        self.versions: dict[str, str] = {}

    def look(self) -> None:
        """Take note of who is there and what is not known yet."""
        for pid in self.members():
            environment = _environment(pid)
            if environment and environment not in self.environments:
                self.environments.append(environment)
            if "torch" not in self.versions:
                self.versions.update(_versions(pid))

    def members(self) -> list[int]:
        """Return the command and its living descendants, ancestors first."""
        found = [self.pid]
        for pid in found:
            if len(found) < _MOST:
                found += [child for child in _children(pid) if child not in found]
        return found

    def is_idle(self, seconds: float = 1.0) -> bool:
        """Tell whether nobody uses the processor for so long."""
        before = {pid: _ticks(pid) for pid in self.members()}
        time.sleep(seconds)
        used = sum(max(0, _ticks(pid) - ticks) for pid, ticks in before.items())
        return used <= max(1, int(seconds * os.sysconf("SC_CLK_TCK") * 0.1))

    def polls(self) -> bool:
        """Tell whether somebody sleeps again and again, as who waits for a lock does; true where nobody can tell."""
        unknown = True
        for _ in range(10):
            for pid in self.members():
                call = _system_call(pid)
                if call in _SLEEPS:
                    return True
                unknown = unknown and call is None
            time.sleep(0.03)
        return unknown


def _children(pid: int) -> Iterator[int]:
    try:
        for task in os.listdir(_PROC / str(pid) / "task"):  # noqa: PTH208 - names, not paths
            yield from map(int, (_PROC / str(pid) / "task" / task / "children").read_text("ascii").split())
    except OSError:
        return


def _environment(pid: int) -> dict[str, str]:
    try:
        raw = (_PROC / str(pid) / "environ").read_bytes()
    except OSError:
        return {}
    pairs = (entry.partition(b"=") for entry in raw.split(b"\0") if _TELLING.fullmatch(entry.partition(b"=")[0]))
    return {os.fsdecode(name): os.fsdecode(value) for name, _, value in pairs}


def _versions(pid: int) -> Mapping[str, str]:
    try:
        maps = (_PROC / str(pid) / "maps").read_text("utf-8", "surrogateescape")
    except OSError:
        return {}
    match = _TORCH_LIBRARY.search(maps)
    if match is None:
        return {}
    packages = Path(match[1])
    found = {"python": python[1]} if (python := _PYTHON.search(f"{packages}/")) else {}
    try:
        text = (packages / "torch" / "version.py").read_text("utf-8", "replace")
    except OSError:
        return found
    found.update(zip(("torch", "cuda"), _VERSION.findall(text), strict=False))
    for triton in sorted(packages.glob("triton-*.dist-info")):
        found["triton"] = triton.name.removeprefix("triton-").removesuffix(".dist-info")
    return found


def _ticks(pid: int) -> int:
    try:
        text = (_PROC / str(pid) / "stat").read_text("utf-8", "replace")
    except OSError:
        return 0
    # The name, in brackets, may hold anything; user and system time are the 14th and 15th field.
    fields = text.rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def _system_call(pid: int) -> str | None:
    try:
        return (_PROC / str(pid) / "syscall").read_text("ascii", "replace").split(" ", 1)[0].strip()
    except OSError:
        return None
