"""The caches are where torch and Triton of this environment would put them."""

from __future__ import annotations

from pathlib import Path

from tracelens.environment.locks import is_on_network
from tracelens.environment.roots import CacheKind, cache_roots


def by_kind(environ: dict[str, str]) -> dict[CacheKind, list[Path]]:
    found: dict[CacheKind, list[Path]] = {}
    for root in cache_roots(environ):
        found.setdefault(root.kind, []).append(root.path)
    return found


def test_defaults(tmp_path) -> None:
    roots = by_kind({"HOME": "/home/ada", "USER": "ada", "TMPDIR": str(tmp_path)})
    assert roots == {
        CacheKind.INDUCTOR: [tmp_path / "torchinductor_ada"],
        CacheKind.TRITON: [Path("/home/ada/.triton/cache")],
        CacheKind.EXTENSIONS: [Path("/home/ada/.cache/torch_extensions")],
        CacheKind.VLLM: [Path("/home/ada/.cache/vllm/torch_compile_cache")],
    }


def test_settings_move_the_caches_but_not_the_precompiled_headers(tmp_path) -> None:
    roots = by_kind(
        {
            "HOME": "/home/ada",
            "LOGNAME": "ada",
            "TMPDIR": str(tmp_path),
            "TORCHINDUCTOR_CACHE_DIR": "/scratch/inductor",
            "TRITON_CACHE_DIR": "/scratch/triton",
            "TORCH_EXTENSIONS_DIR": "/scratch/ext",
            "VLLM_CACHE_ROOT": "/scratch/vllm",
        }
    )
    assert roots[CacheKind.INDUCTOR] == [Path("/scratch/inductor"), tmp_path / "torchinductor_ada"]
    assert roots[CacheKind.TRITON] == [Path("/scratch/triton")]
    assert roots[CacheKind.EXTENSIONS] == [Path("/scratch/ext")]
    assert roots[CacheKind.VLLM] == [Path("/scratch/vllm/torch_compile_cache")]


def test_triton_home_moves_the_folder_above(tmp_path) -> None:
    roots = by_kind({"HOME": "/h", "USER": "a", "TMPDIR": str(tmp_path), "TRITON_HOME": "/t"})
    assert roots[CacheKind.TRITON] == [Path("/t/.triton/cache")]


def test_inductor_agrees_with_the_installed_torch(tmp_path) -> None:
    import subprocess
    import sys

    script = "from torch._inductor.runtime.cache_dir_utils import default_cache_dir; print(default_cache_dir())"
    environ = {"PATH": "/usr/bin:/bin", "HOME": "/home/ada", "USER": "a/da", "LOGNAME": "a/da", "TMPDIR": str(tmp_path)}
    told = subprocess.run([sys.executable, "-c", script], env=environ, capture_output=True, text=True, check=False)
    if "ModuleNotFoundError" in told.stderr:
        import pytest

        pytest.skip("torch is not installed")
    assert Path(told.stdout.strip()) == by_kind(environ)[CacheKind.INDUCTOR][0]


def test_network_file_systems_are_told_from_local_ones(tmp_path) -> None:
    mounts = "/dev/vda / ext4 rw 0 0\nserver:/home /nfs nfs4 rw 0 0\nserver:/x /nfs/with\\040blank nfs4 rw 0 0\n"
    assert is_on_network(Path("/nfs/ada/.triton"), mounts)
    assert is_on_network(Path("/nfs/with blank/x"), mounts)
    assert not is_on_network(Path("/nfsx"), mounts)
    assert not is_on_network(tmp_path, mounts)
