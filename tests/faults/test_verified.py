"""The table of what ``tracelens verify`` said: whole, as its data, and without a false ``fixes``."""

from __future__ import annotations

import json

from corpus.faults.verify_cases import CASES
from corpus.faults.verify_table import FOLDER, SHOWN, show

RECORDS = json.loads((FOLDER / "verified-cpu-2.13.0.json").read_text(encoding="utf-8"))
RUNS = [(record["fault"], run) for record in RECORDS.values() for run in record["runs"]]


def judged(expected):
    return [(fault, run["fix"], run["status"]) for fault, run in RUNS if run["expected"] == expected]


def test_table_shows_the_data():
    assert SHOWN.read_text(encoding="utf-8") == show()


def test_every_fault_was_met():
    assert {case.fault.name for case in CASES} == set(RECORDS)
    assert {name: record["baseline"]["status"] for name, record in RECORDS.items()} == dict.fromkeys(
        RECORDS, "reproduced"
    )


def test_right_fixes_are_called_right_and_no_wrong_one_is():
    right, wrong = judged("fixes"), judged("does not fix")
    assert len(right) >= 25
    assert sum(status == "fixes" for *_, status in right) >= 0.95 * len(right)
    assert len(wrong) >= 15
    assert [pair for pair in wrong if pair[2] != "does not fix"] == []
