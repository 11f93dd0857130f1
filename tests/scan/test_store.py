"""The cache: fast when it can be trusted, absent when it cannot, never an error."""

from __future__ import annotations

import os
import stat

import pytest

from tests.scan.logs import GRAMMAR
from tracelens.scan import prepare
from tracelens.scan.prepare import make_finder
from tracelens.scan.store import cache_directory, cpu_description, read_entry, write_entry

pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="owners and modes are a matter of POSIX")


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    prepare.prepared.cache_clear()
    yield tmp_path / "cache" / "tracelens"
    prepare.prepared.cache_clear()


def test_entry_is_read_back(home):
    write_entry("key", b"data")
    assert read_entry("key") == b"data"
    assert read_entry("other") is None
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert [path.name for path in home.iterdir()] == ["key.scan"]


def test_entry_of_another_key_is_not_read(home):
    write_entry("key", b"data")
    (home / "key.scan").rename(home / "other.scan")
    assert read_entry("other") is None


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777])
def test_directory_that_others_can_write_is_not_trusted(home, mode):
    write_entry("key", b"data")
    home.chmod(mode)
    assert read_entry("key") is None
    write_entry("new", b"data")
    assert not (home / "new.scan").exists()


@pytest.mark.parametrize("mode", [0o620, 0o602])
def test_file_that_others_can_write_is_not_trusted(home, mode):
    write_entry("key", b"data")
    (home / "key.scan").chmod(mode)
    assert read_entry("key") is None


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away")
@pytest.mark.parametrize("what", ["file", "directory"])
def test_what_another_user_owns_is_not_trusted(home, what):
    write_entry("key", b"data")
    os.chown(home / "key.scan" if what == "file" else home, 12345, -1)
    assert read_entry("key") is None


def test_link_is_not_followed(home, tmp_path):
    write_entry("key", b"data")
    (home / "key.scan").rename(tmp_path / "elsewhere")
    (home / "key.scan").symlink_to(tmp_path / "elsewhere")
    assert read_entry("key") is None


def test_pipe_in_place_of_a_file_blocks_nobody(home):
    write_entry("key", b"data")
    (home / "key.scan").unlink()
    os.mkfifo(home / "key.scan", 0o600)
    assert read_entry("key") is None


@pytest.mark.parametrize("damage", [b"", b"short", b"x" * 200])
def test_damaged_entry_is_not_read(home, damage):
    write_entry("key", b"data" * 100)
    (home / "key.scan").write_bytes(damage)
    assert read_entry("key") is None


def test_changed_byte_is_noticed(home):
    write_entry("key", b"data" * 100)
    content = bytearray((home / "key.scan").read_bytes())
    content[100] ^= 1
    (home / "key.scan").write_bytes(content)
    assert read_entry("key") is None


def test_old_entries_go(home):
    for number in range(12):
        write_entry(f"key{number}", b"data")
        os.utime(home / f"key{number}.scan", (number, number))
    write_entry("last", b"data")
    assert read_entry("last") == b"data"
    assert read_entry("key0") is None
    assert len(list(home.iterdir())) == 8


def test_no_home_and_no_place_to_write_are_no_errors(tmp_path, monkeypatch):
    blocker = tmp_path / "file"
    blocker.write_bytes(b"")
    for place in (str(blocker), "relative/path", str(tmp_path / "missing\0name")[:0] or "/proc/none"):
        monkeypatch.setenv("XDG_CACHE_HOME", place)
        write_entry("key", b"data")
        assert read_entry("key") is None
    monkeypatch.setenv("XDG_CACHE_HOME", "relative/path")
    assert cache_directory() is None
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "relative")
    assert cache_directory() is None


@pytest.mark.parametrize("engine", ["hyperscan", "re2", "python"])
def test_stored_plan_finds_the_same(home, engine):
    data = bytearray(b"\n" + b"noise\n" * 50 + b"Fatal Python error: Aborted\n" + b"noise\n")
    first = make_finder(GRAMMAR, engine, cache=True)
    assert len(list(home.iterdir())) == 1
    prepare.prepared.cache_clear()
    second = make_finder(GRAMMAR, engine, cache=True)
    assert second.plan is not first.plan
    assert second.hit_lines(data, 1, len(data)) == first.hit_lines(data, 1, len(data)) == [(301, 329)]


def test_database_that_hyperscan_refuses_is_made_anew(home):
    make_finder(GRAMMAR, "hyperscan", cache=True)
    (entry,) = home.iterdir()
    key = entry.name.removesuffix(".scan")
    stored = read_entry(key)
    assert stored is not None
    write_entry(key, stored[:-2000])
    prepare.prepared.cache_clear()
    data = bytearray(b"\nKilled\n")
    assert make_finder(GRAMMAR, "hyperscan", cache=True).hit_lines(data, 1, 8) == [(1, 8)]
    assert read_entry(key) == stored


def test_one_process_prepares_once(home):
    first = make_finder(GRAMMAR, "hyperscan", cache=False)
    assert make_finder(GRAMMAR, "hyperscan", cache=False).plan is first.plan
    assert not home.exists()


def test_cpu_is_described_the_same_each_time():
    assert cpu_description() == cpu_description() != ""
