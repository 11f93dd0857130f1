"""Below an answer stand the commands that go on from the same log, and they work."""

from __future__ import annotations

import shlex
import shutil

import pytest

from tests.command import CORPUS, run_tracelens
from tracelens.cli.parser import build_parser

CASE = CORPUS / "lab/2.13.0/inductor-no-gxx/input.log"
CLEAN = CORPUS / "lab/2.13.0/mlp/input.log"
OUTSIDE = CORPUS / "lab/2.13.0/backend-typo/input.log"


def commands_below(*arguments, **given):
    """Return the commands that a run suggests."""
    lines = run_tracelens("analyze", *arguments, **given).output.decode().splitlines()
    return [line.strip().removeprefix("Next ").strip().split("    ")[0] for line in lines if "tracelens " in line]


@pytest.mark.parametrize("name", ["train.log", "my train.log", "it's.log", "$(id).log", "-v.log"])
def test_commands_name_the_log_as_a_shell_takes_it(name, tmp_path):
    shutil.copy(CASE, tmp_path / name)
    suggested = commands_below("--", name, cwd=tmp_path)
    assert [shlex.split(command)[:2] for command in suggested] == [["tracelens", "verify"], ["tracelens", "report"]]
    for command in suggested:
        options = build_parser().parse_args(shlex.split(command)[1:])
        assert (tmp_path / options.inputs[0]).samefile(tmp_path / name)


def test_nothing_is_suggested_where_it_could_not_be_typed(tmp_path):
    shutil.copy(CASE, tmp_path / "a\x1b[31m.log")
    assert commands_below("a\x1b[31m.log", cwd=tmp_path) == []
    assert commands_below("-", stdin=CASE.read_bytes()) == []
    assert commands_below(CASE, CASE.with_name("case.yml")) == []
    assert commands_below("--redact", CASE) == []
    assert commands_below("--quiet", CASE) == []


def test_clean_log_needs_nothing_more():
    assert commands_below(CLEAN) == []


def test_failure_of_no_root_cause_is_worth_a_report_only():
    assert [command.split()[1] for command in commands_below(OUTSIDE)] == ["report"]
