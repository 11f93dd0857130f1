"""A cache directory may hold other things as well: those are neither broken nor deleted."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.command import run_tracelens
from tests.environment.conftest import a_root
from tracelens.environment.belongings import own_files_of
from tracelens.environment.roots import CacheKind

_HASH = "c" + "ab2z" * 12 + "xyz"


def _projects(folder: Path) -> list[Path]:
    """Make what people keep in a home, each empty: a cache entry that is empty would be broken."""
    names = (
        "pkg/__init__.py",
        "io/__init__.py",
        "notes.json",
        "triton/python/setup.py",
        "src/fxgraph/x.py",
        ".venv/a.so",
    )
    files = [folder / name for name in names]
    for file in files:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    return files


@pytest.mark.parametrize("everything", [(), ("--all",)])
@pytest.mark.parametrize("kind", CacheKind)
def test_nothing_of_a_home_is_deleted(kind, everything, tmp_path):
    files = _projects(tmp_path)
    env = {**os.environ, "HOME": str(tmp_path)}
    run = run_tracelens("cache", "clean", "--yes", *everything, "--root", f"{kind.value}={tmp_path}", env=env)
    assert run.code == 0, run.errors
    assert all(file.exists() for file in files)
    assert run_tracelens("cache", "check", "--root", f"{kind.value}={tmp_path}", env=env).code == 0


@pytest.mark.parametrize("everything", [(), ("--all",)])
def test_the_cache_in_a_home_is_found_all_the_same(everything, tmp_path):
    files = _projects(tmp_path)
    broken = [tmp_path / "ab" / f"{_HASH}.main.so", tmp_path / "fxgraph" / "ab" / "fkey" / "digest"]
    for file in broken:
        file.parent.mkdir(parents=True)
        file.touch()
    env = {**os.environ, "HOME": str(tmp_path)}
    run = run_tracelens("cache", "clean", "--yes", *everything, "--root", f"inductor={tmp_path}", env=env)
    assert run.code == 0, run.errors
    assert not any(file.exists() for file in broken)
    assert all(file.exists() for file in files)


def test_what_lies_beside_a_cache_stays(inductor):
    beside = inductor.path / "my-data" / "precious.json"
    beside.parent.mkdir()
    beside.touch()
    run = run_tracelens("cache", "clean", "--yes", "--all", "--root", f"inductor={inductor.path}")
    assert run.code == 0, run.errors
    assert [path for path in inductor.path.rglob("*") if path.is_file()] == [beside]


def test_caches_of_ranks_are_known_below_their_folder(tmp_path):
    is_own = own_files_of(a_root(CacheKind.INDUCTOR, tmp_path))
    assert is_own(tmp_path / "rank_0" / "ab" / f"{_HASH}.py")
    assert not is_own(tmp_path / "rank_0" / "ab" / "mine.py")


@pytest.mark.parametrize("place", ["py311_cu121/gelu/gelu.so", "gelu/gelu.so", "other/lock"])
def test_extensions_are_known_by_what_ninja_needs(place, tmp_path):
    (tmp_path / "gelu").mkdir()
    (tmp_path / "gelu" / "build.ninja").touch()
    assert own_files_of(a_root(CacheKind.EXTENSIONS, tmp_path))(tmp_path / place)
    assert not own_files_of(a_root(CacheKind.EXTENSIONS, tmp_path))(tmp_path / "other" / "x.so")
