"""Folders that belong to one verification and are gone when it ends, however it ends."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from tracelens.errors import VerifyError

_PREFIX = ".tracelens-verify-"
_ENOUGH_BYTES = 300 * 2**20


class PrivateFolders:
    """The private root, and stand-ins for places of the user on the same file system; use in a ``with`` block."""

    def __init__(self) -> None:
        """Make the root where programs may run and there is room."""
        self._made: list[Path] = []
        self.root = self._make_root()

    def __enter__(self) -> PrivateFolders:  # noqa: PYI034  # Self is not in Python 3.10
        """Hand the folders out."""
        return self

    def __exit__(self, *_: object) -> None:
        """Remove everything."""
        for folder in reversed(self._made):
            remove_tree(folder)

    def folder(self, name: str) -> Path:
        """Return a folder of this name below the root, new and empty."""
        return Path(tempfile.mkdtemp(prefix=f"{name}-", dir=self.root))

    def stand_in(self, place: Path) -> Path:
        """Return a private folder in the place of ``place``, which behaves as that would.

        It lies on the same file system, so that a full, read-only or foreign one is met
        as the user meets it; where nothing can be made, it is a path that is not there.
        """
        existing = nearest_existing(place)
        rest = place.relative_to(existing)
        try:
            made = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=existing))
        except OSError:
            made = existing / f"{_PREFIX}{os.getpid()}"
        self._made.append(made)
        return made / rest

    def _make_root(self) -> Path:
        for base in _bases():
            if not _is_roomy(base):
                continue
            with suppress(OSError):
                root = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=base))
                self._made.append(root)
                return root.resolve()
        message = "no folder to work in: neither TMPDIR nor /var/tmp nor the home folder has room and may run programs"
        raise VerifyError(message)


def nearest_existing(place: Path) -> Path:
    """Return the place itself or the nearest folder above it that is there."""
    for folder in (place, *place.parents):
        if folder.is_dir():
            return folder
    return Path("/")


def remove_tree(folder: Path) -> None:
    """Remove a folder, also what its files were made unwritable by."""

    def make_writable(function: object, path: str, _error: object) -> None:
        with suppress(OSError):
            Path(path).parent.chmod(stat.S_IRWXU)
            if not Path(path).is_symlink():  # what it leads to is not ours
                Path(path).chmod(stat.S_IRWXU)
            if callable(function):
                function(path)

    if folder.is_symlink():
        return
    shutil.rmtree(folder, onerror=make_writable)


def _bases() -> Iterable[str]:
    with suppress(OSError):
        yield tempfile.gettempdir()
    yield from ("/var/tmp", "/tmp", str(Path.home()), "/dev/shm")  # noqa: S108 - a private folder is made in it


def _is_roomy(base: str) -> bool:
    try:
        facts = os.statvfs(base)
    except OSError:
        return False
    # macOS does not tell of the first.
    may_run = not facts.f_flag & (getattr(os, "ST_NOEXEC", 0) | os.ST_RDONLY)
    return bool(may_run and facts.f_bavail * facts.f_frsize >= _ENOUGH_BYTES)
