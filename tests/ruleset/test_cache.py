from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from tracelens.private_cache import cache_folder, read_private
from tracelens.ruleset.cache import write_cached

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="owners and modes are POSIX")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "tracelens"


def test_what_was_written_is_read_again_and_only_we_may_read_it(cache):
    write_cached("rules-1.json", b"\xe9", prefix="rules-")
    assert read_private("rules-1.json") == b"\xe9"
    assert stat.S_IMODE(cache.stat().st_mode) == 0o700
    assert stat.S_IMODE((cache / "rules-1.json").stat().st_mode) == 0o600


def test_older_entries_of_the_prefix_go_and_others_stay(cache):
    for time, name in enumerate(("rules-1.json", "grammar-1.json", "rules-2.json", "rules-3.json", "rules-4.json")):
        write_cached(name, b"x", prefix=name.partition("-")[0] + "-")
        os.utime(cache / name, (time, time))
    kept = ["grammar-1.json", "rules-2.json", "rules-3.json", "rules-4.json"]
    assert sorted(path.name for path in cache.iterdir()) == kept


def test_two_checkouts_that_are_used_by_turns_both_keep_their_rules():
    for name in ("rules-1.json", "rules-2.json"):
        write_cached(name, b"x", prefix="rules-")
    assert [read_private(name) for name in ("rules-1.json", "rules-2.json")] == [b"x", b"x"]


def test_what_is_missing_is_none():
    assert read_private("rules-1.json") is None


def test_a_file_that_others_can_write_is_not_read(cache):
    write_cached("rules-1.json", b"x", prefix="rules-")
    (cache / "rules-1.json").chmod(0o666)
    assert read_private("rules-1.json") is None


def test_a_folder_that_others_can_write_is_not_used(cache):
    write_cached("rules-1.json", b"x", prefix="rules-")
    cache.chmod(0o777)
    assert cache_folder() is None
    assert read_private("rules-1.json") is None
    write_cached("rules-2.json", b"x", prefix="rules-")
    assert not (cache / "rules-2.json").exists()


def test_files_of_somebody_else_are_not_read(monkeypatch):
    write_cached("rules-1.json", b"x", prefix="rules-")
    monkeypatch.setattr(os, "getuid", lambda: os.geteuid() + 1)
    assert read_private("rules-1.json") is None


def test_links_and_pipes_and_folders_are_not_read(cache):
    write_cached("rules-1.json", b"x", prefix="rules-")
    (cache / "link").symlink_to(cache / "rules-1.json")
    os.mkfifo(cache / "pipe", 0o600)
    (cache / "folder").mkdir()
    assert [read_private(name) for name in ("link", "pipe", "folder")] == [None, None, None]


def test_windows_keeps_the_cache_in_the_local_application_data(monkeypatch, tmp_path):
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    assert cache_folder() == str(tmp_path / "local" / "tracelens")


@pytest.mark.parametrize("home", ["/nonexistent/home", "/dev/null"])
def test_without_a_home_nothing_is_kept_and_nothing_fails(home, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "relative/path")
    monkeypatch.setenv("HOME", home)
    # Root could make the first one.
    monkeypatch.setattr(os, "mkdir", _refuse)
    assert cache_folder() is None
    write_cached("rules-1.json", b"x", prefix="rules-")
    assert read_private("rules-1.json") is None


def _refuse(*_arguments: object, **_options: object) -> None:
    raise PermissionError


def test_a_full_disk_leaves_no_half_written_file(cache, monkeypatch):
    monkeypatch.setattr(os, "replace", _refuse)
    write_cached("rules-1.json", b"x", prefix="rules-")
    assert list(cache.iterdir()) == []
