"""``tracelens cache`` as a user types it."""

from __future__ import annotations

import json
import subprocess
import sys


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tracelens", "cache", *arguments], capture_output=True, text=True, check=False
    )


def test_check_names_what_is_broken_and_clean_removes_it(inductor) -> None:
    root = f"--root=inductor={inductor.path}"
    assert run("check", root).returncode == 0
    (inductor.path / "ab" / "cab.so").write_bytes(b"")
    checked = run("check", root)
    assert checked.returncode == 1
    assert "ab/cab.so: empty" in checked.stdout
    listed = run("clean", root)
    assert listed.returncode == 1
    assert "would delete" in listed.stdout
    assert (inductor.path / "ab" / "cab.so").exists()
    done = run("clean", "--yes", root)
    assert done.returncode == 0
    assert "1 files deleted" in done.stdout
    assert not (inductor.path / "ab" / "cab.so").exists()
    assert run("check", root).returncode == 0


def test_json_says_the_same(triton) -> None:
    root = f"--root=triton={triton.path}"
    (triton.path / "KERNELHASH" / "add.json").write_text("{")
    (cache,) = json.loads(run("check", "--json", root).stdout)["caches"]
    assert cache["files"] == 4
    assert cache["broken"][0]["path"].endswith("add.json")
    assert len(json.loads(run("clean", "--json", root).stdout)["would_remove"]) == 4
    answer = json.loads(run("clean", "--json", "--yes", root).stdout)
    assert answer["freed_bytes"] > 0
    assert all(removed["refused"] is None for removed in answer["removed"])


def test_hostile_names_stay_dead(inductor) -> None:
    (inductor.path / "ab" / "\x1b[31m##[error].so").touch()
    text = run("check", f"--root=inductor={inductor.path}").stdout
    assert "\x1b" not in text
    assert "##[" not in text


def test_paths_prints_lines_for_a_shell() -> None:
    text = run("paths", "--per-rank").stdout
    assert "export TRITON_CACHE_DIR=" in text
    assert "rank_${LOCAL_RANK:-0}" in text


def test_a_bad_root_is_a_usage_error() -> None:
    done = run("check", "--root=elsewhere=/x")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
