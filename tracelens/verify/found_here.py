"""What fixes look for on a machine: compilers, headers, ninja, libcuda.

Looked for as the commands of the fixes would, in the same places and in the same
order, but without running them.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

_COMPILER_FOLDERS = ("/usr/bin", "/usr/local/bin", "/opt")
_LIBRARY_FOLDERS = (
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
    "/usr/local/cuda/compat",
    "/usr/lib/wsl/lib",
    "/usr/local/nvidia/lib64",
    "/lib/x86_64-linux-gnu",
)
_DEEPEST = 6


def on_path(name: str, environ: Mapping[str, str]) -> str | None:
    """Return where the PATH of an environment leads to, as ``command -v`` does."""
    return shutil.which(name, path=environ.get("PATH") or os.defpath)


def compiler_in_usual_folders(name: str) -> str | None:
    """Return the first ``name`` or ``name-12`` where compilers are installed."""
    wanted = re.compile(rf"{re.escape(name)}(?:-[0-9]+)?")
    found = (
        Path(folder, entry) for top in _COMPILER_FOLDERS for folder, entry in _walk(top) if wanted.fullmatch(entry)
    )
    return next((str(path) for path in found if os.access(path, os.X_OK)), None)


def headers_of(version: str, environ: Mapping[str, str]) -> str | None:
    """Return a folder with ``Python.h`` of this Python version, such as "3.11"."""
    bases = [Path(sys.base_prefix), Path("/usr"), Path("/usr/local"), Path(environ.get("HOME") or Path.home())]
    if conda := environ.get("CONDA_PREFIX"):
        bases.insert(0, Path(conda))
    folders = [place for base in bases for place in (base / "include" / f"python{version}", base / "include")]
    for folder in folders:
        header = folder / "patchlevel.h"
        if (folder / "Python.h").is_file() and header.is_file():
            found = re.search(r'PY_VERSION\s+"(\d+\.\d+)', header.read_text(encoding="utf-8", errors="replace"))
            if found and found[1] == version:
                return str(folder)
    return None


def ninja_here(python: str) -> str | None:
    """Return the ninja of this Python's own folder, or one that is installed."""
    beside = Path(python).parent / "ninja"
    candidates = (beside, *(Path(folder) / "ninja" for folder in ("/usr/bin", "/usr/local/bin", "/bin")))
    return next((str(path) for path in candidates if os.access(path, os.X_OK)), None)


def libcuda_folder() -> str | None:
    """Return the folder with the driver's ``libcuda.so.1``, which is no stub."""
    folders = (folder for folder in _LIBRARY_FOLDERS if Path(folder, "libcuda.so.1").exists())
    return next(folders, None)


def newer_ptxas() -> str | None:
    """Return the ptxas of an installed CUDA toolkit."""
    tops = sorted(Path("/usr/local").glob("cuda*"), reverse=True)
    found = (top / "bin" / "ptxas" for top in tops)
    return next((str(path) for path in found if os.access(path, os.X_OK)), None)


def _walk(top: str) -> Iterator[tuple[str, str]]:
    depth = top.count("/")
    for folder, folders, names in os.walk(top):
        if folder.count("/") - depth >= _DEEPEST:
            folders.clear()
        for name in sorted(names):
            yield folder, name
