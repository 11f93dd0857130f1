"""Regions: right lines, whole blocks, bounded, and the same for every engine and cut."""

from __future__ import annotations

import re
import sys
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.command import run_command
from tests.scan.logs import (
    ENGINES,
    GRAMMAR,
    LOGS,
    PATTERNS,
    TIGHT,
    USUAL,
    CutFeed,
    line_slices,
    noise,
    raw,
    read_log,
    scan,
    windows,
)
from tracelens.errors import AnchorError
from tracelens.scan import ScanLedger, ScanOptions, find_regions

TRACEBACK = (
    b"Traceback (most recent call last):\n"
    b'  File "/app/train.py", line 12, in step\n'
    b"    return model(x)\n"
    b"           ^^^^^^^^\n"
    b"RuntimeError: CUDA error: device-side assert triggered\n"
)
#: What lines of random logs are made of: hits, blocks, near misses, odd bytes, nothing.
PARTS = st.sampled_from(
    [
        b"Traceback (most recent call last):",
        b'  File "/a/b.py", line 3, in f',
        b"    return x",
        b"ValueError: no",
        b"x.cpp:3:4: error: expected ';'",
        b"x.cpp:3:4: warning: unused",
        b"In file included from y.h:3:",
        b"   12 | int x;",
        b"loss=0.12 step=3",
        b"",
        b"\r 10%|# | 1/10",
        b"\xff\xfe\x00 not text",
        b"un texte accentu\xc3\xa9",
        b"x" * 90,
        b"y" * 700,
        b"z" * 1500 + b" CUDA out of memory " + b"z" * 900,
        b"ninja: build stopped: subcommand failed.",
        b"Killed\r",
    ]
)
TEXTS = st.lists(PARTS, max_size=120).map(b"\n".join)
SIZES = st.lists(st.integers(1, 700), min_size=1, max_size=6).map(tuple)


def test_small_input_is_one_region_and_needs_no_engine():
    data = b"one\r\ntwo\xff\n\nlast"
    regions, ledger = scan(data, options=ScanOptions())
    assert [(region.first_line, raw(region), region.complete) for region in regions] == [(1, data, True)]
    assert (ledger.lines, ledger.bytes, ledger.regions, ledger.engine) == (4, len(data), 1, "none")


def test_empty_input_has_no_region():
    for options in (ScanOptions(), USUAL):
        regions, ledger = scan(b"", options=options)
        assert (regions, ledger.lines, ledger.bytes) == ([], 0, 0)


def test_small_scan_imports_no_engine_and_no_library():
    code = (
        "import io, sys; from tracelens.scan import find_regions\n"
        "assert list(find_regions(io.BytesIO(b'Traceback\\n' * 1000), ['Traceback']))\n"
        "print(sorted({'hyperscan', 're2', 'stringzilla', 'tracelens.findings', 'tracelens.scan.pieces',"
        " 'tracelens.scan.streaming'} & set(sys.modules)))"
    )
    run = run_command(sys.executable, "-c", code)
    assert (run.output.strip(), run.errors) == (b"[]", "")


def test_block_in_noise_is_found_at_its_lines():
    before, after = noise(20_000), noise(20_000, seed=1)
    data = b"".join([*before, TRACEBACK, *after])
    regions, ledger = scan(data)
    found = [region for region in regions if TRACEBACK in raw(region)]
    assert len(found) == 1
    assert found[0].first_line + raw(found[0]).split(TRACEBACK)[0].count(b"\n") == len(before) + 1
    assert ledger.lines == len(before) + len(after) + TRACEBACK.count(b"\n")
    # Head, block, tail: all else was left out.
    assert len(regions) == 3
    assert sum(len(raw(region)) for region in regions) < len(data) / 5


def test_beginning_and_end_are_regions_even_without_a_hit():
    lines = noise(5000)
    regions, ledger = scan(b"".join(lines))
    assert [region.first_line for region in regions] == [1, len(lines) - USUAL.tail_lines + 1]
    assert raw(regions[0]) == b"".join(lines[: USUAL.head_lines])
    assert ledger.hit_lines == 0


@pytest.mark.parametrize("prefix", [b"", b"[rank3]: ", b"vllm-1  | ", b"2025-11-03T10:22:41.113Z "])
def test_flood_after_an_error_is_in_its_region(prefix):
    flood = b"".join(
        b"/usr/include/c++/12/bits/stl_vector.h:%d:11: warning: unused variable 'x' [-Wunused]\n"
        b"  %d |   int x;\n      |       ^\n" % (number, number)
        for number in range(600)
    )
    block = (
        b"/tmp/a.cpp:1:1: error: 'x' was not declared\n" + flood + b"cc1plus: all warnings being treated as errors\n"
    )
    decorated = b"".join(prefix + line for line in line_slices(block))
    data = b"".join([*noise(3000), decorated, *noise(3000, seed=1)])
    regions, _ = scan(data, ("was not declared",))
    assert sum(decorated in raw(region) for region in regions) == 1


def test_block_is_whole_when_only_its_last_line_hits():
    frames = b"".join(b'  File "/app/m.py", line %d, in f\n    return g(x)\n' % number for number in range(200))
    block = b"Traceback (most recent call last):\n" + frames + b"KeyError: 'cubin'\n"
    data = b"".join([*noise(3000), block, *noise(3000, seed=1)])
    regions, _ = scan(data, ("KeyError: 'cubin'",))
    assert sum(block in raw(region) for region in regions) == 1


def test_growth_ends_at_its_limit_and_says_so():
    endless = b"    indented\n" * 80_000
    regions, _ = scan(b"Killed\n" + endless, ("Killed",), options=replace(USUAL, head_lines=0))
    assert [region.complete for region in regions] == [False, True]
    assert len(raw(regions[0])) < USUAL.growth_bytes + 2 * USUAL.after_bytes


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("anchors", [PATTERNS, GRAMMAR], ids=["patterns", "grammar"])
def test_engines_agree_on_every_log_of_the_corpus(engine, anchors):
    # One stream for all: hits stand near each other and near the ends of reads.
    data = b"".join(map(read_log, LOGS[::2]))
    wanted, ledger = scan(data, anchors, options=replace(USUAL, engine="python"))
    regions, other = scan(data, anchors, options=replace(USUAL, engine=engine), sizes=(70_001, 4097, 200_003))
    assert regions == wanted
    assert (other.hit_lines, other.lines, other.engine) == (ledger.hit_lines, ledger.lines, engine)
    assert len(LOGS) > 100
    assert ledger.hit_lines > 1000


@pytest.mark.parametrize("anchors", [PATTERNS, GRAMMAR], ids=["patterns", "grammar"])
def test_hit_lines_are_those_that_re_finds(anchors):
    data = b"".join(map(read_log, LOGS[1::3]))
    lines = line_slices(data)
    _, ledger = scan(data, anchors)
    plain = [re.compile(anchor.encode(), re.MULTILINE) for anchor in anchors if anchor.isascii()]
    # A bare carriage return ends what an anchor sees as a line.
    hits = [line for line in lines if any(each.search(line.replace(b"\r", b"\n")) for each in plain)]
    assert len(hits) > 500
    # A class that takes any character takes all bytes of one, so a few more may be found, never fewer.
    assert len(hits) <= ledger.hit_lines <= len(hits) * 1.02


@pytest.mark.parametrize("path", LOGS[::7], ids=lambda path: path.parent.name)
def test_regions_hold_the_lines_they_claim(path):
    data = read_log(path)
    options = replace(USUAL, head_lines=5, tail_lines=5)
    regions, ledger = scan(data, options=options, sizes=(4096,))
    assert all(held == wanted for held, wanted in windows(data, regions))
    assert ledger.lines == len(line_slices(data))
    assert ledger.bytes == len(data)


@given(data=TEXTS, sizes=SIZES, engine=st.sampled_from(ENGINES))
def test_any_cut_and_any_engine_give_the_same_regions(data, sizes, engine):
    wanted, ledger = scan(data, options=replace(TIGHT, engine="python"))
    regions, other = scan(data, options=replace(TIGHT, engine=engine), sizes=sizes)
    assert regions == wanted
    assert (other.lines, other.hit_lines, other.bytes) == (ledger.lines, ledger.hit_lines, len(data))


@given(data=TEXTS, sizes=SIZES, read_bytes=st.integers(1, 1024))
def test_any_region_holds_the_lines_it_claims_and_none_overlap(data, sizes, read_bytes):
    regions, ledger = scan(data, options=replace(TIGHT, engine="python", read_bytes=read_bytes), sizes=sizes)
    assert ledger.lines == len(line_slices(data))
    if ledger.omitted_bytes:
        # A condensed line is not the line of the input; its number still is right.
        assert all(region.first_line <= ledger.lines for region in regions)
    else:
        assert all(held == wanted for held, wanted in windows(data, regions))
    ends = [region.first_line + len(line_slices(raw(region))) for region in regions]
    assert all(end < region.first_line for end, region in zip(ends, regions[1:], strict=False) if region.complete)
    assert ends == sorted(ends)


@given(data=TEXTS)
def test_any_hit_line_is_in_a_region(data):
    regions, _ = scan(data, options=replace(TIGHT, engine="python"))
    numbers = {region.first_line + offset for region in regions for offset in range(len(line_slices(raw(region))))}
    hit = re.compile(rb"Traceback \(most|ValueError: |: error: |CUDA out of memory|ninja: build stopped|Killed\r?\n")
    assert all(number in numbers for number, line in enumerate(line_slices(data), start=1) if hit.search(line + b"\n"))


def test_too_large_a_region_is_cut_at_a_fresh_start():
    block = TRACEBACK + b"next attempt\n"
    data = block * 9000
    options = replace(USUAL, head_lines=0, tail_lines=0)
    regions, ledger = scan(data, options=options)
    assert b"".join(map(raw, regions)) == data
    assert all(raw(region).startswith(b"Traceback") for region in regions)
    assert [region.complete for region in regions] == [False] * (len(regions) - 1) + [True]
    assert ledger.dropped == 0
    assert len(regions) == 1 + len(data) // options.region_bytes


def test_repeats_beyond_the_limit_are_dropped_and_counted_but_never_a_new_kind():
    other = b"OSError: [Errno 28] No space left on device\n"
    repeated = [b"Error number %d: the same again\n" % number + b"quiet\n" * 60 for number in range(4000)]
    repeated[3000] += other + b"quiet\n" * 60
    options = replace(USUAL, keep_bytes=100_000, keep_last_bytes=20_000, join_bytes=64)
    regions, ledger = scan(b"".join(repeated), (r"Error number", "OSError: "), options=options)
    texts = [raw(region) for region in regions]
    assert sum(other in text for text in texts) == 1
    assert b"number 0:" in texts[0]
    assert b"number 3999:" in texts[-1]
    assert ledger.dropped > 1000
    assert sum(map(len, texts)) + ledger.dropped_bytes <= len(b"".join(repeated))
    assert sum(map(len, texts)) < 2 * options.keep_bytes + options.keep_last_bytes
    assert [region.first_line for region in regions] == sorted(region.first_line for region in regions)
    assert [remark.code for remark in ledger.diagnostics()] == ["scan-dropped"]
    assert f"{ledger.dropped:,} regions" in ledger.diagnostics()[0].message


def test_new_kind_that_only_the_end_of_a_long_line_tells_is_never_dropped():
    path = b"/opt/" + b"nested/" * 40 + b"source.cpp"
    repeated = [path + b":%d:1: error: 'value' was not declared\n" % number for number in range(4000)]
    repeated[2000] = other = path + b":2000:1: fatal error: Python.h: No such file or directory\n"
    options = replace(USUAL, keep_bytes=100_000, keep_last_bytes=20_000, join_bytes=64, region_bytes=4096)
    regions, ledger = scan(b"".join(repeated), (r"error: ",), options=options)
    assert ledger.dropped > 100
    assert sum(other in raw(region) for region in regions) == 1


def test_bad_anchor_is_named():
    with pytest.raises(AnchorError, match=r"lookahead"):
        list(find_regions(CutFeed(b"x\n" * 10), ("x(?=y)",), options=USUAL))


def test_ledger_grows_while_regions_are_drawn():
    ledger = ScanLedger()
    data = b"".join([*noise(40_000), TRACEBACK, *noise(40_000, seed=2)])
    drawn = iter(find_regions(CutFeed(data), GRAMMAR, options=USUAL, ledger=ledger))
    next(drawn)
    assert 0 < ledger.bytes < len(data)
    assert ledger.regions == 1
    assert len(list(drawn)) + 1 == ledger.regions
    assert ledger.bytes == len(data)
    assert ledger.diagnostics() == ()
