"""What a run shows is decided by the engine, the exit code and the outputs together."""

from __future__ import annotations

import pytest

from tests.command import CORPUS
from tracelens.verification import BaselineStatus, FixStatus
from tracelens.verify.child_process import ChildRun
from tracelens.verify.judge import baseline_status, fix_status, judge, other_torch

NO_COMPILER = (CORPUS / "lab/2.13.0/inductor-no-gxx/input.log").read_text(encoding="utf-8")
COMPILER = "toolchain/cxx-missing"


def ended(log="ok\n", code=0, **facts):
    return ChildRun(exit_code=code, seconds=1.0, log=log, facts={"stage": "done", "compiles": 1, **facts})


CASES = {
    "the same failure": (ended(NO_COMPILER, 1, stage="compile"), BaselineStatus.REPRODUCED, FixStatus.DOES_NOT_FIX),
    "no failure": (ended(), BaselineStatus.NOT_REPRODUCED, FixStatus.FIXES),
    "wrong results": (ended(wrong=["output 0: off by 3"]), BaselineStatus.DIFFERENT, FixStatus.DIFFERENT),
    "another failure": (
        ended("MemoryError: cannot\n", 1, stage="compile"),
        BaselineStatus.DIFFERENT,
        FixStatus.DIFFERENT,
    ),
    "a silent end": (ended("", 1, stage="compile"), BaselineStatus.DIFFERENT, FixStatus.DIFFERENT),
    "an end before the end": (ended(stage="run"), BaselineStatus.DIFFERENT, FixStatus.DIFFERENT),
    "no device": (ended("", 69, stage="no device"), BaselineStatus.COULD_NOT_RUN, FixStatus.CANNOT_TELL),
    "nothing compiled": (ended(compiles=0), BaselineStatus.NOT_REPRODUCED, FixStatus.CANNOT_TELL),
}


@pytest.mark.parametrize("name", CASES)
def test_run_is_judged(name):
    run, baseline, fix = CASES[name]
    judged = judge(run)
    assert baseline_status(run, judged, COMPILER) is baseline
    assert fix_status(run, judged, COMPILER, is_fallback=False) is fix


def test_fallback_only_has_to_run_on_with_right_results():
    stepped_over = ended(NO_COMPILER, 0)
    judged = judge(stepped_over)
    assert fix_status(stepped_over, judged, COMPILER, is_fallback=True) is FixStatus.FIXES
    assert fix_status(stepped_over, judged, COMPILER, is_fallback=False) is FixStatus.DOES_NOT_FIX


@pytest.mark.parametrize(
    ("of_log", "here", "is_told"),
    [("2.5.1", "2.13.0+cpu", True), ("2.5.1", "2.5.1+cu124", False), (None, "2.13.0", False), ("2.5.1", None, False)],
)
def test_log_of_another_torch_is_told_of(of_log, here, is_told):
    words = other_torch(of_log, here)
    assert bool(words) is is_told
    assert words is None or ("torch 2.5.1" in words and "--python PATH" in words)
