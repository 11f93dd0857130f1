"""Debug folders that a log names, followed with care: a log is anyone's text.

A path is looked at only where it is plainly one of torch's own, has a debug
folder of a run in it, and leads there without any link. Only regular files
of a known name and of a modest size are read, and never run or unpickled.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Sequence
from functools import partial

from tracelens.errors import InputError
from tracelens.source import Input
from tracelens.source.bytesources import ByteSource, FileSource

_MAX_PATHS = 64
_MAX_FILES = 256
_MAX_ENTRIES = 2000
_MAX_BYTES = 64 << 20
_RUN = re.compile(
    r"(?P<root>.{0,1000}[/\\]torch_compile_debug[/\\]run_\d{4}(?:_\d\d){5}_\d{1,6}-pid_\d{1,9})(?:[/\\].*)?"
)
#: What a debug folder of a run holds that is read.
_NAMES = frozenset({
    "minifier_launcher.py", "repro.py", "fx_graph_runnable.py", "output_code.py", "ir_pre_fusion.txt",
    "ir_post_fusion.txt",
})  # fmt: skip
_PLAIN_OPEN = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def find_named(paths: Sequence[str], known: set[str]) -> Iterator[Input]:
    """Yield the artifacts in the debug folders that these paths are in; ``known`` are read anyway."""
    roots: dict[str, None] = {}
    for path in paths[:_MAX_PATHS]:
        root = _root_of(path)
        if root is not None:
            roots[root] = None
    found = 0
    for root in roots:
        for path, size in _files_below(root):
            if path in known:
                continue
            found += 1
            if found > _MAX_FILES:
                return
            yield Input(name=path, size=size, opener=partial(_open, path), max_size=_MAX_BYTES)


def _root_of(path: str) -> str | None:
    """Return the folder of the run that a path is in, if nothing about it is odd."""
    match = _RUN.fullmatch(path)
    if match is None or "\0" in path or ".." in re.split(r"[/\\]", path):
        return None
    root = os.path.abspath(match["root"])  # noqa: PTH100  # that of pathlib follows links
    try:
        # A link anywhere on the way leads to a place that the log does not name.
        plain = os.path.realpath(root) == root and stat.S_ISDIR(os.lstat(root).st_mode)
    except (OSError, ValueError):
        return None
    return root if plain else None


def _files_below(root: str) -> Iterator[tuple[str, int]]:
    seen = 0
    for folder, subfolders, names in os.walk(root, followlinks=False):
        subfolders.sort()
        for name in sorted(names):
            seen += 1
            if seen > _MAX_ENTRIES:
                return
            path = f"{folder}{os.sep}{name}"
            try:
                status = os.lstat(path)
            except OSError:
                continue
            if name in _NAMES and stat.S_ISREG(status.st_mode) and status.st_size <= _MAX_BYTES:
                yield path, status.st_size


def _open(path: str) -> ByteSource:
    """Open a file that is still what it was when it was found."""
    descriptor = os.open(path, _PLAIN_OPEN)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise InputError(path, "no longer a regular file")
    return FileSource(os.fdopen(descriptor, "rb", buffering=0))
