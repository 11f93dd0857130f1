from __future__ import annotations

import csv
import io
import json

import pytest

from tests.source.dressing import CRASH
from tests.source.test_strands import lines_of, split
from tracelens.source.controls import rows_of
from tracelens.source.csv_rows import unwrap_csv


def table_of(rows: list[list[str]]) -> str:
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows(rows)
    return file.getvalue()


@pytest.mark.parametrize("time", ["17645760000{:02d}", "2026-03-24T06:51:{:02d}.123Z", "2026-03-24 06:51:{:02d}"])
def test_the_rows_of_a_table_become_their_messages(time):
    table = table_of([["timestamp", "message"], *([time.format(i), line] for i, line in enumerate(CRASH))])
    assert lines_of(split(table)[0]) == CRASH


def test_a_message_of_several_lines_is_one_field():
    table = table_of([["@timestamp", "@message"], *(["1764576000000", "\n".join(CRASH[:7])] for _ in range(4))])
    assert lines_of(split(table)[0]) == CRASH[:7] * 4


def test_the_header_of_a_record_is_no_row_of_a_table():
    records = [f"2025-05-18 11:04:09,{number} worker started" for number in range(331, 341)]
    assert unwrap_csv(rows_of("\n".join(records) + "\n", 1)) is None


def test_entries_that_are_printed_with_a_line_for_each_field_become_their_messages():
    entries = [{"insertId": f"x{i}", "textPayload": line, "labels": {"a": "b"}} for i, line in enumerate(CRASH)]
    assert lines_of(split(json.dumps(entries, indent=2))[0]) == CRASH


def test_a_message_that_is_no_json_stays_as_it_is():
    entry = r"""{
  "timestamp": 1764576000000,
  "message": "C:\q\u12 and \ud83d"
}
"""
    assert lines_of(split(entry)[0]) == [r"C:\q\u12 and \ud83d"]


def test_an_object_without_messages_stays():
    config = json.dumps({"model": {"name": "x", "layers": [1, 2]}, "message": "hello"}, indent=2)
    assert lines_of(split(config)[0]) == config.split("\n")


def test_the_rows_of_a_list_lose_their_quotes():
    rows = f"[{',;;; '.join(map(repr, CRASH[:7]))}]".replace(";;;", "\n")
    assert lines_of(split(rows)[0]) == CRASH[:7]


def test_source_with_a_few_strings_stays():
    source = ["extra_compile_args=[", "    '-O3',", "    '-std=c++17',", "    '-g',", "]"]
    assert lines_of(split("\n".join(source))[0]) == source


def test_quotes_that_a_chat_curled_are_straight_again_and_those_of_compilers_stay():
    assert lines_of(split("  File \u201c/w/a.py\u201d, line 3, in f\nKeyError: \u2018x\u2019")[0]) == [
        '  File "/w/a.py", line 3, in f',
        "KeyError: 'x'",
    ]
    gcc = "a.cpp:3:1: error: \u2018x\u2019 was not declared in this scope"
    assert lines_of(split(gcc)[0]) == [gcc]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("python txyz\b\b\brain.py", "python train.py"),
        ("R\bRu\bun\bn", "Run"),
        ("wait |\b/\b-\b\\\b done", "wait  done"),
        ("\b\bx", "x"),
    ],
)
def test_backspaces_take_back_what_was_typed(typed, meant):
    assert lines_of(split(f"{typed}\nend")[0])[0] == meant
