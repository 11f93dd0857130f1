"""Where torch writes: may it, is there room, and does the file system let libraries run.

Every directory is tried by the user who would run torch, with a file that is
written, mapped as a library would be, locked, and deleted again.
"""

from __future__ import annotations

import errno
import mmap
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from tracelens.environment.locks import is_on_network
from tracelens.environment.observations import failed, passed
from tracelens.environment.roots import CacheKind, CacheRoot, cache_roots, temporary_folder
from tracelens.environment.torch_facts import Python
from tracelens.findings import Check
from tracelens.record import Record
from tracelens.topics import Topic

_MIB = 2**20
#: Measured: one small network fills about this much, its precompiled header alone 149 MB.
_ROOM = 256 * _MIB
_ROOM_WITHOUT_HEADER = 32 * _MIB
_INODES = 200
_LONGEST_ON_WINDOWS = 110


class _Trouble(Record):
    topic: Topic
    words: str
    fatal: bool = True


def look_at_folder(root: CacheRoot, python: Python) -> Sequence[Check]:
    """Try one directory of a cache, as the next run would use it."""
    name = f"{root.kind.value} cache directory"
    trouble = next(_troubles(root, python), None)
    if trouble is not None:
        detail = f"{root.path}: {trouble.words}"
        return (failed(name, detail, trouble.topic, fatal=trouble.fatal, path=str(root.path)),)
    where = f"{root.path} (by {root.chosen_by})"
    if is_on_network(root.path, _mounts()):
        where += ": on a network file system; hosts and ranks that share it need a directory each"
    return (passed(name, where),)


def look_for_noexec(root: CacheRoot) -> Sequence[Check]:
    """Say of one directory only whether its file system lets libraries run; a run may have gone on without them."""
    folder = _nearest(root.path)
    with suppress(OSError), tempfile.TemporaryFile(dir=folder) as file:
        file.write(b"\0" * 8192)
        file.flush()
        for trouble in _noexec(file.fileno(), folder):
            return (failed(f"{root.kind.value} cache", trouble.words, trouble.topic, fatal=False, path=str(root.path)),)
    return ()


def look_at_temporary_folder(environ: Mapping[str, str]) -> Sequence[Check]:
    """Look for the folder that Python would take for temporary files."""
    name = "temporary directory"
    folders = [environ[variable] for variable in ("TMPDIR", "TEMP", "TMP") if environ.get(variable)]
    for folder in (*folders, "/tmp", "/var/tmp", "/usr/tmp", os.getcwd()):  # noqa: S108, PTH109 - Python's own list
        with suppress(OSError), tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"blat")
            return (passed(name, str(folder)),)
    return (failed(name, "none can be written to", Topic.NO_TEMPORARY_FOLDER),)


def roots_to_try(environ: Mapping[str, str], *, with_gpu: bool) -> tuple[CacheRoot, ...]:
    """Return the directories that a run will write to, or has written to before."""
    return tuple(
        root
        for root in cache_roots(environ)
        if root.kind is CacheKind.INDUCTOR or (with_gpu and root.kind is CacheKind.TRITON) or root.path.exists()
    )


def _troubles(root: CacheRoot, python: Python) -> Iterator[_Trouble]:
    yield from _in_the_way(root.path)
    folder = _nearest(root.path)
    try:
        with tempfile.NamedTemporaryFile(dir=folder, prefix="tracelens-") as file:
            file.write(b"\x7fELF" + b"\0" * 65536)
            file.flush()
            yield from _noexec(file.fileno(), folder)
    except OSError as error:
        yield _refusal(error, folder)
    yield from _foreign(root)
    if sys.platform == "win32":
        yield from too_long(str(root.path))
    yield from _lack_of_room(root, folder, python)


def too_long(path: str) -> Iterator[_Trouble]:
    """Tell of a directory in which Windows, as it is set up, refuses the names that torch makes."""
    if len(path) > _LONGEST_ON_WINDOWS:
        words = f"{len(path)} characters, and what torch makes below it is up to 150 longer; Windows refuses 260"
        yield _Trouble(topic=Topic.PATH_TOO_LONG, words=words)


def _nearest(path: Path) -> Path:
    """Return the folder that is there: the path itself, or the one in which it would be made."""
    return next((folder for folder in (path, *path.parents) if os.path.isdir(folder)), path)  # noqa: PTH112 - as above


def _in_the_way(path: Path) -> Iterator[_Trouble]:
    """Tell of what is there already and can hold no cache: a file, a pipe, a link that leads nowhere."""
    for place in (path, *path.parents):
        if os.path.isdir(place):  # noqa: PTH112 - says no, too, where nobody may look
            return
        if os.path.lexists(place):
            what = "a link that leads to no directory" if place.is_symlink() else "no directory"
            yield _Trouble(topic=Topic.CACHE_NO_FOLDER, words=f"{place} is {what}")
            return


def _refusal(error: OSError, folder: Path) -> _Trouble:
    words = f"{error.strerror or error} in {folder}"
    if error.errno == errno.EROFS:
        return _Trouble(topic=Topic.CACHE_READ_ONLY, words=words)
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return _Trouble(topic=Topic.CACHE_FULL, words=words)
    return _Trouble(topic=Topic.CACHE_NOT_OURS, words=f"{words}, owned by {_owner(folder)}")


def _noexec(descriptor: int, folder: Path) -> Iterator[_Trouble]:
    try:
        mmap.mmap(descriptor, 4096, prot=mmap.PROT_READ | mmap.PROT_EXEC, flags=mmap.MAP_PRIVATE).close()
    except PermissionError:
        yield _Trouble(topic=Topic.CACHE_NOEXEC, words=f"{folder} is mounted noexec")
    except (OSError, ValueError, AttributeError):
        return


def _foreign(root: CacheRoot) -> Iterator[_Trouble]:
    """Look for folders and files of a cache that others own: a lock is opened for writing even on a hit."""
    inner = [root.path, *(root.path / name for name in ("locks", "fxgraph", "aotautograd", "precompiled_headers"))]
    for folder in inner:
        if folder.is_dir() and not os.access(folder, os.W_OK | os.X_OK):
            yield _Trouble(
                topic=Topic.CACHE_NOT_OURS, words=f"{folder} cannot be written to, owned by {_owner(folder)}"
            )
    with suppress(OSError):
        for lock in sorted((root.path / "locks").glob("*.lock")):
            if not os.access(lock, os.W_OK):
                yield _Trouble(topic=Topic.CACHE_NOT_OURS, words=f"{lock} cannot be opened, owned by {_owner(lock)}")


def _lack_of_room(root: CacheRoot, folder: Path, python: Python) -> Iterator[_Trouble]:
    free = shutil.disk_usage(folder).free
    needed = _ROOM if _needs_header(root, python) else _ROOM_WITHOUT_HEADER
    if free < needed:
        words = f"{free / _MIB:.0f} MiB are free; one small model needs about {needed / _MIB:.0f} MiB"
        yield _Trouble(topic=Topic.CACHE_FULL, words=words)
    # Windows keeps no such count.
    status = os.statvfs(folder) if hasattr(os, "statvfs") else None
    if status and status.f_files and status.f_favail < _INODES:
        words = f"{status.f_favail} files can still be made; a model needs hundreds"
        yield _Trouble(topic=Topic.CACHE_FULL, words=words)


def _needs_header(root: CacheRoot, python: Python) -> bool:
    """Tell whether torch will yet put its precompiled header there, whatever TORCHINDUCTOR_CACHE_DIR says."""
    wanted = python.torch is not None and python.torch.asks_openssl
    switched_off = python.environ.get("TORCHINDUCTOR_CPP_CACHE_PRECOMPILE_HEADERS") == "0"
    here = root.path.parent == temporary_folder(python.environ)
    return wanted and here and not switched_off and not (root.path / "precompiled_headers").is_dir()


def _owner(path: Path) -> str:
    try:
        return path.owner()
    except (KeyError, OSError, NotImplementedError):
        with suppress(OSError):
            return f"user {path.stat().st_uid}"
    return "somebody else"


def _mounts() -> str:
    with suppress(OSError):
        return Path("/proc/mounts").read_text("utf-8", "surrogateescape")
    return ""
