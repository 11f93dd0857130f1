from __future__ import annotations

import pytest

from tests.source.test_strands import lines_of, split

TRACEBACK = [
    "Traceback (most recent call last):",
    '  File "/workspace/train.py", line 12, in <module>',
    "    step()",
    '  File "/workspace/train.py", line 5, in step',
    "    raise ValueError(1)",
    "ValueError: 1",
]


def times(lines: list[str], count: int) -> str:
    return "".join(f"{line}\n" * count for line in lines)


@pytest.mark.parametrize("count", [2, 3, 8])
def test_lines_that_several_processes_printed_are_taken_once(count):
    (strand,) = split(times(["loading", *TRACEBACK, "done"], count))
    assert lines_of(strand) == ["loading", *TRACEBACK, "done"]


def test_lines_keep_the_number_of_the_first_that_was_printed():
    (strand,) = split(times(TRACEBACK, 2))
    assert list(strand.line_numbers) == [1, 3, 5, 7, 9, 11]


def test_only_the_stretch_that_was_printed_twice_is_taken_once():
    (strand,) = split("step 1\n" + times(TRACEBACK, 2) + "step 2\nstep 3\n")
    assert lines_of(strand) == ["step 1", *TRACEBACK, "step 2", "step 3"]


def test_a_line_that_each_process_printed_twice_stays_twice():
    (strand,) = split(times([*TRACEBACK, "retry", "retry"], 2))
    assert lines_of(strand)[-2:] == ["retry", "retry"]


@pytest.mark.parametrize(
    "text",
    [
        times(["step", "loss", "step", "loss", "saved"], 2),
        "\n".join(TRACEBACK) + "\nretry\nretry\n" + "\n".join(TRACEBACK) + "\n",
        # A function that calls itself.
        "Traceback (most recent call last):\n" + '  File "/a.py", line 2, in f\n    f()\n' * 3,
    ],
)
def test_equal_lines_in_a_row_stay_where_not_all_are(text):
    (strand,) = split(text)
    assert lines_of(strand) == text.splitlines()
