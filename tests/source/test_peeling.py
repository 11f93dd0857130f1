from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.source.dressing import CRASH, DRESSES
from tests.source.test_strands import lines_of, names_of, split
from tracelens.source.decorations import decorations
from tracelens.source.signs import may_start_lines, starts_oddly

STARTS = st.one_of(st.sampled_from([dress(3, "", 1) for dress in DRESSES.values()]), st.text(max_size=12))


@given(STARTS, STARTS, st.text(max_size=8))
def test_any_line_that_peels_is_seen_by_the_quick_look(first, second, rest):
    line = (first + second + rest).replace("\n", " ")
    if decorations().match(line) and line[:1] not in {" ", "\t"}:
        assert may_start_lines(f"\n{line}\n")
        assert starts_oddly(f"\n{line}\n")


@pytest.mark.parametrize(
    ("prefix", "lines"),
    [
        ("[rank0]: ", CRASH),
        ("[rank0]:", CRASH),
        ("[rank0]: ", CRASH[1:6]),
        ("[rank0]:", CRASH[1:6]),
        ("[default0]:", CRASH),
        ("[trainer0]: ", CRASH),
        ("[1,0]<stderr>: ", CRASH),
    ],
)
def test_the_space_behind_a_decoration_is_told_from_all_its_lines(prefix, lines):
    (strand,) = split("".join(f"{prefix}{line}\n" for line in lines))
    assert lines_of(strand) == lines


def test_records_straight_behind_the_rank_do_not_change_what_tracebacks_have():
    text = "[rank0]:W1201 02:53:01.943000 2525 a/b.py:1] x\n" * 9 + "".join(f"[rank0]: {line}\n" for line in CRASH[:4])
    assert lines_of(split(text)[0])[9:] == CRASH[:4]


def test_ranks_that_tore_into_each_other_s_lines_are_parted():
    text = "[rank0]: RuntimeError:[rank1]: Traceback (most recent call last):\n[rank1]: ValueError: x\n"
    strands = split(text)
    assert names_of(strands) == ["rank 0", "rank 1"]
    assert [lines_of(strand) for strand in strands] == [
        ["RuntimeError:"],
        ["Traceback (most recent call last):", "ValueError: x"],
    ]
    assert list(strands[1].line_numbers) == [1, 2]


def test_thousands_of_torn_pieces_are_parted_without_recursion():
    (first, second) = split("[rank0]: a" + "[rank1]: b.[rank0]: c." * 3_000 + "\n")
    assert len(first.line_numbers) == len(second.line_numbers) + 1 == 3_001


def test_ray_s_note_on_repeats_comes_off():
    note = " [repeated 2x across cluster] (Ray deduplicates logs by default. Set RAY_DEDUP_LOGS=0 to disable)"
    (strand,) = split(f"(f pid=1) RuntimeError: x [repeated 12x across cluster]\n(f pid=1) y{note}\n")
    assert lines_of(strand) == ["RuntimeError: x", "y"]


def test_decorations_repeat_in_any_order():
    line = "2026-03-24T06:51:02.4410032Z 2026-03-24T06:51:01.1Z ##[error][default1]:[rank1]:[rank1]: (W pid=3) x\n"
    (strand,) = split(line)
    assert strand.text == "x\n"
    assert strand.process
    assert (strand.process.name, strand.process.rank, strand.process.pid) == ("W 3", 1, 3)


@pytest.mark.parametrize("gap", ["    ", "\t", "  "])
def test_what_became_of_the_tab_behind_a_stamp_is_no_indentation(gap):
    (strand,) = split("".join(f"2023-12-05T14:22:17.403Z{gap}{line}\n" for line in CRASH))
    assert lines_of(strand) == CRASH


def test_frames_alone_keep_their_indentation_behind_a_stamp():
    frames = ['  File "a.py", line 1, in f', "    g()"]
    (strand,) = split("".join(f"2023-12-05T14:22:17.403Z {line}\n" for line in frames))
    assert lines_of(strand) == frames
