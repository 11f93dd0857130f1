"""A report must not replace the log that it is about, nor another report of the same run."""

from __future__ import annotations

import json
import os
import subprocess

import pytest

from tests.command import COMMAND, CORPUS, run_tracelens

_LOG = (CORPUS / "lab/2.13.0/so-zero/input.log").read_bytes()
_OPTIONS = ("-o", "--json-output", "--markdown-output", "--sarif-output", "--html-output")


@pytest.fixture
def log(tmp_path):
    file = tmp_path / "logs" / "train.log"
    file.parent.mkdir()
    file.write_bytes(_LOG)
    return file


@pytest.mark.parametrize("option", _OPTIONS)
def test_a_log_is_not_overwritten_by_its_report(log, option):
    run = run_tracelens("analyze", log, option, log)
    assert (run.code, run.output) == (2, b"")
    assert "is an input, which the report would overwrite" in run.errors
    assert log.read_bytes() == _LOG


@pytest.mark.parametrize("link", [os.link, os.symlink])
def test_another_name_of_the_log_does_not_help(log, tmp_path, link):
    other = tmp_path / "other"
    link(log, other)
    assert run_tracelens("analyze", log, "-o", other).code == 2
    assert run_tracelens("analyze", other, "-o", log).code == 2
    assert log.read_bytes() == _LOG


def test_a_log_in_a_folder_a_pattern_or_on_standard_input_is_an_input(log):
    assert run_tracelens("analyze", log.parent, "-o", log).code == 2
    assert run_tracelens("analyze", log.parent / "*.log", "-o", log).code == 2
    assert run_tracelens("report", log, "-o", log).code == 2
    assert run_tracelens("analyze", "--artifacts", log, "-o", log).code == 2
    with log.open("rb") as stdin:
        done = subprocess.run([COMMAND, "analyze", "-", "-o", log], stdin=stdin, capture_output=True, check=False)
    assert done.returncode == 2
    assert log.read_bytes() == _LOG


def test_an_older_report_is_replaced(log, tmp_path):
    report = tmp_path / "report.txt"
    report.write_text("old")
    assert run_tracelens("analyze", log, "-o", report).code == 0
    assert "cache/truncated-artifact" in report.read_text()


def test_two_reports_do_not_share_a_file(log, tmp_path):
    report = tmp_path / "report"
    run = run_tracelens("analyze", log, "--json-output", report, "--sarif-output", tmp_path / "logs/../report")
    assert (run.code, run.output) == (2, b"")
    assert "two reports would be written to this file" in run.errors
    assert not report.exists()
    assert run_tracelens("analyze", log, "-q", "--json-output", "/dev/null", "--sarif-output", "/dev/null").code == 0


def test_a_dash_is_standard_output(log, tmp_path):
    done = subprocess.run(
        [COMMAND, "analyze", log, "--format", "json", "-o", "-"], capture_output=True, cwd=tmp_path, check=False
    )
    assert done.returncode == 0
    assert json.loads(done.stdout)["label"] == "cache/truncated-artifact"
    assert not (tmp_path / "-").exists()
