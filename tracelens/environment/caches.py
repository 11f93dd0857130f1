"""One look at every compile cache of this user: sizes, owners, what is broken."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from tracelens.environment.belongings import own_files_of
from tracelens.environment.entries import CacheEntry, walk_entries
from tracelens.environment.holders import Holders
from tracelens.environment.locks import CacheLock, is_lock, is_on_network, judge_lock
from tracelens.environment.roots import CacheRoot
from tracelens.record import Record


class CacheReport(Record):
    """What one cache directory holds; ``size`` is in bytes.

    ``unreadable`` names what could not be looked at, and why.
    """

    root: CacheRoot
    exists: bool
    entries: int
    size: int
    owners: tuple[int, ...]
    broken: tuple[CacheEntry, ...]
    locks: tuple[CacheLock, ...]
    unreadable: tuple[str, ...]

    @property
    def is_healthy(self) -> bool:
        """Tell whether nothing in it is provably broken."""
        return not self.broken and not any(lock.problem for lock in self.locks)


def check_caches(roots: Sequence[CacheRoot], holders: Holders) -> tuple[CacheReport, ...]:
    """Check every root once; a root inside another is left to the outer one."""
    mounts = _mounts()
    return tuple(_check(root, holders, mounts) for root in outermost(roots))


def find_locks(roots: Sequence[CacheRoot], holders: Holders) -> tuple[CacheLock, ...]:
    """Return the locks of all roots, without a look into any other file."""
    mounts = _mounts()
    found: list[CacheLock] = []
    for root in outermost(roots):
        on_network = is_on_network(root.path, mounts)
        for folder, folders, files in os.walk(root.path, followlinks=False):
            folders.sort()
            for path in sorted(Path(folder, name) for name in files):
                lock = judge_lock(path, holders, on_network=on_network) if is_lock(root, path) else None
                if lock is not None and (lock.holder or lock.problem):
                    found.append(lock)
    return tuple(found)


def outermost(roots: Iterable[CacheRoot]) -> list[CacheRoot]:
    """Leave out the roots that lie inside another."""
    kept: list[CacheRoot] = []
    for root in sorted(roots, key=lambda root: len(root.path.parts)):
        if not any(other.path == root.path or other.path in root.path.parents for other in kept):
            kept.append(root)
    return kept


def _check(root: CacheRoot, holders: Holders, mounts: str) -> CacheReport:
    unreadable: list[str] = []
    if not os.path.lexists(root.path):
        return _report(root, [], [], unreadable, exists=False)
    if root.path.is_symlink():
        # It may point anywhere, another user's files included.
        unreadable.append(f"{root.path}: a symbolic link, not followed")
        return _report(root, [], [], unreadable, exists=True)
    on_network = is_on_network(root.path, mounts)
    entries: list[CacheEntry] = []
    locks: list[CacheLock] = []
    is_own = own_files_of(root)
    for entry in walk_entries(root, lambda error: unreadable.append(f"{error.filename}: {error.strerror}")):
        if not is_own(entry.path):
            continue
        entries.append(entry)
        if is_lock(root, entry.path):
            lock = judge_lock(entry.path, holders, on_network=on_network)
            if lock is not None:
                locks.append(lock)
    return _report(root, entries, locks, unreadable, exists=True)


def _report(
    root: CacheRoot,
    entries: Sequence[CacheEntry],
    locks: Sequence[CacheLock],
    unreadable: Sequence[str],
    *,
    exists: bool,
) -> CacheReport:
    return CacheReport(
        root=root,
        exists=exists,
        entries=len(entries),
        size=sum(entry.size for entry in entries),
        owners=tuple(sorted({entry.owner for entry in entries})),
        broken=tuple(entry for entry in entries if entry.problem),
        locks=tuple(lock for lock in locks if lock.holder or lock.problem),
        unreadable=tuple(unreadable),
    )


def _mounts() -> str:
    try:
        return Path("/proc/mounts").read_text("utf-8", "surrogateescape")
    except OSError:
        return ""
