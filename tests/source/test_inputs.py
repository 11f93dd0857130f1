from __future__ import annotations

import gc
import gzip
import io
import os
import re
import tarfile
from pathlib import Path
from typing import Literal

import pytest

from tests.source.test_feeds import read_input
from tracelens.errors import InputError
from tracelens.source import archives, expand_inputs, inputs, magic


@pytest.fixture
def no_collector():
    """Keep finalizers of other tests' garbage from the bottom of a deep recursion, where they fail."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def names_of(*arguments: object) -> list[str]:
    return [log.name for log in expand_inputs([str(argument) for argument in arguments])]


@pytest.fixture
def folder(tmp_path):
    for name in ("b.log", "a.log", "sub/c.log", "sub/deep/d.txt", ".hidden/x.log", ".y.log", "kernel.so", "model.PT"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    return tmp_path


def make_tar(path: Path, members: dict[str, bytes], mode: Literal["w", "w:gz", "w:bz2", "w:xz"] = "w") -> Path:
    with tarfile.open(path, mode) as archive:
        for name, data in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return path


RANKS = {f"logs/rank{i}.log": b"rank %d\n" % i + b"line\n" * 50_000 for i in range(4)}


def test_files_keep_the_order_they_are_named_in_and_come_once(folder):
    assert names_of(folder / "b.log", folder / "a.log", folder / "b.log") == [
        str(folder / "b.log"),
        str(folder / "a.log"),
    ]


def test_a_file_tells_its_size(folder):
    (log,) = expand_inputs([str(folder / "a.log")])
    assert log.size == 5
    assert read_input(log) == (b"a.log", ())
    assert read_input(log) == (b"a.log", ())


def test_a_directory_is_searched_in_order_without_what_holds_no_log(folder):
    expected = ["a.log", "b.log", "sub/c.log", "sub/deep/d.txt"]
    assert names_of(folder) == [str(folder / name) for name in expected]


def test_a_pattern_names_files_and_directories(folder):
    assert names_of(folder / "*.log") == [str(folder / "a.log"), str(folder / "b.log")]
    assert names_of(folder / "s*") == [str(folder / "sub/c.log"), str(folder / "sub/deep/d.txt")]
    assert names_of(folder / "**" / "*.log")[-1] == str(folder / "sub/c.log")


def test_a_file_whose_name_looks_like_a_pattern_is_a_file(tmp_path):
    path = tmp_path / "run[1].log"
    path.write_text("x")
    assert names_of(path) == [str(path)]


@pytest.mark.parametrize(
    ("argument", "reason"),
    [
        ("missing.log", "no such file or directory"),
        ("", "no such file or directory"),
        ("*.nothing", "no file matches this pattern"),
        ("nul\0byte", "null"),
        ("/dev/zero", "a device, not a log"),
    ],
)
def test_an_argument_that_leads_to_nothing_is_an_error(tmp_path, monkeypatch, argument, reason):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=reason):
        names_of(argument)


def test_an_empty_directory_is_an_error(tmp_path):
    with pytest.raises(InputError, match="no log in this directory"):
        names_of(tmp_path)


def test_a_directory_of_too_many_files_is_an_error(folder, monkeypatch):
    monkeypatch.setattr(inputs, "MAX_FILES", 3)
    with pytest.raises(InputError, match="more than 3 files"):
        names_of(folder)


def test_links_between_directories_do_not_go_round(folder):
    (folder / "sub" / "loop").symlink_to(folder)
    assert len(names_of(folder)) == 4


def test_nothing_too_deep_is_searched(tmp_path, monkeypatch):
    monkeypatch.setattr(inputs, "MAX_DEPTH", 1)
    for name in ("a/x.log", "a/b/y.log"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    assert names_of(tmp_path) == [str(tmp_path / "a/x.log")]


def test_a_socket_is_no_log(tmp_path, monkeypatch):
    import socket

    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("s")
        with pytest.raises(InputError, match="a socket, not a log"):
            names_of("s")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_may_not_be_read_is_an_error(folder):
    (folder / "a.log").chmod(0)
    with pytest.raises(InputError, match="permission denied"):
        names_of(folder / "a.log")


@pytest.mark.parametrize("broken", ["b.log.gz", "b.tar"])
def test_a_broken_file_in_a_directory_does_not_hide_the_others(broken, tmp_path):
    for name in ("a.log", "c.log"):
        (tmp_path / name).write_text(name)
    if broken.endswith(".gz"):
        (tmp_path / broken).write_bytes(gzip.compress(b"text")[:10])
    else:
        (tmp_path / broken).write_bytes(_header(type=tarfile.DIRTYPE) + bytes(1024))
    first, refused, last = expand_inputs([str(tmp_path)])
    assert [read_input(log)[0] for log in (first, last)] == [b"a.log", b"c.log"]
    with pytest.raises(InputError, match=re.escape(broken)):
        refused.open()


def test_the_null_device_is_an_empty_log():
    (log,) = expand_inputs([os.devnull])
    assert read_input(log) == (b"", ())


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz"])
def test_the_members_of_a_tar_are_inputs_of_their_own(tmp_path, mode):
    path = make_tar(tmp_path / "ranks", RANKS, mode)
    logs = list(expand_inputs([str(path)]))
    assert [log.name for log in logs] == [f"{path}:{name}" for name in RANKS]
    assert [log.size for log in logs] == [len(data) for data in RANKS.values()]
    for order in (logs, logs[::-1], logs[::2] + logs):
        assert [read_input(log) for log in order] == [(RANKS[log.name.partition(":")[2]], ()) for log in order]


def test_members_are_decompressed_and_may_be_open_at_once(tmp_path):
    packed = {f"{name}.gz": gzip.compress(data) for name, data in RANKS.items()}
    logs = list(expand_inputs([str(make_tar(tmp_path / "a.tgz", packed, "w:gz"))]))
    feeds = [log.open() for log in logs]
    view = memoryview(bytearray(7))
    for i, feed in enumerate(feeds):
        assert feed.readinto(view) == 7
        assert bytes(view) == b"rank %d\n" % i
    for feed in feeds:
        feed.close()


def test_folders_links_and_long_names_in_a_tar(tmp_path):
    path = tmp_path / "a.tar"
    name = "/".join(["a long name"] * 30) + "/größe.log"
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as archive:
        for entry in (tarfile.TarInfo("folder"), tarfile.TarInfo("link")):
            entry.type = tarfile.DIRTYPE if entry.name == "folder" else tarfile.SYMTYPE
            archive.addfile(entry)
        entry = tarfile.TarInfo(name)
        entry.size = 5
        archive.addfile(entry, io.BytesIO(b"text\n"))
    (log,) = expand_inputs([str(path)])
    assert log.name == f"{path}:{name}"
    assert read_input(log)[0] == b"text\n"


def test_a_truncated_tar_gives_its_first_members_and_a_remark(tmp_path):
    path = make_tar(tmp_path / "a.tar", RANKS)
    path.write_bytes(path.read_bytes()[:600_000])
    logs = list(expand_inputs([str(path)]))
    data, remarks = read_input(logs[-1])
    assert [len(logs), RANKS["logs/rank2.log"].startswith(data)] == [3, True]
    assert "damaged" in remarks[0].message
    assert "ends within this member" in remarks[1].message
    assert read_input(logs[0]) == (RANKS["logs/rank0.log"], ())


def test_a_tar_without_files_is_an_error(tmp_path):
    path = tmp_path / "a.tar"
    with tarfile.open(path, "w") as archive:
        entry = tarfile.TarInfo("folder")
        entry.type = tarfile.DIRTYPE
        archive.addfile(entry)
    with pytest.raises(InputError, match="no file in this archive"):
        names_of(path)


def test_a_tar_with_too_many_files_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(archives, "MAX_MEMBERS", 2)
    with pytest.raises(InputError, match="more than 2 files"):
        names_of(make_tar(tmp_path / "a.tar", RANKS))


def test_a_tar_whose_headers_claim_gigabytes_is_an_error(tmp_path):
    header = tarfile.TarInfo("x")
    header.type, header.size = tarfile.XHDTYPE, 4 << 30
    path = tmp_path / "a.tar"
    path.write_bytes(header.tobuf() + b"11 a=b\n" * 100_000)
    with pytest.raises(InputError, match="header of 4,294,967,296 bytes"):
        names_of(path)


def _header(**fields) -> bytes:
    entry = tarfile.TarInfo("x")
    for name, value in fields.items():
        setattr(entry, name, value)
    return entry.tobuf(tarfile.GNU_FORMAT)


def _with_size(header: bytes, size: bytes) -> bytes:
    """Set the field of the size, which Python does not write as it likes, and the checksum."""
    header = header[:124] + size + header[136:148] + b" " * 8 + header[156:]
    return header[:148] + b"%06o\0 " % sum(header) + header[156:]


DAMAGED_TARS = {
    "a size beyond every offset": _with_size(_header(), b"\x80\0\1" + bytes(9)),
    "a negative size": _with_size(_header(), b"\xff" * 12),
    "a directory beyond every offset": _with_size(_header(type=b"Z"), b"\x80\0\1" + bytes(9)),
    "a chain of long names": (_header(type=tarfile.GNUTYPE_LONGNAME, size=2) + b"x".ljust(512, b"\0")) * 5000,
    "a chain of extended headers": _header(type=tarfile.XHDTYPE) * 5000,
    "a sparse file whose map is cut off": _with_size(_header(type=tarfile.GNUTYPE_SPARSE), b"%011o\0" % 512),
}


@pytest.mark.parametrize("compress", [bytes, gzip.compress])
@pytest.mark.usefixtures("no_collector")
@pytest.mark.parametrize("kind", DAMAGED_TARS)
def test_a_damaged_tar_gives_what_came_before(kind, compress, tmp_path):
    path = make_tar(tmp_path / "a.tar", {"rank0.log": b"text\n"})
    whole = path.read_bytes()[:1024]
    data = DAMAGED_TARS[kind]
    if "sparse" in kind:
        data = data[:482] + b"\1" + data[483:]
        data = _with_size(data, data[124:136])
    path.write_bytes(compress(whole + data + bytes(1024 if "sparse" not in kind else 0)))
    (log,) = expand_inputs([str(path)])
    text, remarks = read_input(log)
    assert text == b"text\n"
    assert "damaged" in remarks[0].message
    path.write_bytes(compress(data))
    with pytest.raises(InputError, match="damaged"):
        names_of(path)


def test_a_tar_in_a_tar_is_not_read_as_a_log(tmp_path):
    inner = make_tar(tmp_path / "inner.tar", RANKS).read_bytes()
    (log,) = expand_inputs([str(make_tar(tmp_path / "outer.tar", {"inner.tar": inner}))])
    with pytest.raises(InputError, match="inside another"):
        log.open()


def test_text_is_no_tar():
    for data in (b"", b"text", b"\0" * 1024, b"x" * 600, b"Traceback (most recent call last):\n" * 100):
        assert not magic.is_tar_block(data)
