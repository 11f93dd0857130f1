"""A child is bounded in time, and nothing that it started lives on."""

from __future__ import annotations

import importlib.util
import os
import sys
import time

import pytest

from tracelens.verify.child.result import Reached
from tracelens.verify.child_process import run_bounded, run_child

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="process groups as on Linux")


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    with open(f"/proc/{pid}/stat", encoding="utf-8") as status:  # noqa: PTH123
        return status.read().split()[2] != "Z"


def test_grandchildren_end_with_a_child_that_runs_out_of_time(tmp_path):
    program = (
        "import subprocess, sys, time\n"
        "sleeper = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "print(sleeper.pid, flush=True)\n"
        "time.sleep(600)\n"
    )
    output, code, seconds = run_bounded([sys.executable, "-c", program], os.environ, tmp_path, 2)
    assert code is None
    assert seconds < 30
    assert "KeyboardInterrupt" in output
    time.sleep(0.2)
    assert not is_alive(int(output.split()[0]))


def test_signal_is_told_as_a_shell_tells_it(tmp_path):
    program = "import os, signal; os.kill(os.getpid(), signal.SIGBUS)"
    output, code, _ = run_bounded([sys.executable, "-c", program], os.environ, tmp_path, 30)
    assert code == -7
    assert output.strip() == "Bus error (core dumped)"


def test_endless_output_is_kept_at_both_ends(tmp_path):
    program = "print('first'); [print('x' * 1000) for _ in range(5000)]; print('last')"
    output, code, _ = run_bounded([sys.executable, "-c", program], os.environ, tmp_path, 60)
    assert code == 0
    assert output.startswith("first")
    assert output.endswith("last\n")
    assert len(output) < 1_100_000


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="no torch")
def test_setting_that_this_torch_does_not_know_is_told_before_anything_runs(tmp_path):
    settings = {"config": [["torch._dynamo.config", "no_such_option", True]]}
    environ = {"HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    run = run_child(sys.executable, {"kind": "probe", "device": "cpu", "settings": settings}, environ, tmp_path, 60)
    assert run.stage is Reached.NO_SETTING
    assert run.facts["notes"][0].endswith("has no torch._dynamo.config.no_such_option")
