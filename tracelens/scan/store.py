"""Keep plans and databases in the user's cache directory, and trust no one else's.

A database is machine-made data that the engine does not check: whoever can
write it can make us run anything. So it is read only from a directory and a
file that belong to this user and that no one else may write. Every failure,
from a read-only disk to a missing home, only means that the work is done anew.
"""

from __future__ import annotations

import os
import stat
import sys
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

#: A plan with its database is a quarter of a megabyte.
_MAX_SIZE = 64 << 20
_SUFFIX = ".scan"
#: Entries beyond this are old: rules and releases change.
_MAX_ENTRIES = 8


def cache_directory() -> Path | None:
    """Return where entries are kept, ``None`` where there is no place for them."""
    base = os.environ.get("XDG_CACHE_HOME") or (os.environ.get("LOCALAPPDATA") if sys.platform == "win32" else None)
    try:
        directory = Path(base) if base else Path.home() / ".cache"
    except RuntimeError:
        return None
    return directory / "tracelens" if directory.is_absolute() else None


def read_entry(key: str) -> bytes | None:
    """Return what was written under a key, if it is whole and ours alone."""
    directory = cache_directory()
    if directory is None:
        return None
    with suppress(OSError):
        if not _is_private(directory.stat()):
            return None
        content = read_private(directory / f"{key}{_SUFFIX}")
        if content is None:
            return None
        digest, data = content[:32], content[32:]
        return data if sha256(key.encode() + data).digest() == digest else None
    return None


def read_private(path: Path) -> bytes | None:
    """Return the content of a regular file of sane size that only this user can write; raises ``OSError``."""
    # Opened first and judged by its handle, so that it cannot be swapped in between.
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
    handle = os.open(path, flags)
    with os.fdopen(handle, "rb") as file:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode) or not _is_private(status) or status.st_size > _MAX_SIZE:
            return None
        return file.read(_MAX_SIZE)


def write_entry(key: str, data: bytes) -> None:
    """Write an entry whole or not at all; failures are nobody's concern."""
    from tempfile import NamedTemporaryFile

    directory = cache_directory()
    if directory is None:
        return
    with suppress(OSError):
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _is_private(directory.stat()):
            return
        with NamedTemporaryFile(dir=directory, prefix=".scan-", delete=False) as file:
            temporary = Path(file.name)
            try:
                file.write(sha256(key.encode() + data).digest() + data)
            except OSError:
                temporary.unlink()
                raise
        temporary.replace(directory / f"{key}{_SUFFIX}")
        _drop_old(directory)


def _is_private(status: os.stat_result) -> bool:
    """Tell whether something belongs to this user and only this user can write it."""
    if not hasattr(os, "geteuid"):
        return True  # Windows: the profile directory has its own access list
    return status.st_uid == os.geteuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _drop_old(directory: Path) -> None:
    entries = sorted(directory.glob(f"*{_SUFFIX}"), key=lambda path: path.stat().st_mtime)
    for path in entries[:-_MAX_ENTRIES]:
        path.unlink(missing_ok=True)


def cpu_description() -> str:
    """Return what tells apart the kinds of CPU that a database is made for."""
    described = sys.platform
    with suppress(OSError):
        described += os.uname().machine if hasattr(os, "uname") else os.environ.get("PROCESSOR_IDENTIFIER", "")
        with Path("/proc/cpuinfo").open("rb") as file:
            # The first processor is enough, and on hundreds of them the rest takes its time.
            lines = file.read(16384).partition(b"\n\n")[0].splitlines()
        wanted = (b"flags", b"Features", b"vendor_id", b"cpu family", b"model\t")
        described += b"".join(line for line in lines if line.startswith(wanted)).decode("ascii", "replace")
    return described
