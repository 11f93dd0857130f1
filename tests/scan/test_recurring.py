"""Regions that come again at other times: counted, and nothing else is taken for one of them."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.scan.logs import ENGINES, TIGHT, USUAL, raw, scan, windows
from tracelens.scan import recurring
from tracelens.scan.recurring import KnownRegions

CHATTER = "V1201 {time} 7 torch/_inductor/graph.py:{number}] [0/0] lowering %mul : call_function[target=mul]"
COMPLAINT = (
    "W1201 {time} 7 torch/_dynamo/convert_frame.py:1994] [0/8] torch._dynamo hit config.recompile_limit (8)",
    "W1201 {time} 7 torch/_dynamo/convert_frame.py:1994] [0/8]    function: 'forward' (train.py:12)",
    "W1201 {late} 7 torch/_dynamo/convert_frame.py:1994] [0/8]    last reason: expected {size}, actual 19",
)
FILLER = "as long as lines are in a log, so that what is far apart is no single region " * 2
NO_ENDS = replace(USUAL, head_lines=0, tail_lines=0)


def turn(second: int, *, size: int = 16, late: int = 0, chatter: int = 60) -> list[str]:
    """Return what one compilation prints at a time."""
    time, late_time = (f"10:{each // 60 % 60:02}:{each % 60:02}.123000" for each in (second, second + late))
    quiet = [CHATTER.format(time=time, number=number) for number in range(chatter)]
    return [*quiet, *(line.format(time=time, late=late_time, size=size) for line in COMPLAINT), *quiet]


def text(*turns: list[str]) -> bytes:
    return "".join(f"{line}\n" for lines in turns for line in lines).encode()


def times(data: bytes) -> list[tuple[int, int]]:
    regions, _ = scan(data, options=NO_ENDS)
    assert all(held == wanted for held, wanted in windows(data, regions))
    return [(region.first_line, region.times) for region in regions]


def test_equal_regions_are_read_a_few_times_and_then_counted():
    found = times(text(*(turn(second) for second in range(50))))
    lines = len(turn(0))
    first = found[0][0]
    assert sum(count for _, count in found) == 50
    assert found[-1] == (first + 49 * lines, 50 - len(found) + 1)
    assert [line for line, _ in found[:-1]] == [first + number * lines for number in range(len(found) - 1)]
    assert len(found) < 5


def test_regions_that_differ_in_what_they_say_are_all_read():
    assert {count for _, count in times(text(*(turn(second, size=16 + second) for second in range(50))))} == {1}


def test_what_was_printed_at_one_time_is_not_what_was_printed_at_two():
    turns = [turn(second, late=second // 25) for second in range(50)]
    found = times(text(*turns))
    assert len([count for _, count in found if count > 1]) == 2
    assert sum(count for _, count in found) == 50


def test_the_one_other_region_among_many_is_read():
    turns = [turn(second) for second in range(400)]
    turns[300] = turn(300, size=17)
    data = text(*turns)
    regions, _ = scan(data, options=NO_ENDS)
    other = [region for region in regions if b"expected 17" in raw(region)]
    assert [(region.times, region.complete) for region in other] == [(1, True)]
    assert sum(region.times for region in regions) == 400


def test_what_stands_in_the_place_of_a_time_is_read():
    turns = [turn(second) for second in range(20)]
    turns[10][70] = turns[10][70].replace("10:00:10.123000", "   Killed      ")
    regions, _ = scan(text(*turns), options=NO_ENDS)
    assert sum(b"Killed" in raw(region) for region in regions) == 1


def test_lines_around_a_region_decide_where_it_ends():
    # The context of the complaint is cut short by an indented line in one turn, which belongs to its block.
    turns = [turn(second) for second in range(20)]
    turns[10][60 + 3 + USUAL.after_lines] = "    indented: the block goes on"
    data = text(*turns)
    regions, _ = scan(data, options=NO_ENDS)
    assert sum(b"the block goes on" in raw(region) for region in regions) == 1
    assert sum(region.times for region in regions) == 20


def test_room_for_known_regions_is_bounded(monkeypatch):
    monkeypatch.setattr(recurring, "_ROOM", 0)
    assert len(times(text(*(turn(second) for second in range(50))))) == 50


@pytest.mark.parametrize(
    "stamp", ["10:{:02}:{:02}.123", "2026-12-01 10:{:02}:{:02},123", "[rank3]:V1201 10:{:02}:{:02}.123000 7"]
)
def test_times_are_known_by_their_form(stamp):
    lines = [
        f"{stamp.format(second // 60, second % 60)} line {number} of it {FILLER}"
        + " RuntimeError: boom" * (number == 50)
        for second in range(30)
        for number in range(100)
    ]
    found = times("".join(f"{line}\n" for line in lines).encode())
    assert len(found) < 5
    assert sum(count for _, count in found) == 30


@pytest.mark.parametrize("text_of", ["epoch {} done", "[rank{}]: done", "step={} 10:20:30 done", "pid=1{} done"])
def test_other_numbers_are_no_times(text_of):
    lines = [
        f"{text_of.format(turned)} {number} {FILLER}" + " RuntimeError: boom" * (number == 50)
        for turned in range(10, 40)
        for number in range(100)
    ]
    assert len(times("".join(f"{line}\n" for line in lines).encode())) == 30


PARTS = st.sampled_from(
    [
        "{clock} RuntimeError: boom",
        "{clock} Traceback (most recent call last):",
        '  File "/a/b.py", line {number}, in f',
        "    return x",
        "{clock} step {number}",
        "{clock} quiet",
        "quiet",
        "",
        "x" * 90,
        "y" * 160,
        "ninja: build stopped: subcommand failed.",
    ]
)
QUIET = st.integers(0, 9).map(lambda number: ["{clock} quiet, and as long as lines are in a log"] * number)
BLOCKS = st.tuples(QUIET, st.lists(PARTS, min_size=1, max_size=6), QUIET).map(
    lambda parts: [*parts[0], *parts[1], *parts[2]]
)
TURNS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 1)), min_size=2, max_size=30)
SIZES = st.lists(st.integers(1, 900), min_size=1, max_size=6).map(tuple)


def spoken(blocks: list[list[str]], turns: list[tuple[int, int]]) -> bytes:
    lines = []
    for second, (block, number) in enumerate(turns):
        lines += [line.format(clock=f"10:20:{second:02}", number=number) for line in blocks[block % len(blocks)]]
    return "".join(f"{line}\n" for line in lines).encode()


@given(blocks=st.lists(BLOCKS, min_size=1, max_size=4), turns=TURNS, sizes=SIZES, engine=st.sampled_from(ENGINES))
def test_any_cut_knows_the_same_regions(blocks, turns, sizes, engine):
    data = spoken(blocks, turns)
    wanted, ledger = scan(data, options=replace(TIGHT, engine="python", read_bytes=1024))
    regions, other = scan(data, options=replace(TIGHT, engine=engine), sizes=sizes)
    assert regions == wanted
    assert (other.lines, other.hit_lines) == (ledger.lines, ledger.hit_lines)


@given(blocks=st.lists(BLOCKS, min_size=1, max_size=4), turns=TURNS)
def test_any_region_is_handed_on_or_counted_with_an_equal_one(blocks, turns):
    data = spoken(blocks, turns)
    regions, ledger = scan(data, options=TIGHT)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(KnownRegions, "find", lambda *_: None)
        patch.setattr(KnownRegions, "learn", lambda *_: None)
        plain, other = scan(data, options=TIGHT)
    assert (ledger.lines, ledger.hit_lines) == (other.lines, other.hit_lines)
    said: Counter[bytes] = Counter()
    for region in regions:
        said[timeless(region)] += region.times
    assert said == Counter(map(timeless, plain))
    assert {(region.first_line, raw(region)) for region in regions} <= {(each.first_line, raw(each)) for each in plain}
    assert all(held == wanted for held, wanted in windows(data, regions))


def timeless(region) -> bytes:
    return re.sub(rb"10:20:\d\d", b"", raw(region))
