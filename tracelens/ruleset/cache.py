"""The user's cache of compiled rules: small, private, and never in the way.

A file is read only if it is ours and nobody else can write it or its folder.
Any trouble (no home, a read-only disk, a full one) means that nothing is
kept, never that something fails.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

_MAX_BYTES = 16 * 1024 * 1024
_WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def cache_folder() -> Path | None:
    """Return the folder for our cache, made if need be and private; else ``None``."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    try:
        # The standard says that a relative path is to be ignored.
        folder = (Path(base) if os.path.isabs(base) else Path.home() / ".cache") / "tracelens"  # noqa: PTH117
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.lstat()
    except (OSError, RuntimeError):
        return None
    return folder if stat.S_ISDIR(status.st_mode) and _is_private(status) else None


def read_cached(name: str) -> str | None:
    """Return a cached text, or ``None`` if there is none that can be trusted."""
    folder = cache_folder()
    if folder is None:
        return None
    try:
        # Opened first and judged by its descriptor, so that it cannot be swapped in between.
        descriptor = os.open(folder / name, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
        with open(descriptor, encoding="utf-8") as file:  # noqa: PTH123  # a descriptor, not a path
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode) or not _is_private(status) or status.st_size > _MAX_BYTES:
                return None
            return file.read()
    except (OSError, UnicodeDecodeError):
        return None


def write_cached(name: str, text: str, *, prefix: str) -> None:
    """Keep a text under a name and drop what stood under other names of that prefix."""
    folder = cache_folder()
    if folder is None:
        return
    # Written once for each change of a rule, so its imports are not for every start.
    from tempfile import mkstemp

    with suppress(OSError):
        descriptor, temporary = mkstemp(prefix=".", dir=folder)
        try:
            with open(descriptor, "w", encoding="utf-8") as file:  # noqa: PTH123  # a descriptor, not a path
                file.write(text)
            Path(temporary).replace(folder / name)
        except OSError:
            Path(temporary).unlink(missing_ok=True)
            raise
        for old in folder.glob(f"{prefix}*"):
            if old.name != name:
                old.unlink(missing_ok=True)


def _is_private(status: os.stat_result) -> bool:
    """Tell whether only this user may write; Windows keeps profiles apart by itself."""
    if not hasattr(os, "getuid"):
        return True
    return status.st_uid == os.getuid() and not status.st_mode & _WRITABLE_BY_OTHERS
