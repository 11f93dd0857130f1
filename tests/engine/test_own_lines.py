from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.engine.by_hand import span
from tracelens.api import analyze_text
from tracelens.engine.own_lines import OwnLines
from tracelens.findings import Outcome


def test_lines_in_one_run_are_as_far_apart_as_they_stand():
    own = OwnLines()
    own.add(None, range(3, 90))
    assert own.distance(None, span(4, 6), span(10)) == own.distance(None, span(10), span(4, 6)) == 4
    assert (own.above(None, 10, 3), own.above(None, 2, 5), own.below(None, 10, 3)) == (7, 1, 13)


@given(st.lists(st.integers(1, 4), min_size=2, max_size=30), st.data())
def test_lines_of_others_move_nothing_apart(steps, data):
    numbers = [sum(steps[: count + 1]) for count in range(len(steps))]
    own = OwnLines()
    own.add("rank 0", numbers)
    one, other = sorted(data.draw(st.tuples(*[st.integers(0, len(numbers) - 1)] * 2)))
    assert own.distance("rank 0", span(numbers[one]), span(numbers[other])) == other - one
    assert own.above("rank 0", numbers[other], other - one) == numbers[one]
    assert own.below("rank 0", numbers[one], other - one) == numbers[other]
    assert own.distance("rank 1", span(1), span(7)) == 6


def test_what_stands_between_regions_counts_in_full():
    own = OwnLines()
    own.add("rank 0", [1, 3, 5])
    own.add("rank 0", [1001, 1003])
    assert own.distance("rank 0", span(5), span(1001)) == 996
    assert own.below("rank 0", 3, 1) == 5


@given(st.permutations([[1, 3, 5], [1001, 1003], [2001, 2005, 2006]]))
def test_regions_may_come_in_any_order(regions):
    own = OwnLines()
    for region in regions:
        own.add("rank 0", region)
        assert own.distance("rank 0", span(region[0]), span(region[1])) == 1
    assert own.distance("rank 0", span(3), span(1003)) == 998
    assert own.distance("rank 0", span(2001), span(2006)) == 2
    assert own.above("rank 0", 2006, 2) == 2001


def test_a_line_that_spans_several_ends_where_the_next_one_begins():
    own = OwnLines()
    own.add(None, [1, 2, 6])
    assert own.distance(None, span(2, 5), span(6)) == 1
    assert own.below(None, 5, 0) == 5


def test_ranks_that_write_between_each_other_are_excused_as_one_alone():
    said = "test_message (__main__.BuildTest.test_message) ... RuntimeError: Ninja is required to load C++ extensions"
    log = [said, "ok", "", "-" * 70, "Ran 1 test in 0.001s", "", "OK"]
    woven = "\n".join(f"[rank{rank}]: {line}" for line in log for rank in range(8))
    assert analyze_text("\n".join(log)).outcome is analyze_text(woven).outcome is Outcome.CLEAN
