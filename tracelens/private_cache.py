"""The user's cache: small, private, and never in the way.

A file is read only if it is ours and nobody else can write it or its folder.
Any trouble (no home, a read-only disk, a full one) means that nothing is
kept, never that something fails. Every start comes here, so it does without
``pathlib``, whose import costs more than what is done here.
"""

from __future__ import annotations

import os
import stat
import sys

from tracelens.typed import suppress

_MAX_BYTES = 16 * 1024 * 1024
_WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def cache_folder() -> str | None:
    """Return the folder for our cache, made if need be and private; else ``None``."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    if sys.platform == "win32":
        base = base or os.environ.get("LOCALAPPDATA", "")
    if not os.path.isabs(base):
        # The standard says that a relative path is to be ignored.
        base = os.path.join(os.path.expanduser("~"), ".cache")
    if not os.path.isabs(base):
        return None
    folder = os.path.join(base, "tracelens")
    try:
        status = _status(folder)
    except OSError:
        return None
    return folder if stat.S_ISDIR(status.st_mode) and _is_private(status) else None


def _status(folder: str) -> os.stat_result:
    with suppress(FileNotFoundError):
        return os.lstat(folder)
    os.makedirs(os.path.dirname(folder), exist_ok=True)
    with suppress(FileExistsError):
        os.mkdir(folder, 0o700)
    return os.lstat(folder)


def read_private(name: str) -> bytes | None:
    """Return what is kept under a name, or ``None`` if there is nothing that can be trusted."""
    descriptor = open_private(name)
    if descriptor is None:
        return None
    try:
        with open(descriptor, "rb") as file:
            return file.read()
    except OSError:
        return None


def open_private(name: str) -> int | None:
    """Return a descriptor of what is kept under a name, or ``None`` if there is nothing that can be trusted."""
    folder = cache_folder()
    if folder is None:
        return None
    # Opened first and judged by its descriptor, so that it cannot be swapped in between.
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(os.path.join(folder, name), flags)
    except OSError:
        return None
    with suppress(OSError):
        status = os.fstat(descriptor)
        if stat.S_ISREG(status.st_mode) and _is_private(status) and status.st_size <= _MAX_BYTES:
            return descriptor
    os.close(descriptor)
    return None


def write_private(name: str, content: bytes) -> bool:
    """Keep bytes under a name, whole or not at all, and tell whether they are kept now."""
    folder = cache_folder()
    if folder is None:
        return False
    # Few runs write, so its imports are not for every start.
    from tempfile import mkstemp

    try:
        descriptor, temporary = mkstemp(prefix=".", dir=folder)
    except OSError:
        return False
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
        os.replace(temporary, os.path.join(folder, name))
    except OSError:
        with suppress(OSError):
            os.unlink(temporary)
        return False
    return True


def drop_older(name: str, *, prefix: str = "", suffix: str = "", kept: int) -> None:
    """Drop all but the latest files whose names begin and end so; the one of this name is the latest."""
    folder = cache_folder()
    if folder is None:
        return
    # What another process drops meanwhile is gone all the same.
    with suppress(OSError):
        alike = [entry for entry in os.scandir(folder) if entry.name.startswith(prefix) and entry.name.endswith(suffix)]
        alike.sort(key=lambda entry: (entry.name == name, entry.stat().st_mtime))
        for entry in alike[:-kept]:
            os.unlink(entry.path)


def _is_private(status: os.stat_result) -> bool:
    """Tell whether only this user may write; Windows keeps profiles apart by itself."""
    if not hasattr(os, "getuid"):
        return True
    return status.st_uid == os.getuid() and not status.st_mode & _WRITABLE_BY_OTHERS
