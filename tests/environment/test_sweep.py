"""Cleaning deletes what is broken, and nothing that is whole, in use or elsewhere."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace

import pytest

from tests.environment.conftest import a_root
from tracelens.environment.caches import check_caches
from tracelens.environment.holders import Holders, current_holders
from tracelens.environment.roots import CacheKind
from tracelens.environment.sweep import plan_all, plan_broken, sweep

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="holders are known on Linux only")

NOBODY = Holders(by_file={}, complete=True)


def cleaned(roots, *, everything=False) -> dict[str, str | None]:
    reports = check_caches(roots, current_holders())
    removals = plan_all(reports) if everything else plan_broken(reports)
    return {done.removal.path.name: done.refused for done in sweep(removals, current_holders())}


def files_below(path) -> set[str]:
    return {name for _, _, names in os.walk(path) for name in names}


def test_only_the_broken_file_goes(inductor) -> None:
    (inductor.path / "ab" / "cab.so").write_bytes(b"")
    before = files_below(inductor.path)
    assert cleaned([inductor]) == {"cab.so": None}
    assert files_below(inductor.path) == before - {"cab.so"}


def test_all_files_of_a_broken_kernel_go_together(triton) -> None:
    (triton.path / "KERNELHASH" / "add.json").write_text('{"num_wa')
    assert set(cleaned([triton])) == {"add.cubin", "add.json", "add.ptx", "__grp__add.json"}
    assert files_below(triton.path) == set()


def test_a_whole_cache_is_left_alone(inductor, triton) -> None:
    assert cleaned([inductor, triton]) == {}


HOLDS = """
import sys, time, fcntl, mmap
how, path = sys.argv[1:]
file = open(path, "rb")
if how == "flock":
    fcntl.flock(file, fcntl.LOCK_EX)
elif how == "map":
    kept = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    file.close()
print("ready", flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize("how", ["flock", "map", "open"])
def test_what_a_live_process_uses_is_kept(triton, how) -> None:
    path = triton.path / "KERNELHASH" / "add.json"
    path.write_text('{"num_wa')
    with subprocess.Popen([sys.executable, "-c", HOLDS, how, str(path)], stdout=subprocess.PIPE) as holder:
        try:
            assert holder.stdout is not None
            assert holder.stdout.readline() == b"ready\n"
            refused = cleaned([triton])["add.json"]
        finally:
            holder.kill()
    assert refused is not None
    assert f"pid {holder.pid}" in refused
    assert path.exists()


def test_a_dead_baton_goes_and_a_held_one_stays(tmp_path) -> None:
    root = a_root(CacheKind.EXTENSIONS, tmp_path / "torch_extensions")
    baton = root.path / "py311_cpu" / "rms" / "lock"
    baton.parent.mkdir(parents=True)
    baton.touch()
    with subprocess.Popen([sys.executable, "-c", HOLDS, "open", str(baton)], stdout=subprocess.PIPE) as holder:
        try:
            assert holder.stdout is not None
            holder.stdout.readline()
            (report,) = check_caches([root], current_holders())
        finally:
            holder.kill()
    assert report.is_healthy
    assert report.locks[0].holder is not None
    assert report.locks[0].holder.pid == holder.pid
    assert cleaned([root]) == {"lock": None}
    assert not baton.exists()


def test_a_lock_of_inductor_left_behind_is_harmless(inductor) -> None:
    (report,) = check_caches([inductor], NOBODY)
    assert report.is_healthy
    assert (inductor.path / "locks" / "cab.lock").exists()


def test_cleaning_everything_stays_within_the_root(inductor, tmp_path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "precious").write_text("mine")
    (inductor.path / "link").symlink_to(outside)
    (inductor.path / "ab" / "file").symlink_to(outside / "precious")
    cleaned([inductor], everything=True)
    assert (outside / "precious").read_text() == "mine"
    assert files_below(inductor.path) == {"file"}


def test_a_root_that_is_a_link_is_not_entered(inductor, tmp_path) -> None:
    link = tmp_path / "link"
    link.symlink_to(inductor.path)
    (inductor.path / "ab" / "cab.so").write_bytes(b"")
    root = a_root(CacheKind.INDUCTOR, link)
    (report,) = check_caches([root], NOBODY)
    assert report.entries == 0
    assert "not followed" in report.unreadable[0]
    assert cleaned([root], everything=True) == {}
    assert (inductor.path / "ab" / "cab.so").exists()


def test_a_folder_swapped_for_a_link_between_look_and_deletion_is_safe(inductor, tmp_path) -> None:
    (inductor.path / "ab" / "cab.so").write_bytes(b"")
    removals = plan_broken(check_caches([inductor], NOBODY))
    outside = tmp_path / "outside"
    (inductor.path / "ab").rename(outside)
    (inductor.path / "ab").symlink_to(outside)
    (done,) = sweep(removals, NOBODY)
    assert done.refused is not None
    assert (outside / "cab.so").exists()


def test_a_file_replaced_between_look_and_deletion_is_kept(inductor) -> None:
    path = inductor.path / "ab" / "cab.so"
    path.write_bytes(b"")
    removals = plan_broken(check_caches([inductor], NOBODY))
    other = path.with_name("new")
    other.write_bytes(b"rebuilt")
    other.replace(path)
    (done,) = sweep([replace(removals[0])], NOBODY)
    assert done.refused == "changed meanwhile"
    assert path.read_bytes() == b"rebuilt"
