"""Which files below a cache directory are the cache's own.

A variable may name a directory that holds other things as well, such as a
home: an empty ``__init__.py`` there is neither broken nor to be deleted.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from tracelens.environment.roots import CacheKind, CacheRoot

#: Places that nothing but a cache has, at any depth: for directories that others use, too.
_UNMISTAKABLE = {
    CacheKind.INDUCTOR: r"(?:^|/)(?:[a-z2-7]{2}/c[a-z2-7]{50,}[^/]*|(?:fxgraph|aotautograd)/[a-z2-7]{2}/.+"
    r"|precompiled_headers/.+|locks/[^/]+\.lock|triton/\d+/[A-Z2-7]{52}/.+)$",
    CacheKind.TRITON: r"(?:^|/)(?:[A-Z2-7]{52}|[0-9a-f]{64})/.+$",
    CacheKind.EXTENSIONS: r"(?:^|/)py\d+_(?:cpu|cu\d+|rocm[^/]*|xpu[^/]*)/.+$",
    CacheKind.VLLM: r"(?:^|/)torch_(?:compile_cache|aot_compile)/.+$|^[0-9a-f]{10,64}/.+$",
}
#: What stands right below a directory that is the cache's alone.
_USUAL = {
    CacheKind.INDUCTOR: r"(?:[a-z2-7]{2}|fxgraph|aotautograd|precompiled_headers|locks|triton|dynamo|cache|gcc"
    r"|torch_cutlass|unhashed_kernel_inputs|aten)/",
    CacheKind.TRITON: r"(?:[A-Z2-7]{10,64}|[0-9a-f]{32,64})/",
    CacheKind.VLLM: r"(?:[0-9a-f]{8,64}|torch_aot_compile)/",
}


def own_files_of(root: CacheRoot) -> Callable[[Path], bool]:
    """Return what tells of a file below ``root`` whether the cache made it."""
    unmistakable = re.compile(_UNMISTAKABLE[root.kind])
    usual = None if _is_of_others_too(root.path) else re.compile(_USUAL.get(root.kind, "(?!)"))

    def is_own(path: Path) -> bool:
        inner = path.relative_to(root.path)
        place = inner.as_posix()
        if unmistakable.search(place) or (usual is not None and usual.match(place)):
            return True
        # TORCH_EXTENSIONS_DIR holds a folder for each extension, whatever its name.
        is_extension = root.kind is CacheKind.EXTENSIONS and usual is not None and len(inner.parts) > 1
        return is_extension and (inner.name == "lock" or (root.path / inner.parts[0] / "build.ninja").is_file())

    return is_own


def _is_of_others_too(path: Path) -> bool:
    """Tell whether a home, the working directory or one for temporary files is that directory, or lies in it."""
    crowded = ["/tmp", "/var/tmp", tempfile.gettempdir(), os.path.expanduser("~")]  # noqa: PTH111, S108 - nothing is made there
    with suppress(OSError):
        crowded.append(os.getcwd())  # noqa: PTH109 - as the others
    root = os.path.realpath(path)
    return any(os.path.commonpath([root, os.path.realpath(place)]) == root for place in crowded)
