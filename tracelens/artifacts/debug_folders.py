"""Folders of ``torch_compile_debug``: which graphs Inductor began and did not finish."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import PurePath

_BEGUN = frozenset({"ir_pre_fusion.txt", "ir_post_fusion.txt"})
_MAX_FOLDERS = 10_000


class DebugFolders:
    """Takes the names of files, and tells of folders that lack the last one."""

    def __init__(self) -> None:
        """Know no folder."""
        self._files: dict[PurePath, dict[str, str]] = {}

    def add(self, name: str) -> None:
        """Take the path of a file."""
        path = PurePath(name)
        if "torchinductor" in path.parts and len(self._files) < _MAX_FOLDERS:
            self._files.setdefault(path.parent, {})[path.name] = name

    def unfinished(self) -> Iterator[tuple[str, str]]:
        """Yield the script of each graph that has no generated code, and what to say of it."""
        for folder, files in self._files.items():
            if _BEGUN & files.keys() and "output_code.py" not in files:
                script = files.get("fx_graph_runnable.py") or next(iter(_of(files, _BEGUN)))
                yield script, f"Inductor began the graph {folder.name} and wrote no output_code.py for it."


def _of(files: dict[str, str], names: Iterable[str]) -> Iterator[str]:
    return (files[name] for name in names if name in files)
