from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.source.test_strands import lines_of, split

TRACE = 'Traceback (most recent call last):\n  File "C:\\new\\a.py", line 1, in f\n    g("it\'s")\nValueError: x'
TOLD = TRACE.splitlines()


def unescaped(line: str) -> list[str]:
    return list(lines_of(split(line + "\n")[0]))


def test_a_value_of_a_key_becomes_the_lines_of_its_traceback():
    assert unescaped(f"level=error msg=failed exc={json.dumps(TRACE)} pid=7") == [
        "level=error msg=failed exc=",
        *TOLD,
        " pid=7",
    ]


def test_what_stands_before_the_traceback_in_the_value_is_kept():
    assert unescaped(f"error={json.dumps('Worker died:' + chr(10) + TRACE)}") == ["error=", "Worker died:", *TOLD]


@pytest.mark.parametrize(
    "quoted", [repr(TRACE), repr(TRACE.encode()), json.dumps(json.dumps(TRACE)), repr(repr(TRACE))]
)
def test_any_way_of_quoting_is_undone(quoted):
    assert unescaped(f"failed ({quoted}, 1)")[1:-1] == TOLD


def test_an_object_that_was_cut_off_still_tells_what_was_raised():
    line = json.dumps({"ts": "t", "message": "failed", "other": TRACE, "rest": "a" * 80})[:-40]
    assert [row for row in unescaped(line) if row in TOLD] == TOLD


@pytest.mark.parametrize(
    "line",
    [
        f"Received request 1: prompt: {TRACE!r}, n=1",
        f"AssertionError: assert {TRACE!r} in text",
        r'print("Traceback (most recent call last):\n")',
    ],
)
def test_what_somebody_sent_or_a_test_compared_stays(line):
    assert unescaped(line) == [line]


def test_codes_within_a_value_come_off():
    assert unescaped(repr("\x1b[31m" + TRACE + "\x1b[0m")) == TOLD


@given(st.text(alphabet="\\\"'nrtux01 =(,", max_size=60), st.text(alphabet="\\\"'nrtux01 ,)", max_size=60))
def test_any_surroundings_are_read_without_raising(before, after):
    assert split(f"{before}Traceback (most recent call last):\\n  File {after}\n")


def test_halves_of_a_character_come_together_and_one_alone_is_replaced():
    told = unescaped("exc=" + json.dumps(f"{TRACE} \U0001f600").removesuffix('"') + '\\ud83d"')
    assert told == ["exc=", *TOLD[:-1], "ValueError: x \U0001f600\ufffd"]
