"""Lock files of the caches: which are held, and which are provably dead.

Inductor and Triton lock with ``flock``, which dies with its process: such a
file left behind is harmless. ``torch.utils.cpp_extension`` uses a *baton*, a
file whose mere existence makes others wait for ever, so one that no live
process holds open is dead. Source: torch/utils/file_baton.py.
"""

from __future__ import annotations

import os
from pathlib import Path

from tracelens.environment.holders import Holder, Holders
from tracelens.environment.roots import CacheKind, CacheRoot
from tracelens.record import Record

_BATON = "lock"
_NETWORK = ("nfs", "cifs", "smb", "lustre", "gpfs", "beegfs", "ceph", "glusterfs", "afs", "9p", "fuse.sshfs", "panfs")


class CacheLock(Record):
    """One lock file; ``problem`` is the proof that it is dead."""

    path: Path
    holder: Holder | None
    problem: str | None


def is_lock(root: CacheRoot, path: Path) -> bool:
    """Tell whether a file of a cache is a lock."""
    return path.suffix == ".lock" or (root.kind is CacheKind.EXTENSIONS and path.name == _BATON)


def judge_lock(path: Path, holders: Holders, *, on_network: bool) -> CacheLock | None:
    """Return what is known of a lock, ``None`` where the file is gone."""
    try:
        status = os.lstat(path)
    except OSError:
        return None
    holder = holders.of(status.st_dev, status.st_ino)
    # Only its owner's processes can have made a baton, and our own we can always see.
    seen = holders.complete or (hasattr(os, "geteuid") and status.st_uid == os.geteuid())
    dead = path.name == _BATON and holder is None and seen and holders.available and not on_network
    problem = "left behind: no live process holds it, and every later build waits for it" if dead else None
    return CacheLock(path=path, holder=holder, problem=problem)


def is_on_network(path: Path, mounts: str) -> bool:
    """Tell whether a path lies on a network file system; ``mounts`` is /proc/mounts.

    There another machine may hold what looks free from here.
    """
    best, kind = -1, ""
    target = os.path.realpath(path)
    for line in mounts.splitlines():
        fields = line.split()
        if len(fields) < 3:
            continue
        point = fields[1].encode("utf-8", "surrogateescape").decode("unicode_escape", "replace").rstrip("/")
        if (target == point or target.startswith(f"{point}/")) and len(point) > best:
            best, kind = len(point), fields[2]
    return kind.startswith(_NETWORK)
