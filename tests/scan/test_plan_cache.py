"""The cache: fast when it can be trusted, absent when it cannot, never an error."""

from __future__ import annotations

import os
import stat

import pytest

from tests.scan.logs import GRAMMAR
from tracelens.scan import prepare
from tracelens.scan.plan_cache import cpu_description, entry_name, read_entry, write_entry
from tracelens.scan.prepare import make_finder

KEY = b"key"
pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="owners and modes are a matter of POSIX")


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    prepare.prepared.cache_clear()
    yield tmp_path / "cache" / "tracelens"
    prepare.prepared.cache_clear()


def test_entry_is_read_back(home):
    write_entry(KEY, b"data")
    assert read_entry(KEY) == b"data"
    assert read_entry(b"other") is None
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert [path.name for path in home.iterdir()] == [entry_name(KEY)]


def test_entry_of_another_key_is_not_read(home):
    write_entry(KEY, b"data")
    (home / entry_name(KEY)).rename(home / entry_name(b"other"))
    assert read_entry(b"other") is None


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777])
def test_directory_that_others_can_write_is_not_trusted(home, mode):
    write_entry(KEY, b"data")
    home.chmod(mode)
    assert read_entry(KEY) is None
    write_entry(b"new", b"data")
    assert not (home / entry_name(b"new")).exists()


@pytest.mark.parametrize("mode", [0o620, 0o602])
def test_file_that_others_can_write_is_not_trusted(home, mode):
    write_entry(KEY, b"data")
    (home / entry_name(KEY)).chmod(mode)
    assert read_entry(KEY) is None


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away")
@pytest.mark.parametrize("what", ["file", "directory"])
def test_what_another_user_owns_is_not_trusted(home, what):
    write_entry(KEY, b"data")
    os.chown(home / entry_name(KEY) if what == "file" else home, 12345, -1)
    assert read_entry(KEY) is None


def test_link_is_not_followed(home, tmp_path):
    write_entry(KEY, b"data")
    (home / entry_name(KEY)).rename(tmp_path / "elsewhere")
    (home / entry_name(KEY)).symlink_to(tmp_path / "elsewhere")
    assert read_entry(KEY) is None


def test_pipe_in_place_of_a_file_blocks_nobody(home):
    write_entry(KEY, b"data")
    (home / entry_name(KEY)).unlink()
    os.mkfifo(home / entry_name(KEY), 0o600)
    assert read_entry(KEY) is None


@pytest.mark.parametrize("damage", [b"", b"short", b"x" * 200])
def test_damaged_entry_is_not_read(home, damage):
    write_entry(KEY, b"data" * 100)
    (home / entry_name(KEY)).write_bytes(damage)
    assert read_entry(KEY) is None


def test_changed_byte_is_noticed(home):
    write_entry(KEY, b"data" * 100)
    content = bytearray((home / entry_name(KEY)).read_bytes())
    content[100] ^= 1
    (home / entry_name(KEY)).write_bytes(content)
    assert read_entry(KEY) is None


def test_old_entries_go(home):
    for number in range(12):
        write_entry(b"key%d" % number, b"data")
        os.utime(home / entry_name(b"key%d" % number), (number, number))
    write_entry(b"last", b"data")
    assert read_entry(b"last") == b"data"
    assert read_entry(b"key0") is None
    assert len(list(home.iterdir())) == 8


def test_no_home_and_no_place_to_write_are_no_errors(tmp_path, monkeypatch):
    blocker = tmp_path / "file"
    blocker.write_bytes(b"")
    for place in (str(blocker), "/proc/none"):
        monkeypatch.setenv("XDG_CACHE_HOME", place)
        write_entry(KEY, b"data")
        assert read_entry(KEY) is None
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "relative")
    write_entry(KEY, b"data")
    assert read_entry(KEY) is None


@pytest.mark.usefixtures("home")
def test_entry_for_another_key_of_the_same_name_is_not_read(monkeypatch):
    monkeypatch.setattr("tracelens.scan.plan_cache.entry_name", lambda _key: "same.scan")
    write_entry(KEY, b"data")
    assert read_entry(b"other") is None
    write_entry(b"other", b"its data")
    assert (read_entry(KEY), read_entry(b"other")) == (None, b"its data")


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
    content = entry.read_bytes()
    key = content[8 : 8 + int.from_bytes(content[4:8], "big")]
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
