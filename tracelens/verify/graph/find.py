"""Finds the texts of graphs: in a log, in what TORCH_TRACE wrote, in debug folders, in files by name."""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path, PurePath

from tracelens.artifacts import find_named
from tracelens.artifacts.kinds import ArtifactKind, kind_of
from tracelens.errors import InputError
from tracelens.record import replace
from tracelens.source import Input
from tracelens.verify.graph.found import FoundGraph
from tracelens.verify.graph.printed import find_printed
from tracelens.verify.graph.scripts import find_script
from tracelens.verify.graph.standalone.limits import MAX_TEXT_BYTES
from tracelens.verify.graph.trace import find_traced

#: A trace of a long run holds thousands of graphs; more than this is not searched.
_MAX_FILE_BYTES = 512 << 20
_MAX_FILES = 2_000
#: Paths in a log.
_MAX_NAMED = 64
_LONGEST_WITH_PATH = 4_000
_FOLDER = re.compile(r"(/[^\s'\"]{1,1000}/torch_compile_debug/run_[^\s'\"]{1,1000})")
#: Of one trace.
_MAX_GRAPHS = 1_000
#: Enough to know a trace by.
_HEAD = 4096
_NAMES = frozenset(
    {"fx_graph_runnable.py", "fx_graph_readable.py", "fx_graph_transformed.py", "minifier_launcher.py", "repro.py"}
)


def find_graphs(
    log_lines: Iterable[str] = (), paths: Iterable[str | os.PathLike[str]] = (), *, log_name: str = "log"
) -> tuple[FoundGraph, ...]:
    """Find all graphs, in the order of the log and then of the paths.

    ``paths`` are traces, scripts, and folders with either, searched in order of name;
    a path that cannot be read is passed over. Links are not followed. Nothing is
    executed, and no file but those of torch's own names is opened in a folder. Debug
    folders that the log names are searched last, with the care that a stranger's log
    asks for.
    """
    named: list[str] = []
    found = list(find_printed(_noting_folders(log_lines, named), log_name))
    files = [file for path in paths for file in _files(Path(path))]
    for file in files:
        found += _find_in_file(file)
    for item in find_named(named, {str(file) for file in files}):
        if PurePath(item.name).name in _NAMES:
            found += find_script(_text_of(item), Path(item.name))
    return tuple(replace(graph, position=position) for position, graph in enumerate(found))


def _noting_folders(lines: Iterable[str], named: list[str]) -> Iterator[str]:
    """Pass the lines on, and add the paths of debug folders that are in them to ``named``."""
    for line in lines:
        if "torch_compile_debug" in line and len(named) < _MAX_NAMED:
            named += [path.rstrip(".,:;)") for path in _FOLDER.findall(line[:_LONGEST_WITH_PATH])]
        yield line


def _text_of(item: Input) -> str:
    content = bytearray(MAX_TEXT_BYTES + 1)
    size = 0
    try:
        feed = item.open()
        with closing(feed), memoryview(content) as view:
            while count := feed.readinto(view[size:]):
                size += count
    except (InputError, OSError):
        return ""
    return content[:size].decode("utf-8", "replace")


def _files(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
        return
    count = 0
    for folder, folders, names in os.walk(path):
        folders.sort()
        for name in sorted(names):
            if name not in _NAMES and not name.startswith("dedicated_log_torch_trace"):
                continue
            file = Path(folder, name)
            if file.is_symlink():
                continue
            count += 1
            if count > _MAX_FILES:
                return
            yield file


def _find_in_file(file: Path) -> Iterator[FoundGraph]:
    try:
        if file.stat().st_size > _MAX_FILE_BYTES:
            return
        with file.open("rb", buffering=0) as content:
            head = content.read(_HEAD)
            content.seek(0)
            if kind_of(file.name, head) is ArtifactKind.TRACE:
                # The last ones: what failed was compiled last.
                yield from deque(find_traced(content, str(file)), maxlen=_MAX_GRAPHS)
            else:
                text = (content.read(MAX_TEXT_BYTES + 1) or b"").decode("utf-8", "replace")
                yield from find_script(text, file)
    except OSError:
        return
