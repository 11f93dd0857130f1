"""How often the kernel has killed a process for lack of memory.

The log of a killed process says nothing. The kernel counts: for each control
group in its ``memory.events``, and for the whole machine in ``/proc/vmstat``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tracelens.record import Record

_COUNT = re.compile(r"^oom_kill (\d+)$", re.MULTILINE)
_GROUPS = Path("/sys/fs/cgroup")


class MemoryKills(Record):
    """Counts at one time; ``None`` where the kernel does not tell."""

    group: int | None
    machine: int | None


def count_memory_kills(processes: Path = Path("/proc"), groups: Path = _GROUPS) -> MemoryKills:
    """Return the counts of our control group and of the machine."""
    group = next((count for file in _group_files(processes, groups) if (count := _read(file)) is not None), None)
    return MemoryKills(group=group, machine=_read(processes / "vmstat"))


def _group_files(processes: Path, groups: Path) -> Iterator[Path]:
    try:
        lines = (processes / "self" / "cgroup").read_text("utf-8", "replace").splitlines()
    except OSError:
        return
    for line in lines:
        # "0::/user.slice" of version 2, "4:memory:/docker/…" of version 1.
        _, controllers, path = (*line.split(":", 2), "", "")[:3]
        inner = path.strip("/")
        if not controllers:
            yield groups / inner / "memory.events"
            # In a container the path is that outside of it, and its own group stands at the top.
            yield groups / "memory.events"
        elif "memory" in controllers.split(","):
            yield groups / "memory" / inner / "memory.oom_control"
            yield groups / "memory" / "memory.oom_control"


def _read(file: Path) -> int | None:
    try:
        match = _COUNT.search(file.read_text("ascii", "replace"))
    except OSError:
        return None
    return int(match[1]) if match else None
