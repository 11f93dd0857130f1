"""Caches as torch and Triton lay them out, with files that real tools made."""

from __future__ import annotations

import pickle
import shutil
import subprocess
from pathlib import Path

import pytest

from tracelens.environment.roots import CacheKind, CacheRoot


def a_root(kind: CacheKind, path: Path) -> CacheRoot:
    return CacheRoot(kind=kind, path=path, setting="--root", chosen_by="--root")


@pytest.fixture(scope="session")
def shared_object(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a real shared object, built by the real compiler."""
    compiler = shutil.which("g++") or shutil.which("c++")
    if compiler is None:
        pytest.skip("no C++ compiler on this machine")
    folder = tmp_path_factory.mktemp("elf")
    source = folder / "kernel.cpp"
    source.write_text('extern "C" void kernel(float* x) { for (int i = 0; i < 64; ++i) x[i] += 1; }\n')
    target = folder / "kernel.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-g1", "-O2", str(source), "-o", str(target)], check=True)
    return target


@pytest.fixture
def inductor(tmp_path, shared_object) -> CacheRoot:
    """Return a whole Inductor cache."""
    root = tmp_path / "torchinductor_me"
    (root / "ab").mkdir(parents=True)
    (root / "ab" / "cab.py").write_text("def call(args):\n    return '''(((''' + str(args)\n")
    shutil.copy(shared_object, root / "ab" / "cab.so")
    (root / "ab" / "cab.best_config").write_text('{"XBLOCK": 64}')
    key = root / "fxgraph" / "xy" / "fkey"
    key.mkdir(parents=True)
    (key / "digest").write_bytes(pickle.dumps({"source": "x" * 100_000, "n": list(range(1000))}))
    (root / "locks").mkdir()
    (root / "locks" / "cab.lock").touch()
    return a_root(CacheKind.INDUCTOR, root)


@pytest.fixture
def triton(tmp_path, shared_object) -> CacheRoot:
    """Return a whole Triton cache with one kernel."""
    folder = tmp_path / "triton" / "KERNELHASH"
    folder.mkdir(parents=True)
    shutil.copy(shared_object, folder / "add.cubin")
    (folder / "add.json").write_text('{"num_warps": 4}')
    (folder / "add.ptx").write_text(".version 8.4\n")
    members = ", ".join(f'"{name}": "{folder / name}"' for name in ("add.cubin", "add.json", "add.ptx"))
    (folder / "__grp__add.json").write_text(f'{{"child_paths": {{{members}}}}}')
    return a_root(CacheKind.TRITON, tmp_path / "triton")
