"""The tables of what ``tracelens verify`` said: whole, as their data, and without a false ``fixes``."""

from __future__ import annotations

import json

import pytest

from corpus.faults import verify_cases, verify_gpu
from corpus.faults.verify_table import FOLDER, SHOWN, show

CASES = {"cpu-2.13.0": verify_cases.CASES, "cpu-2.5.1": verify_cases.CASES, "gpu": verify_gpu.CASES}
FILES = {machine: f"verified-{machine}.json" for machine in CASES}
RECORDS = {machine: json.loads((FOLDER / name).read_text(encoding="utf-8")) for machine, name in FILES.items()}
machines = pytest.mark.parametrize(
    ("machine", "least_right", "least_wrong"),
    [("cpu-2.13.0", 25, 15), ("cpu-2.5.1", 25, 15), ("gpu", 12, 12)],
    ids=list(CASES),
)


def judged(machine, expected):
    return [
        (record["fault"], run["fix"], run["status"])
        for record in RECORDS[machine].values()
        for run in record.get("runs", ())
        if run["expected"] == expected
    ]


def test_table_shows_the_data():
    assert SHOWN.read_text(encoding="utf-8") == show()


@pytest.mark.parametrize("machine", CASES)
def test_every_fault_was_met(machine):
    """A fault that a release of torch does not fail of says nothing about it."""
    records = RECORDS[machine]
    assert {case.fault.name for case in CASES[machine]} == set(records)
    harmless = {name for name, record in records.items() if record["problem"] == "this torch does not fail of it"}
    assert len(harmless) < 3
    met = {name: record["baseline"]["status"] for name, record in records.items() if name not in harmless}
    assert met == dict.fromkeys(met, "reproduced")


@machines
def test_right_fixes_are_called_right_and_no_wrong_one_is(machine, least_right, least_wrong):
    right, wrong = judged(machine, "fixes"), judged(machine, "does not fix")
    assert len(right) >= least_right
    assert sum(status == "fixes" for *_, status in right) >= 0.95 * len(right)
    assert len(wrong) >= least_wrong
    assert [pair for pair in wrong if pair[2] != "does not fix"] == []
