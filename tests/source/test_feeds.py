from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import lzma
import os
import random
import sys
import threading
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracelens.errors import InputError
from tracelens.findings import Diagnostic
from tracelens.source import Feed, Input, bombs, expand_inputs
from tracelens.source.bytesources import ByteSource, FileSource

zstandard = pytest.importorskip("zstandard")

LOG = b"".join(b"step %06d loss %.4f\n" % (i, 1 / (i + 1)) for i in range(40_000))
#: Does not compress, so that cutting it leaves half of it readable.
#: No control characters: those would make it binary.
NOISE = (random.Random(1).randbytes(1_300_000).replace(b"\0", b"1")).translate(
    bytes(byte | 0x80 for byte in range(256))
)
COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lambda data: lzma.compress(data, preset=1),
    "zstd": zstandard.ZstdCompressor(write_checksum=True).compress,
}
compressions = pytest.mark.parametrize("name", list(COMPRESS))


def read(feed: Feed, size: int = 1 << 16) -> bytes:
    buffer = bytearray(size)
    view = memoryview(buffer)
    parts = []
    while count := feed.readinto(view):
        parts.append(bytes(view[:count]))
    return b"".join(parts)


def read_input(log: Input) -> tuple[bytes, tuple[Diagnostic, ...]]:
    with log.open() as feed:
        return read(feed), feed.remarks


@pytest.fixture
def read_bytes(tmp_path):
    """Write bytes to a file without telling name, and read it as an input."""

    def read_all(data: bytes, **options):
        path = tmp_path / "log"
        path.write_bytes(data)
        (log,) = expand_inputs([str(path)], **options)
        return read_input(log)

    return read_all


@compressions
def test_streams_in_a_row_are_read_however_many_they_are(name, read_bytes):
    compress = COMPRESS[name]
    few = compress(b"one\n") + compress(b"") + compress(b"two\n")
    data, remarks = read_bytes(few * 3000 + bytes(200_000) + compress(LOG))
    assert data == b"one\ntwo\n" * 3000 + LOG
    assert not remarks


@compressions
def test_compressed_logs_are_told_by_their_bytes(read_bytes, name):
    assert read_bytes(COMPRESS[name](LOG)) == (LOG, ())


@compressions
def test_streams_in_a_row_are_one_log(read_bytes, name):
    compress = COMPRESS[name]
    assert read_bytes(compress(LOG) + compress(b"tail\n")) == (LOG + b"tail\n", ())


@compressions
def test_a_truncated_log_is_read_as_far_as_it_goes(read_bytes, name):
    data, remarks = read_bytes(COMPRESS[name](NOISE)[:1_000_000])
    assert len(data) > 800_000
    assert NOISE.startswith(data)
    assert [remark.code for remark in remarks] == ["input-damaged"]
    assert "end in the middle" in remarks[0].message


@compressions
def test_damage_in_the_middle_is_a_remark(read_bytes, name):
    packed = bytearray(COMPRESS[name](NOISE))
    packed[1_000_000:1_000_100] = bytes(100)
    data, remarks = read_bytes(bytes(packed))
    assert data[:800_000] == NOISE[:800_000]
    assert [remark.code for remark in remarks] == ["input-damaged"]


@compressions
def test_damage_before_anything_could_be_read_is_an_error(read_bytes, name):
    with pytest.raises(InputError, match=name):
        read_bytes(COMPRESS[name](LOG[:5000])[:10])


def test_zeros_behind_gzip_are_padding_and_rubbish_is_remarked_on(read_bytes):
    assert read_bytes(gzip.compress(LOG) + bytes(512)) == (LOG, ())
    data, (remark,) = read_bytes(gzip.compress(LOG) + b"rubbish behind it")
    assert data == LOG
    assert "ignored" in remark.message


def test_compression_in_compression_is_peeled_a_few_times(read_bytes):
    assert read_bytes(gzip.compress(zstandard.compress(bz2.compress(LOG))))[0] == LOG
    data = LOG
    for _ in range(5):
        data = gzip.compress(data)
    with pytest.raises(InputError, match="times over"):
        read_bytes(data)


@compressions
def test_a_bomb_is_refused_before_it_goes_off(read_bytes, name):
    with pytest.raises(
        InputError, match=r"decompression bomb: .* became 64\.\d MiB.*limits: 64\.0 MiB without a line end"
    ):
        read_bytes(COMPRESS[name](bytes(80 << 20)))


@pytest.mark.parametrize("name", ["gzip", "xz", "zstd"])  # bzip2 takes minutes for this
def test_a_log_of_repeats_is_no_bomb(read_bytes, name):
    log = b"the same line again and again\n" * 2_500_000
    assert read_bytes(COMPRESS[name](log)) == (log, ())


def test_a_bar_that_was_redrawn_for_hours_is_no_bomb(read_bytes):
    log = b"\r 50%|#####     | 1/2 [00:01<00:01]" * 2_000_000
    assert read_bytes(gzip.compress(log))[0] == log


def test_a_line_of_50_megabytes_is_data(read_bytes):
    log = b"x" * (50 << 20) + b"\n"
    assert read_bytes(gzip.compress(log))[0] == log


def test_the_limit_on_the_output_of_one_input_can_be_set(read_bytes):
    with pytest.raises(InputError, match=r"more than 100\.0 KiB, the limit for one input"):
        read_bytes(gzip.compress(LOG), max_size=100 << 10)


def test_a_bomb_in_layers_is_told_by_its_ratio():
    class Consumed:
        count = 20_000

    guard = bombs.BombGuard("x", bombs.MAX_OUTPUT, Consumed())
    line = b"a\n" * (1 << 25)
    for _ in range(16):
        guard.check(line)
    with pytest.raises(InputError, match=r"limit: 50,000 times"):
        guard.check(line)


@pytest.mark.parametrize(
    ("size", "words"), [(5, "5 bytes"), (2048, "2.0 KiB"), (5 << 20, "5.0 MiB"), (32 << 30, "32.0 GiB")]
)
def test_amounts_are_written_as_people_read_them(size, words):
    assert bombs.amount(size) == words


@pytest.mark.parametrize(
    ("head", "reason"),
    [
        (b"PK\x03\x04", "zip"),
        (b"PK\x05\x06", "empty zip"),
        (b"7z\xbc\xaf\x27\x1c", "7z"),
        (b"Rar!\x1a\x07", "rar"),
        (b"\x04\x22\x4d\x18", "lz4"),
    ],
)
def test_archives_that_would_read_as_noise_are_refused(read_bytes, head, reason):
    with pytest.raises(InputError, match=reason):
        read_bytes(head + bytes(100))


TEXT = "Zeile 1: ‘x’\nerror: größer, 日本語 and 🐛\n"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32", "utf-8"])
def test_encodings_with_a_mark_become_utf_8(read_bytes, encoding):
    assert read_bytes(TEXT.encode(encoding)) == (TEXT.encode(), ())


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (b"\xfe\xff", "utf-16-be"),
        (b"\xff\xfe", "utf-16-le"),
        (b"\0\0\xfe\xff", "utf-32-be"),
        (b"\xff\xfe\0\0", "utf-32-le"),
    ],
)
def test_each_byte_order_is_told_by_its_mark(read_bytes, mark, encoding):
    assert read_bytes(mark + TEXT.encode(encoding))[0] == TEXT.encode()


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark_is_told_by_its_zeros(read_bytes, encoding):
    text = "Traceback (most recent call last):\r\n  File größer\r\n" * 1000
    assert read_bytes(text.encode(encoding))[0] == text.encode()


def test_utf_16_in_gzip_and_cut_in_the_middle_of_a_character(read_bytes):
    data = gzip.compress("RuntimeError: x\n".encode("utf-16")[:-1])
    assert read_bytes(data)[0] == "RuntimeError: x\ufffd".encode()


def test_zeros_and_undecodable_bytes_pass_through(read_bytes):
    data = b"a\0b\xff\xfe\x80 text\n" * 100
    assert read_bytes(data) == (data, ())
    assert read_bytes(bytes(5000) + b"text\n")[0] == bytes(5000) + b"text\n"


@given(st.binary(max_size=3000), st.integers(1, 700))
def test_any_bytes_without_a_known_beginning_pass_through_whatever_the_buffer(data, size):
    data = b"log: " + data.replace(b"\0", b".")
    feed = Feed("x", lambda: FileSource(io.BytesIO(data)))
    assert read(feed, size) == data
    assert feed.consumed == feed.produced == len(data)


@given(
    st.binary(max_size=200),
    st.sampled_from([b"\x1f\x8b\x08", b"BZh91AY&SY", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd", b"\xff\xfe", b""]),
)
def test_any_bytes_are_read_or_refused(data, head):
    with contextlib.suppress(InputError):
        read(Feed("x", lambda: FileSource(io.BytesIO(head + data))))


def test_memory_stays_bounded_while_much_is_read(tmp_path):
    import tracemalloc

    path = tmp_path / "big.zst"
    path.write_bytes(zstandard.compress(b"x" * 70 + b"\n" * 2_000_000 + b"line of a log\n" * 20_000_000))
    (log,) = expand_inputs([str(path)])
    view = memoryview(bytearray(1 << 20))
    tracemalloc.start()
    with log.open() as feed:
        while feed.readinto(view):
            pass
    _current, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 24 << 20


def test_standard_input_is_decompressed_too(monkeypatch):
    class Stdin:
        buffer = io.BytesIO(gzip.compress(LOG))

    monkeypatch.setattr(sys, "stdin", Stdin)
    (log,) = expand_inputs(["-"])
    assert (log.name, log.size) == ("<stdin>", None)
    assert read_input(log)[0] == LOG


def test_no_standard_input_is_an_error(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    (log,) = expand_inputs(["-"])
    with pytest.raises(InputError, match="no standard input"):
        log.open()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes")
def test_a_named_pipe_is_read_once_and_to_its_end(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=lambda: path.write_bytes(LOG))
    writer.start()
    (log,) = expand_inputs([str(path)])
    data, remarks = read_input(log)
    writer.join()
    assert (log.size, data, remarks) == (None, LOG, ())


class Breaking:
    """A source that breaks after some bytes, as a network drive does."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def readinto(self, view: memoryview, /) -> int:
        if not self._data:
            raise OSError(116, "Stale file handle")
        count = min(len(view), len(self._data))
        view[:count], self._data = self._data[:count], self._data[count:]
        return count

    def close(self) -> None:
        pass


def test_a_drive_that_goes_away_leaves_what_was_read():
    source: ByteSource = Breaking(LOG)
    feed = Feed("x", lambda: source)
    assert read(feed) == LOG
    assert read(feed) == b""
    assert "stale file handle" in feed.remarks[0].message


def test_a_drive_that_is_gone_already_is_an_error():
    with pytest.raises(InputError, match="stale file handle"):
        Feed("x", lambda: Breaking(b""))


@pytest.mark.parametrize("data", [b"\x7fELF\x02\x01\x01" + bytes(500), bytes(range(256)) * 8])
def test_what_is_no_text_is_said_to_be_none(data, tmp_path):
    file = tmp_path / "a.out"
    file.write_bytes(data)
    (entry,) = expand_inputs([str(file)])
    with entry.open() as feed:
        assert [remark.code for remark in feed.remarks] == ["input-binary"]


@pytest.mark.parametrize(
    "data", ["größer 日本\n".encode("gb18030") * 50, b"\x1b[31mred\x1b[0m\x08\x07\r\n" * 50, bytes(999), b"\x01"]
)
def test_other_encodings_colours_and_holes_are_text(data, tmp_path):
    file = tmp_path / "a.log"
    file.write_bytes(data)
    (entry,) = expand_inputs([str(file)])
    with entry.open() as feed:
        assert [remark for remark in feed.remarks if remark.code == "input-binary"] == []
