"""The window: complete lines, exact counts, bounded memory, long lines condensed."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.command import run_command
from tests.scan.logs import CutFeed, scan
from tracelens.scan import ScanLedger, ScanOptions
from tracelens.scan.lines import make_newline_counter
from tracelens.scan.long_lines import LongLine
from tracelens.scan.window import LineWindow

SMALL = ScanOptions(
    read_bytes=64, line_bytes=256, end_bytes=50, before_bytes=20, back_bytes=40, after_bytes=30, join_bytes=10
)
LEFT_OUT = re.compile(rb" \[\.\.\. (\d+) bytes left out \.\.\.\] ")


def segments(data: bytes, sizes: tuple[int, ...], hit: bytes = b"\0") -> tuple[list[bytes], list[int], ScanLedger]:
    ledger = ScanLedger()
    window = LineWindow(CutFeed(data, sizes), SMALL, ledger, lambda piece: hit in piece)
    found, places = [], []
    while (segment := window.advance()) is not None:
        found.append(bytes(window.buffer[segment[0] : segment[1]]))
        places.append(window.base + segment[0])
    return found, places, ledger


@given(
    data=st.lists(st.sampled_from([b"\n", b"ab", b"x" * 60, b"\r\n", b"\0"]), max_size=200).map(b"".join),
    sizes=st.lists(st.integers(1, 64), min_size=1, max_size=5).map(tuple),
)
def test_any_input_comes_out_in_complete_lines(data, sizes):
    found, places, ledger = segments(data, sizes)
    lines = [line for line in data.split(b"\n") if len(line) > SMALL.line_bytes]
    if not lines:
        assert b"".join(found) == data
        assert places == [sum(map(len, found[:number])) for number in range(len(found))]
    assert all(segment.endswith(b"\n") for segment in found[:-1])
    assert b"".join(found).count(b"\n") == data.count(b"\n")
    assert ledger.bytes == len(data)


@given(
    before=st.integers(0, 300),
    length=st.integers(257, 5000),
    place=st.integers(0, 4990),
    after=st.sampled_from([b"", b"\n", b"\nshort\n" + b"y" * 300]),
    sizes=st.lists(st.integers(1, 64), min_size=1, max_size=5).map(tuple),
)
def test_any_long_line_keeps_its_ends_and_its_hits(before, length, place, after, sizes):
    line = bytearray(48 + number % 10 for number in range(length))
    place = min(place, length - 5)
    line[place : place + 5] = b"ERROR"
    data = b"." * (before % 250) + b"\n" + bytes(line) + after
    found, _, ledger = segments(data, sizes, hit=b"ERROR")
    condensed = b"".join(found).split(b"\n")[1]
    assert condensed.startswith(bytes(line[:16]))
    assert condensed.endswith(bytes(line[-16:]))
    assert b"ERROR" in condensed
    left_out = sum(map(int, LEFT_OUT.findall(condensed)))
    assert len(LEFT_OUT.sub(b"", condensed)) + left_out == length
    again, _, other = segments(data, (64,), hit=b"ERROR")
    assert b"".join(again) == b"".join(found)
    assert other == ledger


def test_long_line_that_hits_everywhere_stays_within_the_limit():
    line = LongLine(1 << 16, lambda _piece: True)
    for _ in range(100):
        line.add(memoryview(b"hit " * 10_000))
    condensed = line.condensed()
    assert len(condensed) < 1 << 16
    assert len(LEFT_OUT.sub(b"", condensed)) + line.omitted == 4_000_000


def test_reads_larger_than_the_longest_line_are_refused():
    with pytest.raises(ValueError, match="read_bytes"):
        ScanOptions(read_bytes=1 << 20, line_bytes=1 << 10)
    with pytest.raises(ValueError, match="too small"):
        ScanOptions(read_bytes=1, line_bytes=8)


def test_condensed_line_keeps_the_lines_around_it_countable():
    data = b"first\n" + b"0123456789" * 200_000 + b" CUDA out of memory " + b"9876543210" * 200_000 + b"\nKilled\n"
    regions, ledger = scan(data)
    assert (ledger.lines, len(regions)) == (3, 1)
    assert regions[0].text.split("\n")[2] == "Killed"
    assert " CUDA out of memory " in regions[0].text
    assert len(regions[0].text) < 200_000
    assert [remark.code for remark in ledger.diagnostics()] == ["scan-long-lines"]


@pytest.mark.parametrize("missing", ["", "stringzilla"])
@pytest.mark.parametrize("text", [b"", b"\n", b"a\r\nb", b"line\n" * 9000, b"\n" * 60_000, bytes(range(256)) * 99])
def test_newlines_are_counted_exactly(missing, text, monkeypatch):
    monkeypatch.setitem(sys.modules, missing, None)
    buffer = bytearray(b"\n" + text + b"\n")
    assert make_newline_counter(buffer)(1, 1 + len(text)) == text.count(b"\n")


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux's account of memory")
@pytest.mark.parametrize(("source", "size"), [("noise", 300), ("one line", 100), ("hits", 30)])
def test_memory_stays_bounded(source, size):
    code = f"""
from pathlib import Path
from tests.scan.logs import EndlessFeed, GRAMMAR, USUAL, noise
from tracelens.scan import ScanLedger, find_regions
blocks = {{
    "noise": b"".join(noise(5000)),
    "one line": b"data " * 1000,
    "hits": b"ValueError: x\\n" + b"quiet line\\n" * 9,
}}
feed = EndlessFeed(blocks[{source!r}], {size} << 20, b"\\nKilled\\n")
ledger = ScanLedger()
text = 0
for region in find_regions(feed, GRAMMAR, options=USUAL, ledger=ledger):
    text += len(region.text)
assert ledger.bytes > {size} << 20 and text < 72 << 20
# What a process has used at most since it became this program: getrusage counts what it was forked from.
print(next(line.split()[1] for line in Path("/proc/self/status").open() if line.startswith("VmHWM")))
"""
    run = run_command(sys.executable, "-c", code)
    assert run.errors == ""
    assert int(run.output) < 64 * 1024
