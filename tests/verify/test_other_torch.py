"""``tracelens verify`` with a program that has another Python and another torch than tracelens."""

from __future__ import annotations

import json
import os

import pytest

from tests.command import CORPUS, run_command, run_tracelens
from tests.verify.other_torch import PYTHONS

NO_COMPILER = CORPUS / "lab/2.13.0/inductor-cxx-nonexistent/input.log"
STATIC_SIZES = CORPUS / "lab/2.13.0/seq-static-logs/input.log"


def verify(log, *arguments, python, home, **environ):
    env = {"PATH": os.environ["PATH"], "HOME": str(home), "TMPDIR": str(home), "LC_ALL": "C.UTF-8", **environ}
    run = run_tracelens("verify", log, "--python", python, "--format", "json", *arguments, env=env, timeout=300)
    assert run.code == 0, run.errors
    return json.loads(run.output)["verification"]


@pytest.mark.parametrize("python", [each for each in PYTHONS if each.id != "own torch"])
def test_failure_is_met_and_its_fixes_are_known(python, tmp_path):
    ask = "import sys, torch; sys.stdout.write(torch.__version__)"
    release = run_command(python, "-W", "ignore", "-c", ask).output.decode()
    answer = verify(NO_COMPILER, "--try", "clear-the-cache", python=python, home=tmp_path, CXX="/nonexistent/g++")
    assert (answer["torch"], answer["baseline"]["status"]) == (release, "reproduced")
    status = {run["fix"]: run["status"] for run in answer["runs"]}
    assert (status["cxx-env"], status["clear-the-cache"]) == ("fixes", "does not fix")


@pytest.mark.parametrize("python", [each for each in PYTHONS if each.id != "own torch"])
def test_a_setting_that_came_later_is_not_applicable(python, tmp_path):
    runs = {run["fix"]: run for run in verify(STATIC_SIZES, python=python, home=tmp_path)["runs"]}
    assert runs["dynamic-true"]["status"] == "fixes"
    has_stance = "import sys, torch.compiler; sys.exit(not hasattr(torch.compiler, 'set_stance'))"
    if run_command(python, "-W", "ignore", "-c", has_stance).code:
        assert runs["eager-on-recompile"]["status"] == "not applicable here"
        assert "has no torch.compiler.set_stance" in runs["eager-on-recompile"]["note"]
