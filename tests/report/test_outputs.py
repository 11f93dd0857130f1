"""Formats on the command line: several at once, redacted where others read them, never without asking."""

from __future__ import annotations

import json
import os
import pty
import subprocess

import pytest

from tests.command import COMMAND, CORPUS, REPOSITORY, run_tracelens

CASE = "corpus/lab/2.13.0/inductor-no-gxx/input.log"
_SECRET = "hf_" + "AbCd" * 9


@pytest.fixture
def log(tmp_path):
    """Return a log with a name and a token in it."""
    file = tmp_path / "train.log"
    text = (CORPUS / "lab/2.13.0/inductor-no-gxx/input.log").read_text(encoding="utf-8")
    file.write_text(f"HF_TOKEN={_SECRET}\n" + text.replace("/workspace", "/home/jdoe"), encoding="utf-8")
    return file


def test_one_run_writes_several_formats(log, tmp_path):
    run = run_tracelens(
        "analyze",
        log,
        *("--json-output", tmp_path / "a.json", "--sarif-output", tmp_path / "a.sarif"),
        *("--markdown-output", tmp_path / "a.md", "--html-output", tmp_path / "a.html"),
    )
    assert (run.code, run.errors) == (0, "")
    assert b"toolchain/cxx-missing" in run.output
    assert json.loads((tmp_path / "a.json").read_text())["label"] == "toolchain/cxx-missing"
    assert json.loads((tmp_path / "a.sarif").read_text())["version"] == "2.1.0"
    assert "### Error logs" in (tmp_path / "a.md").read_text(encoding="utf-8")
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "toolchain/cxx-missing" in page
    assert "Redacted: " in page
    assert "jdoe" not in page
    assert "jdoe" in (tmp_path / "a.json").read_text()
    assert "jdoe" not in (tmp_path / "a.sarif").read_text() + (tmp_path / "a.md").read_text(encoding="utf-8")


def test_report_is_analyze_in_markdown(log):
    report = run_tracelens("report", log)
    assert (report.code, report.errors) == (0, "")
    assert report.output == run_tracelens("analyze", "--format", "markdown", log).output
    shown = report.output.decode()
    assert "jdoe" not in shown
    assert _SECRET not in shown
    again = run_tracelens("analyze", "-", "--format", "json", stdin=report.output)
    assert json.loads(again.output)["label"] == "toolchain/cxx-missing"


@pytest.mark.parametrize("kind", ["json", "terminal"])
def test_every_format_can_be_redacted(log, kind):
    run = run_tracelens("analyze", "--redact", "--format", kind, log)
    assert run.code == 0
    assert b"jdoe" not in run.output
    assert b"jdoe" in run_tracelens("analyze", "--format", "json", log).output


def test_nothing_is_shown_unredacted_where_nobody_can_be_asked(log, tmp_path):
    run = run_tracelens("report", log, "--no-redact", "-o", tmp_path / "r.md")
    assert (run.code, run.output) == (2, b"")
    assert "add --yes" in run.errors
    assert not (tmp_path / "r.md").exists()
    meant = run_tracelens("report", log, "--no-redact", "--yes")
    assert _SECRET in meant.output.decode()


@pytest.mark.parametrize(("answer", "code"), [("y", 0), ("n", 2), ("", 2)])
def test_terminal_is_asked(log, tmp_path, answer, code):
    ours, theirs = pty.openpty()
    target = tmp_path / "r.md"
    command = [COMMAND, "report", log, "--no-redact", "-o", target]
    with subprocess.Popen(command, stdin=theirs, stderr=theirs, cwd=REPOSITORY) as process:
        os.write(ours, f"{answer}\n".encode())
        assert process.wait(60) == code
    asked = os.read(ours, 10_000).decode()
    os.close(ours)
    os.close(theirs)
    assert "[y/N]" in asked
    assert target.exists() == (code == 0)


def test_summary_of_a_step_is_appended(log, tmp_path):
    summary = tmp_path / "summary.md"
    summary.write_text("before\n", encoding="utf-8")
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "GITHUB_STEP_SUMMARY": str(summary)}
    run = run_tracelens("analyze", "--format", "github", log, env=env)
    assert run.output.startswith(b"::error ")
    written = summary.read_text(encoding="utf-8")
    assert written.startswith("before\n")
    assert "### Error logs" in written
    assert "jdoe" not in written + run.output.decode()
