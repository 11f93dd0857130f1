from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.parsing.strand import parsed
from tracelens.errors import GrammarError
from tracelens.parsing import tables
from tracelens.parsing.tables import Tables, compile_tables, grammar_text, load_tables, packaged_tables


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """Give the test a cache of its own, and tables that nobody has loaded yet."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(tables, "PACKAGED", tmp_path / "absent.json")
    load_tables.cache_clear()
    yield tmp_path / "tracelens"
    load_tables.cache_clear()


def only_file(cache):
    (path,) = cache.iterdir()
    return path


def test_the_first_use_leaves_a_file_that_the_second_reads(cache, monkeypatch):
    made = load_tables()
    monkeypatch.setattr(tables, "compile_tables", lambda *_: pytest.fail("made again"))
    load_tables.cache_clear()
    assert load_tables() == made
    assert only_file(cache).suffix == ".json"


def with_head(text, changed):
    head, _, body = text.partition("\n")
    return f"{json.dumps(changed(*json.loads(head)))}\n{body}"


@pytest.mark.parametrize(
    "damage",
    [
        lambda _: "",
        lambda text: text[: len(text) // 2],
        lambda text: text.replace(" 1 ", " 2 ", 1).replace("strand", "strnad", 1),
        lambda text: with_head(text, lambda key, _check: [key, 0]),
        lambda text: with_head(text, lambda _key, check: ["other", check]),
        lambda text: text.partition("\n")[0],
        lambda text: f"{text}\n",
        lambda _: json.dumps([]),
        lambda _: "[" * 200_000,
        lambda _: "{}",
    ],
)
def test_a_damaged_file_is_made_again(cache, damage):
    made = load_tables()
    path = only_file(cache)
    whole = path.read_text("utf-8")
    path.write_text(damage(whole), "utf-8")
    load_tables.cache_clear()
    assert load_tables() == made
    assert path.read_text("utf-8") == whole


def test_bytes_that_are_no_text_are_made_again(cache):
    made = load_tables()
    only_file(cache).write_bytes(b"\xff\xfe\x00")
    load_tables.cache_clear()
    assert load_tables() == made


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs POSIX")
@pytest.mark.parametrize("kind", ["pipe", "device", "writable by others"])
def test_a_file_that_is_not_ours_alone_is_not_read(cache, kind):
    made = load_tables()
    path = only_file(cache)
    if kind == "writable by others":
        path.write_text("", "utf-8")
        path.chmod(0o666)
    else:
        path.unlink()
        if kind == "pipe":
            os.mkfifo(path)
        else:
            path.symlink_to("/dev/zero")
    load_tables.cache_clear()
    assert load_tables() == made
    assert path.is_file()


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path, monkeypatch):
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    monkeypatch.setattr(tables, "PACKAGED", tmp_path / "absent.json")
    load_tables.cache_clear()
    assert isinstance(load_tables(), Tables)
    load_tables.cache_clear()


def test_the_tables_of_the_wheel_are_used_without_lark(cache, tmp_path, monkeypatch):
    packaged = tmp_path / "tables.json"
    packaged.write_text(packaged_tables(), "utf-8")
    monkeypatch.setattr(tables, "PACKAGED", packaged)
    monkeypatch.setattr(tables, "lark_version", lambda: pytest.fail("lark was asked for"))
    assert load_tables().starts
    assert not cache.exists()


def test_tables_of_another_grammar_in_the_wheel_are_not_used(cache, tmp_path, monkeypatch):
    packaged = tmp_path / "tables.json"
    packaged.write_text(compile_tables(grammar_text(), "another key"), "utf-8")
    monkeypatch.setattr(tables, "PACKAGED", packaged)
    load_tables()
    assert only_file(cache)


@pytest.mark.usefixtures("cache")
def test_without_lark_and_without_tables_the_error_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "lark", None)
    with pytest.raises(GrammarError, match="lark is not installed"):
        load_tables()


def test_the_same_grammar_gives_the_same_bytes():
    assert packaged_tables() == packaged_tables()


def test_the_version_of_lark_is_read_without_importing_it():
    import lark

    assert tables.lark_version() == lark.__version__


def test_parsing_with_cached_tables_imports_no_lark():
    parsed("warm the cache")
    code = (
        "import sys; from tracelens.parsing import parse_strand; from tracelens.text import Strand\n"
        "parse_strand(Strand(process=None, text='ValueError: x\\n', line_numbers=[1]))\n"
        "sys.exit('lark' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_without_lark_its_version_is_none(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    assert tables.lark_version() is None
    (tmp_path / "lark").mkdir()
    (tmp_path / "lark" / "__init__.py").write_text("# no version here\n")
    assert tables.lark_version() is None


def test_a_disk_that_fails_leaves_no_half_written_file(cache, monkeypatch):
    monkeypatch.setattr(os, "replace", fail)
    assert isinstance(load_tables(), Tables)
    assert list(cache.iterdir()) == []


def fail(*_arguments):
    raise OSError(28, "No space left on device")
