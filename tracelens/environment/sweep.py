"""Delete what is provably broken in a compile cache, and nothing else.

Every deletion goes down from the cache's root by directory descriptors that
follow no symbolic link, and names a file by device and inode: what was
swapped in meanwhile is not touched. A file that a live process has locked,
open or mapped stays. Files go one at a time, so an interruption leaves a
cache that is merely less clean.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from tracelens.environment.belongings import own_files_of
from tracelens.environment.caches import CacheReport
from tracelens.environment.holders import Holders
from tracelens.environment.roots import CacheKind, CacheRoot
from tracelens.record import Record

_DIRECTORY = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)


class Removal(Record):
    """One file to delete, and why; ``size`` is in bytes."""

    root: CacheRoot
    path: Path
    size: int
    device: int
    inode: int
    reason: str


class Swept(Record):
    """What became of one removal; ``refused`` says why a file was kept."""

    removal: Removal
    refused: str | None = None


def plan_broken(reports: Sequence[CacheReport]) -> tuple[Removal, ...]:
    """Return the files that have to go so that what is broken is compiled afresh.

    Triton reads a kernel's files together, so all of one entry go when one is
    broken: a kernel whose ``.cubin`` alone is missing fails as well.
    """
    removals: dict[Path, Removal] = {}
    for report in reports:
        for entry in report.broken:
            reason = entry.problem or ""
            if _is_triton(report.root, entry.path):
                for path in _regular_files(entry.path.parent):
                    note = reason if path == entry.path else f"belongs to {entry.path.name}: {reason}"
                    _add(removals, report.root, path, note)
            else:
                _add(removals, report.root, entry.path, reason)
        for lock in report.locks:
            if lock.problem:
                _add(removals, report.root, lock.path, lock.problem)
    return tuple(removals.values())


def plan_all(reports: Sequence[CacheReport]) -> tuple[Removal, ...]:
    """Return every regular file that the caches made; what others keep in the same directory stays."""
    removals: dict[Path, Removal] = {}
    for report in reports:
        is_own = own_files_of(report.root)
        if report.exists and not report.root.path.is_symlink():
            for folder, folders, files in os.walk(report.root.path, followlinks=False):
                folders.sort()
                for path in filter(is_own, sorted(Path(folder, name) for name in files)):
                    _add(removals, report.root, path, "the whole cache")
    return tuple(removals.values())


def sweep(removals: Sequence[Removal], holders: Holders) -> Iterator[Swept]:
    """Delete file by file and tell after each what happened."""
    for removal in removals:
        holder = holders.of(removal.device, removal.inode)
        if holder is not None:
            yield Swept(removal=removal, refused=f"in use ({holder.how}) by {holder.command}, pid {holder.pid}")
            continue
        try:
            refused = _unlink(removal)
        except OSError as error:
            refused = error.strerror or str(error)
        yield Swept(removal=removal, refused=refused)


def _unlink(removal: Removal) -> str | None:
    parts = removal.path.relative_to(removal.root.path).parts
    descriptor = os.open(removal.root.path, _DIRECTORY)
    try:
        for name in parts[:-1]:
            inner = os.open(name, _DIRECTORY, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = inner
        status = os.stat(parts[-1], dir_fd=descriptor, follow_symlinks=False)
        if (status.st_dev, status.st_ino) != (removal.device, removal.inode) or not stat.S_ISREG(status.st_mode):
            return "changed meanwhile"
        os.unlink(parts[-1], dir_fd=descriptor)
    finally:
        os.close(descriptor)
    return None


def _is_triton(root: CacheRoot, path: Path) -> bool:
    """Tell whether a file is one of a kernel's; Inductor keeps a Triton cache within its own."""
    inner = path.relative_to(root.path).parts
    if root.kind is CacheKind.TRITON:
        return len(inner) > 1
    return root.kind is CacheKind.INDUCTOR and "triton" in inner[:-2]


def _regular_files(folder: Path) -> Iterator[Path]:
    try:
        names = sorted(os.listdir(folder))  # noqa: PTH208 - names, to be sorted
    except OSError:
        return
    for name in names:
        yield folder / name


def _add(removals: dict[Path, Removal], root: CacheRoot, path: Path, reason: str) -> None:
    try:
        status = os.lstat(path)
    except OSError:
        return
    if stat.S_ISREG(status.st_mode) and path not in removals:
        removals[path] = Removal(
            root=root, path=path, size=status.st_size, device=status.st_dev, inode=status.st_ino, reason=reason
        )
