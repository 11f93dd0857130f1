"""Who uses a file right now, as Linux tells it under /proc.

A lock file that is merely left behind looks like one that is held; only the
kernel knows. Other systems, and processes of other users, stay unknown, and
unknown is never taken for free.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from tracelens.record import Record

_PROC = Path("/proc")
# "1: FLOCK  ADVISORY  WRITE 4711 fe:01:393226 0 EOF"; a waiting process has "->" before the type.
_LOCK = re.compile(r"^\d+: (?:-> )?\w+ +\w+ +\w+ +(-?\d+) ([0-9a-f]+):([0-9a-f]+):(\d+)", re.MULTILINE)


class Holder(Record):
    """A live process that holds a lock on a file, has it open or mapped."""

    pid: int
    command: str
    how: str


class Holders(Record):
    """Every file in use that we may know of, by device and inode.

    ``complete`` is ``False`` where some process could not be looked at:
    another user's. ``available`` is ``False`` where there is no /proc.
    """

    by_file: dict[tuple[int, int], Holder]
    complete: bool
    available: bool = True

    def of(self, device: int, inode: int) -> Holder | None:
        """Return a process that uses the file, ``None`` if none is known to."""
        return self.by_file.get((device, inode))


def current_holders() -> Holders:
    """Look once at every process; costs about a millisecond for each."""
    if not (_PROC / "self" / "fd").is_dir():
        return Holders(by_file={}, complete=False, available=False)
    found: dict[tuple[int, int], Holder] = {}
    complete = True
    for pid in _pids():
        command = _command(pid)
        try:
            for key, how in _files_of(pid):
                found.setdefault(key, Holder(pid=pid, command=command, how=how))
        except ProcessLookupError:
            continue
        except FileNotFoundError:
            continue
        except PermissionError:
            complete = False
    for key, pid in _locked():
        found[key] = Holder(pid=pid, command=_command(pid), how="lock")
    return Holders(by_file=found, complete=complete)


def _pids() -> Iterator[int]:
    own = os.getpid()
    for name in os.listdir(_PROC):  # noqa: PTH208 - names, not paths
        if name.isdecimal() and int(name) != own:
            yield int(name)


def _command(pid: int) -> str:
    try:
        raw = (_PROC / str(pid) / "cmdline").read_bytes()
    except OSError:
        return "?"
    return raw.replace(b"\0", b" ").strip().decode("utf-8", "backslashreplace")[:200] or "?"


def _files_of(pid: int) -> Iterator[tuple[tuple[int, int], str]]:
    folder = _PROC / str(pid) / "fd"
    for name in os.listdir(folder):  # noqa: PTH208 - names, not paths
        try:
            status = os.stat(folder / name)  # noqa: PTH116 - follows to the open file
        except FileNotFoundError:
            continue
        yield (status.st_dev, status.st_ino), "open"
    for line in (_PROC / str(pid) / "maps").read_text("utf-8", "surrogateescape").splitlines():
        fields = line.split(maxsplit=5)
        if len(fields) > 5 and fields[4] != "0":
            major, _, minor = fields[3].partition(":")
            yield (os.makedev(int(major, 16), int(minor, 16)), int(fields[4])), "mapped"


def _locked() -> Iterator[tuple[tuple[int, int], int]]:
    try:
        text = (_PROC / "locks").read_text("ascii", "replace")
    except OSError:
        return
    for pid, major, minor, inode in _LOCK.findall(text):
        yield (os.makedev(int(major, 16), int(minor, 16)), int(inode)), int(pid)
