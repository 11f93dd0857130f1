"""Where a run writes, in the place of where the user's program would.

Three ways, by what the failure is about. FRESH: everything is new and empty.
COPIED: the caches hold a copy of the user's, broken files and all. PLACED: each
place is a private folder on the very file system that the user's is on.
"""

from __future__ import annotations

import os
import shutil
import stat
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from tracelens.environment.roots import CacheKind, CacheRoot, cache_roots, temporary_folder, user_folder_name
from tracelens.errors import VerifyError
from tracelens.typed import Enum
from tracelens.verify.private import PrivateFolders

#: A cache that is larger is not copied for each run.
_LARGEST_COPY = 4 * 2**30
_FOLDERS = {
    CacheKind.INDUCTOR: "inductor",
    CacheKind.EXTENSIONS: "extensions",
    CacheKind.VLLM: "vllm/torch_compile_cache",
}
_VARIABLES = {
    CacheKind.INDUCTOR: "TORCHINDUCTOR_CACHE_DIR",
    CacheKind.TRITON: "TRITON_CACHE_DIR",
    CacheKind.EXTENSIONS: "TORCH_EXTENSIONS_DIR",
    CacheKind.VLLM: "VLLM_CACHE_ROOT",
}


class PlaceMode(Enum):
    """How private places are to those of the user."""

    FRESH = "fresh"
    COPIED = "copied"
    PLACED = "placed"


class Places:
    """The places of one run; ``environ`` is the user's, with a fix already in it."""

    def __init__(self, mode: PlaceMode, environ: Mapping[str, str], folders: PrivateFolders, folder: Path) -> None:
        """Make them; ``folder`` belongs to the run alone."""
        self._pairs: list[tuple[Path, Path]] = []
        self.variables: dict[str, str] = {}
        roots = _first_of_each_kind(cache_roots(environ))
        if mode is PlaceMode.PLACED:
            self._place(environ, roots, folders)
        else:
            self._make(folder, environ, roots, copied=mode is PlaceMode.COPIED)
        scratch = folder / "scratch"
        scratch.mkdir(exist_ok=True)
        for name in ("TORCH_COMPILE_DEBUG_DIR", "CUDA_CACHE_PATH", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
            self.variables.setdefault(name, str(scratch))

    def private(self, path: Path) -> Path | None:
        """Return what stands for a path of the user, or ``None`` where nothing of ours does."""
        if ".." in path.parts:
            return None  # it may come from a log, and would lead out of what is ours
        for real, ours in sorted(self._pairs, key=lambda pair: -len(pair[0].parts)):
            if path == real or real in path.parents:
                return ours / path.relative_to(real)
        return None

    def private_below(self, path: Path) -> list[Path]:
        """Return what stands for a folder of the user, and for the places of his that are in it."""
        ours = self.private(path)
        inside = [place for real, place in self._pairs if path in real.parents]
        return [*([] if ours is None else [ours]), *inside]

    def _make(self, folder: Path, environ: Mapping[str, str], roots: list[CacheRoot], *, copied: bool) -> None:
        home, temporary = folder / "home", folder / "tmp"
        home.mkdir()
        temporary.mkdir()
        self.variables |= {"HOME": str(home), "TMPDIR": str(temporary), "TRITON_HOME": str(home)}
        for root in roots:
            # Inductor keeps Triton's files below its own unless the user moved them, so that is left to it.
            is_moved = root.kind is not CacheKind.TRITON or root.chosen_by != "default"
            place = folder / _FOLDERS[root.kind] if root.kind in _FOLDERS else home / ".triton" / "cache"
            # Nothing of ours reads vLLM's cache, which is the largest.
            if copied and root.kind is not CacheKind.VLLM and root.path.is_dir():
                _copy(root.path, place)
            else:
                place.mkdir(parents=True)
            self._pairs.append((root.path, place))
            if is_moved:
                self.variables[_VARIABLES[root.kind]] = str(_named_by_variable(root.kind, place))
        self._pairs += [(Path(environ.get("HOME") or Path.home()), home), (temporary_folder(environ), temporary)]

    def _place(self, environ: Mapping[str, str], roots: list[CacheRoot], folders: PrivateFolders) -> None:
        home = Path(environ.get("HOME") or Path.home())
        named = {"HOME": home, "TMPDIR": Path(environ.get("TMPDIR") or temporary_folder(environ))}
        # Triton keeps its files in a folder of this name below TRITON_HOME, which may be a mount of its own.
        triton = Path(environ.get("TRITON_HOME") or home) / ".triton"
        named["TRITON_HOME"] = triton
        named |= {
            _VARIABLES[root.kind]: _named_by_variable(root.kind, _wished(root, environ))
            for root in roots
            if root.kind is not CacheKind.TRITON or root.chosen_by != "default"
        }
        for name, path in named.items():
            ours = folders.stand_in(path)
            if name in {"HOME", "TMPDIR"}:
                with suppress(OSError):
                    ours.mkdir(parents=True, exist_ok=True)
            self.variables[name] = str(ours)
            self._pairs.append((path, ours / ".triton" if name == "TRITON_HOME" else ours))


def _wished(root: CacheRoot, environ: Mapping[str, str]) -> Path:
    """Return where a cache will be once a TMPDIR that a fix names has been made."""
    if root.kind is CacheKind.INDUCTOR and root.chosen_by == "default" and environ.get("TMPDIR"):
        return Path(environ["TMPDIR"]) / f"torchinductor_{user_folder_name(environ)}"
    return root.path


def _named_by_variable(kind: CacheKind, path: Path) -> Path:
    """Return what the variable of a cache holds: vLLM's names the folder above."""
    return path.parent if kind is CacheKind.VLLM else path


def _first_of_each_kind(roots: tuple[CacheRoot, ...]) -> list[CacheRoot]:
    first: dict[CacheKind, CacheRoot] = {}
    for root in roots:
        first.setdefault(root.kind, root)
    return list(first.values())


def _copy(source: Path, target: Path) -> None:
    """Copy a cache as far as it can be read and is the user's own.

    Who writes through a link writes outside the copy, and a run executes what
    it finds in a cache: what others put there is left out.
    """
    size = sum(_size(os.path.join(folder, name)) for folder, _, names in os.walk(source) for name in names)  # noqa: PTH118 - one call for each of many files
    if size > _LARGEST_COPY:
        message = f"{source} holds {size >> 20} MiB, too much to copy for each run"
        raise VerifyError(message)
    with suppress(shutil.Error):  # files that went away or may not be read, each named in it
        shutil.copytree(source, target, ignore=_not_ours)
    # Triton writes into these where the files of an entry are; in a copy that has to be the copy.
    for group in target.rglob("__grp__*"):
        with suppress(OSError):
            group.write_bytes(group.read_bytes().replace(os.fsencode(source), os.fsencode(target)))


def _not_ours(folder: str, names: list[str]) -> list[str]:
    return [name for name in names if not _is_ours(os.path.join(folder, name))]  # noqa: PTH118 - as above


def _is_ours(path: str) -> bool:
    try:
        status = os.lstat(path)
    except OSError:
        return False
    return not stat.S_ISLNK(status.st_mode) and status.st_uid == _user() and not status.st_mode & stat.S_IWOTH


def _user() -> int:
    return os.geteuid() if sys.platform != "win32" else 0


def _size(path: str) -> int:
    try:
        return os.lstat(path).st_size
    except OSError:
        return 0
