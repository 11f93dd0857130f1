"""The files of a compile cache, and what proves that one of them is broken.

Only proof counts: an entry that merely looks odd is left alone. Nothing is
loaded, unpickled or executed, and no symbolic link is followed.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Iterator
from io import BufferedReader
from pathlib import Path

from tracelens.environment.elf import elf_problem
from tracelens.environment.pickles import pickle_problem
from tracelens.environment.roots import CacheKind, CacheRoot
from tracelens.record import Record

_ELF_SUFFIXES = frozenset({".so", ".pyd", ".cubin", ".hsaco", ".o"})
_JSON_SUFFIXES = frozenset({".json", ".best_config"})
#: Folders of Inductor's cache whose files are pickles.
_PICKLE_FOLDERS = frozenset({"fxgraph", "aotautograd"})
_GROUP_PREFIX = "__grp__"
#: A larger source or data file is only checked for being empty or zeroed.
_MAX_PARSED = 32 * 2**20
#: A graph with its constants may be large; it is read whole, but only walked frame by frame.
_MAX_PICKLE = 256 * 2**20


class CacheEntry(Record):
    """One file of a cache; ``problem`` is the proof that it is broken.

    ``size`` is in bytes; ``device`` and ``inode`` tell whether a later look
    at ``path`` still means the same file.
    """

    path: Path
    kind: CacheKind
    size: int
    owner: int
    device: int
    inode: int
    problem: str | None


def walk_entries(root: CacheRoot, on_error: Callable[[OSError], None]) -> Iterator[CacheEntry]:
    """Check every regular file below a root, folder by folder, names sorted.

    What cannot be read is told to ``on_error`` and passed over.
    """
    pending = [root.path]
    while pending:
        folder = pending.pop()
        try:
            with os.scandir(folder) as listing:
                items = sorted(listing, key=lambda item: item.name)
        except OSError as error:
            on_error(error)
            continue
        names = frozenset(item.name for item in items)
        for item in items:
            try:
                is_folder, is_file = item.is_dir(follow_symlinks=False), item.is_file(follow_symlinks=False)
                entry = _check(root, item, names) if is_file else None
            except OSError as error:
                on_error(error)
                continue
            if is_folder:
                pending.append(Path(item.path))
            if entry is not None:
                yield entry


def _check(root: CacheRoot, item: os.DirEntry[str], siblings: frozenset[str]) -> CacheEntry:
    status = item.stat(follow_symlinks=False)
    return CacheEntry(
        path=Path(item.path),
        kind=root.kind,
        size=status.st_size,
        owner=status.st_uid,
        device=status.st_dev,
        inode=status.st_ino,
        problem=_problem(root, item.path, status.st_size, siblings),
    )


def _problem(root: CacheRoot, path: str, size: int, siblings: frozenset[str]) -> str | None:
    name = os.path.basename(path)  # noqa: PTH119 - once for each of many thousand files
    suffix = name[name.rfind(".") :] if "." in name else ""
    if suffix in _ELF_SUFFIXES:
        with _open(path) as file:
            return elf_problem(file, size)
    if suffix in _JSON_SUFFIXES:
        return _json_problem(path, size, siblings, is_group=name.startswith(_GROUP_PREFIX))
    if suffix == ".py":
        return _source_problem(path, size)
    if root.kind is CacheKind.INDUCTOR and not suffix and _is_pickle(root, path):
        return pickle_problem(_read(path)) if size <= _MAX_PICKLE else None
    if size == 0 and suffix in {".cpp", ".ptx", ".ttir", ".ttgir", ".llir", ".gch"}:
        return "empty"
    return None


def _is_pickle(root: CacheRoot, path: str) -> bool:
    parts = Path(path).relative_to(root.path).parts
    return parts[0] in _PICKLE_FOLDERS and len(parts) > 2


def _json_problem(path: str, size: int, siblings: frozenset[str], *, is_group: bool) -> str | None:
    if size == 0:
        return "empty"
    if size > _MAX_PARSED:
        return None
    data = _read(path)
    if not data.strip(b"\0"):
        return "zeroed"
    try:
        content = json.loads(data)
    except (ValueError, RecursionError) as error:
        return f"does not parse as JSON: {str(error)[:80]}"
    if is_group and isinstance(content, dict) and isinstance(content.get("child_paths"), dict):
        return _group_problem(content["child_paths"], siblings)
    return None


def _group_problem(members: dict[object, object], siblings: frozenset[str]) -> str | None:
    """Triton lists the files of a kernel in a group file, by absolute path."""
    missing = sorted(str(name) for name in members if str(name) not in siblings)
    return f"names {missing[0]}, which is missing" if missing else None


def _source_problem(path: str, size: int) -> str | None:
    if size == 0:
        return "empty"
    data = _read(path) if size <= _MAX_PARSED else b""
    if b"\0" in data:
        return "holds NUL bytes" if data.strip(b"\0") else "zeroed"
    return None if _looks_balanced(data) else _syntax_problem(data, path)


def _syntax_problem(data: bytes, path: str) -> str | None:
    try:
        compile(data, path, "exec", dont_inherit=True)
    except SyntaxError as error:
        return f"does not compile as Python: {error.msg}, line {error.lineno}"
    except (ValueError, RecursionError, MemoryError) as error:
        return f"does not compile as Python: {type(error).__name__}"
    return None


def _looks_balanced(data: bytes) -> bool:
    """Tell at a glance what needs no compile: a cut file is hardly ever balanced."""
    quotes = data.count(b"'''") % 2 == 0 and data.count(b'"""') % 2 == 0
    brackets = all(data.count(left) == data.count(right) for left, right in ((b"(", b")"), (b"[", b"]"), (b"{", b"}")))
    return quotes and brackets


def _open(path: str) -> BufferedReader:
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(0, "no longer a regular file", path)
    return os.fdopen(descriptor, "rb")


def _read(path: str) -> bytes:
    with _open(path) as file:
        return bytes(file.read())
