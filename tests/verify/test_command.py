"""``tracelens verify`` with real faults of this machine's environment, and where it cannot run."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command import CORPUS, run_tracelens

NO_COMPILER = CORPUS / "lab/2.13.0/inductor-cxx-nonexistent/input.log"
STATIC_SIZES = CORPUS / "lab/2.13.0/seq-static-logs/input.log"
needs_torch = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="no torch")


def verify(log, *arguments, home, code, **environ):
    env = {"PATH": os.environ["PATH"], "HOME": str(home), "TMPDIR": str(home), "LC_ALL": "C.UTF-8", **environ}
    run = run_tracelens("verify", log, "--format", "json", *arguments, env=env, timeout=300)
    assert run.code == code, run.errors
    return json.loads(run.output)


@needs_torch
def test_failure_of_the_machine_is_reproduced_and_only_its_fixes_fix(tmp_path):
    answer = verify(NO_COMPILER, "--try", "clear-the-cache", home=tmp_path, code=0, CXX="/nonexistent/g++")
    verification = answer["verification"]
    assert verification["baseline"]["status"] == "reproduced"
    assert verification["graph"]["kind"] == "probe"
    status = {run["fix"]: run["status"] for run in verification["runs"]}
    assert status == {
        "install-gxx": "not applicable here",
        "cxx-env": "fixes",
        "disable-compile": "fixes",
        "clear-the-cache": "does not fix",
    }
    told = {fix["id"]: fix["verification"]["status"] for fix in answer["findings"][0]["fixes"]}
    assert told.items() <= status.items()
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".tracelens")] == []


@needs_torch
def test_sizes_of_the_log_are_replayed_and_compilations_counted(tmp_path):
    answer = verify(STATIC_SIZES, "--try", "suppress-errors", home=tmp_path, code=0)
    verification = answer["verification"]
    assert verification["baseline"]["status"] == "reproduced"
    runs = {run["fix"]: run for run in verification["runs"]}
    assert (runs["dynamic-true"]["status"], runs["dynamic-true"]["compiles"]) == ("fixes", 1)
    assert runs["suppress-errors"]["status"] == "does not fix"
    assert runs["raise-limit"]["compiles"] > 8


_STRANGER = """\
code: ZZ101
name: stranger
label: toolchain/cxx-missing
title: A rule of somebody else
summary: It names a compiler of its own.
severity: fatal
confidence: certain
stage: cpp
role: cause
weight: 99
when: {{said: 'No working C\\+\\+ compiler found'}}
explanation: It wants its own program to be run.
fixes:
  - id: own-program
    title: Take this compiler
    kind: env
    risk: safe
    needs_root: false
    commands: {{any: 'export CXX={program}'}}
    unproven: never tried
"""


@needs_torch
def test_fix_of_a_rule_from_elsewhere_is_shown_and_not_applied(tmp_path):
    program, mark = tmp_path / "compiler", tmp_path / "it-ran"
    program.write_text(f"#!/bin/sh\ntouch {mark}\n")
    program.chmod(0o755)
    rules = tmp_path / "rules"
    rules.mkdir()
    (rules / "ZZ101-stranger.yml").write_text(_STRANGER.format(program=program))
    log = tmp_path / "train.log"
    log.write_text(
        "InvalidCxxCompiler: No working C++ compiler found in torch._inductor.config.cpp.cxx: (None, 'g++')\n"
    )
    arguments = (log, "--rules", rules)
    diagnosed = json.loads(run_tracelens("analyze", *arguments, "--format", "json").output)
    assert diagnosed["findings"][0]["code"] == "ZZ101"
    answer = verify(*arguments, home=tmp_path, code=5, CXX="/nonexistent/g++")
    (run,) = answer["verification"]["runs"]
    assert (run["fix"], run["status"]) == ("own-program", "not applicable here")
    assert not mark.exists()


@needs_torch
def test_machine_without_the_failure_says_so(tmp_path):
    answer = verify(NO_COMPILER, home=tmp_path, code=5)
    assert answer["verification"]["baseline"]["status"] == "not reproduced"
    assert {run["status"] for run in answer["verification"]["runs"]} == {"not run"}


def test_python_without_torch_could_not_run(tmp_path):
    bare = Path(sys.base_prefix, "bin", "python3")
    if subprocess.run([bare, "-c", "import torch"], capture_output=True, check=False).returncode == 0:
        pytest.skip("the base Python has torch")
    answer = verify(NO_COMPILER, "--python", str(bare), home=tmp_path, code=5)
    baseline = answer["verification"]["baseline"]
    assert baseline["status"] == "could not run"
    assert "--python PATH" in baseline["note"]


@pytest.mark.skipif(sys.platform != "linux", reason="the logs are of other systems than this one")
@pytest.mark.parametrize("case", ["017-msvc-missing-gui-app-log", "076-openmp-macos-warning-block"])
def test_log_of_another_system_is_not_run_here(case, tmp_path):
    verification = verify(CORPUS / f"reports/{case}/input.log", home=tmp_path, code=5)["verification"]
    assert verification["baseline"]["status"] == "could not run"
    assert "this machine is not" in verification["graph"]["note"]


def test_fixes_are_not_run_where_the_cached_file_is_not_here(tmp_path):
    answer = verify(CORPUS / "lab/2.13.0/so-zero/input.log", home=tmp_path, code=5)
    verification = answer["verification"]
    assert (verification["graph"]["kind"], verification["baseline"]["status"]) == ("none", "could not run")
    assert {run["status"] for run in verification["runs"]} == {"not run"}


def test_clean_log_needs_no_run(tmp_path):
    answer = verify(CORPUS / "lab/2.13.0/mlp/input.log", home=tmp_path, code=0)
    assert answer["verification"]["runs"] == []


@pytest.mark.parametrize(
    "arguments",
    [
        ("no-such.log",),
        (NO_COMPILER, "--try", "pray"),
        (NO_COMPILER, "--python", "/none"),
        (NO_COMPILER, "--timeout", "nan"),
        (NO_COMPILER, "--device", "gpu"),
        (NO_COMPILER, "--device", "cuda:one"),
        (NO_COMPILER, "--script", "'train.py"),
        (NO_COMPILER, "--script", ""),
    ],
)
def test_wrong_use_is_told_in_a_line(arguments):
    run = run_tracelens("verify", *arguments)
    assert run.code == 2
    assert "Traceback" not in run.errors


def test_analyze_takes_one_log_to_verify():
    run = run_tracelens("analyze", NO_COMPILER, STATIC_SIZES, "--verify")
    assert (run.code, "one log" in run.errors) == (2, True)
