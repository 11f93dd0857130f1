"""Where the compile caches of this user are, as torch and Triton would look.

Each root says which variable or default put it there, since that is what a
user has to change. Sources: torch/_inductor/runtime/cache_dir_utils.py,
torch/utils/cpp_extension.py, triton/runtime/cache.py, triton/knobs.py,
vllm/envs.py.
"""

from __future__ import annotations

import getpass
import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from tracelens.record import Record
from tracelens.typed import Enum


class CacheKind(Enum):
    """Whose cache a directory is."""

    INDUCTOR = "inductor"
    TRITON = "triton"
    EXTENSIONS = "torch_extensions"
    VLLM = "vllm"


class CacheRoot(Record):
    """One cache directory; ``setting`` is the variable that moves it.

    ``chosen_by`` is that variable when it is set, else "default".
    """

    kind: CacheKind
    path: Path
    setting: str
    chosen_by: str


def cache_roots(environ: Mapping[str, str] | None = None) -> tuple[CacheRoot, ...]:
    """Return the cache directories of a process with this environment.

    Directories that do not exist are returned as well: they are where the
    next run will write. ``None`` stands for the environment of this process.
    """
    environ = os.environ if environ is None else environ
    seen: set[tuple[CacheKind, Path]] = set()
    roots: list[CacheRoot] = []
    for root in _candidates(environ):
        key = (root.kind, root.path)
        if key not in seen:
            seen.add(key)
            roots.append(root)
    return tuple(roots)


def _candidates(environ: Mapping[str, str]) -> Iterator[CacheRoot]:
    home = Path(environ.get("HOME") or Path.home())
    user_cache = Path(environ.get("XDG_CACHE_HOME") or home / ".cache")
    default_inductor = temporary_folder(environ) / f"torchinductor_{user_folder_name(environ)}"
    yield _root(CacheKind.INDUCTOR, environ, "TORCHINDUCTOR_CACHE_DIR", default_inductor)
    # torch 2.13 keeps its precompiled headers under TMPDIR, whatever TORCHINDUCTOR_CACHE_DIR says.
    yield CacheRoot(kind=CacheKind.INDUCTOR, path=default_inductor, setting="TMPDIR", chosen_by="default")
    triton_home = Path(environ.get("TRITON_HOME") or home) / ".triton"
    yield _root(CacheKind.TRITON, environ, "TRITON_CACHE_DIR", triton_home / "cache")
    yield _root(CacheKind.EXTENSIONS, environ, "TORCH_EXTENSIONS_DIR", user_cache / "torch_extensions")
    vllm = Path(environ.get("VLLM_CACHE_ROOT") or user_cache / "vllm") / "torch_compile_cache"
    chosen_by = "VLLM_CACHE_ROOT" if environ.get("VLLM_CACHE_ROOT") else "default"
    yield CacheRoot(kind=CacheKind.VLLM, path=vllm, setting="VLLM_CACHE_ROOT", chosen_by=chosen_by)


def _root(kind: CacheKind, environ: Mapping[str, str], setting: str, default: Path) -> CacheRoot:
    value = environ.get(setting)
    if value:
        return CacheRoot(kind=kind, path=Path(value).absolute(), setting=setting, chosen_by=setting)
    return CacheRoot(kind=kind, path=default, setting=setting, chosen_by="default")


def temporary_folder(environ: Mapping[str, str]) -> Path:
    """Return what ``tempfile.gettempdir`` gives a process with this environment, or would if it could write there."""
    for name in ("TMPDIR", "TEMP", "TMP"):
        value = environ.get(name)
        if value and Path(value).is_dir():
            return Path(value).absolute()
    try:
        return Path(tempfile.gettempdir())
    except FileNotFoundError:
        return Path("/tmp")  # noqa: S108 - nothing is made there


def user_folder_name(environ: Mapping[str, str]) -> str:
    """Return the user name as torch writes it into ``torchinductor_<user>``."""
    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        if environ.get(name):
            return _sanitised(environ[name])
    try:
        return _sanitised(getpass.getuser())
    except (KeyError, OSError):
        # A container may run as a user that no passwd entry names.
        return str(os.getuid()) if hasattr(os, "getuid") else "unknown"


def _sanitised(name: str) -> str:
    return re.sub(r'[\\/:*?"<>|]', "_", name)
