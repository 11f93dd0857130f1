from __future__ import annotations

import json
import pickle
import shutil
import tarfile

import pytest

from tests.command import CORPUS, run_tracelens
from tracelens.cli.parallel import do_parallel, worthwhile_jobs
from tracelens.cli.tasks import Task, do_task, tasks_of
from tracelens.errors import InputError
from tracelens.findings import Diagnosis
from tracelens.ruleset.bundled import load_ruleset
from tracelens.source import expand_inputs

CASES = ("lab/2.13.0/inductor-no-gxx", "lab/2.13.0/rank-change", "lab/2.13.0/mlp")


@pytest.fixture
def logs(tmp_path):
    folder = tmp_path / "logs"
    folder.mkdir()
    for number in range(9):
        shutil.copy(CORPUS / CASES[number % 3] / "input.log", folder / f"rank{number}.log")
    (folder / "rank4.log").write_bytes(b"PK\x03\x04" + bytes(600))  # no log, and the only one that says so
    return folder


def test_answers_of_several_processes_come_in_the_order_of_the_inputs(logs):
    one = run_tracelens("analyze", "--format", "json", "--jobs", "1", str(logs))
    many = run_tracelens("analyze", "--format", "json", "--jobs", "3", str(logs))
    assert (many.code, many.output, many.errors) == (one.code, one.output, one.errors)
    assert one.code == 2
    assert "rank4.log" in one.errors
    sources = [item["source"] for item in json.loads(one.output)["inputs"]]
    assert sources == [str(logs / f"rank{number}.log") for number in range(9) if number != 4]


def test_members_of_an_archive_can_be_read_by_other_processes(logs, tmp_path):
    path = tmp_path / "ranks.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        archive.add(logs / "rank0.log", "rank0.log")
        archive.add(logs / "rank1.log", "rank1.log")
    tasks = list(tasks_of(str(path), {}))
    assert [task.source for task in tasks if isinstance(task, Task)] == [f"{path}:rank0.log", f"{path}:rank1.log"]
    found = list(do_parallel(tasks, 2, ()))
    assert found == [do_task(task, load_ruleset(), quiet=True) for task in tasks]
    assert all(isinstance(answer, Diagnosis) for answer in found)


def test_an_input_survives_the_way_to_another_process(logs):
    (entry,) = expand_inputs([str(logs / "rank0.log")])
    with pickle.loads(pickle.dumps(entry)).open() as feed:  # noqa: S301 - what was just made
        view = memoryview(bytearray(100))
        assert feed.readinto(view) > 0


def test_few_small_logs_are_not_worth_a_process(logs, tmp_path):
    assert worthwhile_jobs(list(tasks_of(str(logs), {}))) == 1
    for number in range(3):
        with (tmp_path / f"{number}.log").open("wb") as file:
            file.truncate(5 << 20)
    tasks = [task for number in range(3) for task in tasks_of(str(tmp_path / f"{number}.log"), {})]
    assert 1 <= worthwhile_jobs(tasks) <= 3
    assert worthwhile_jobs([InputError("x", "no such file")]) == 1


@pytest.mark.parametrize("number", ["0", "-1", "two"])
def test_a_number_of_jobs_is_a_positive_number(number):
    run = run_tracelens("analyze", "--jobs", number, str(CORPUS))
    assert run.code == 2
    assert "--jobs" in run.errors
