"""Ctrl-C in the middle of a run leaves no process and no folder behind."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.command import COMMAND, CORPUS, REPOSITORY

LOG = CORPUS / "lab/2.13.0/inductor-cxx-nonexistent/input.log"
pytestmark = [
    pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="no torch"),
    pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc"),
]


def processes_with(marker):
    """Return the processes that have a variable with this value."""
    return [
        folder.name for folder in Path("/proc").iterdir() if folder.name.isdecimal() and marker in variables(folder)
    ]


def variables(folder):
    try:
        return (folder / "environ").read_bytes()
    except OSError:  # it ended meanwhile, or belongs to somebody else
        return b""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_verification_leaves_nothing(number, tmp_path):
    marker = f"TEST_OF_INTERRUPTS={tmp_path}"
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "TMPDIR": str(tmp_path)}
    env |= dict([marker.split("=", 1)])
    with subprocess.Popen(
        [COMMAND, "verify", LOG], env=env, cwd=REPOSITORY, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        while "as it is" not in process.stderr.readline():
            assert process.poll() is None
        time.sleep(1)  # into the compilation
        assert len(processes_with(marker.encode())) > 1
        process.send_signal(number)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    assert "Traceback" not in errors
    assert processes_with(marker.encode()) == []
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".tracelens")] == []
