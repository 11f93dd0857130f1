"""A run writes in its private folder only, reads no cache of the user, and connects to nothing; seen by strace."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import sys
from pathlib import Path

import pytest

from tests.command import CORPUS, run_tracelens

LOG = CORPUS / "lab/2.13.0/inductor-cxx-nonexistent/input.log"
CALLS = (
    "openat,open,creat,mkdir,mkdirat,rename,renameat,renameat2,unlink,unlinkat,link,linkat,symlink,symlinkat,connect"
)
CALL = re.compile(r"^\d+\s+(?P<name>\w+)\((?P<arguments>.*)\)\s+= (?P<result>-?\d+)")
WRITING = re.compile("O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND")
DEVICES = ("/dev/", "/proc/")
MISSING = next((name for name in ("strace", "g++") if shutil.which(name) is None), None)

pytestmark = [
    pytest.mark.skipif(MISSING is not None, reason=f"no {MISSING}"),
    pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="no torch"),
]


@pytest.fixture(scope="module")
def traced(tmp_path_factory):
    """Verify a log whose failure is not here, so that a compilation runs through; return the folder and the calls."""
    top = tmp_path_factory.mktemp("user")
    home, temporary, trace = top / "home", top / "tmp", top / "trace"
    for cache in (
        home / ".triton/cache",
        home / ".cache/torch_extensions",
        temporary / "torchinductor_somebody/fxgraph",
    ):
        cache.mkdir(parents=True)
        (cache / "of-the-user").write_text("")
    python = top / "python"
    python.write_text(f'#!/bin/sh\nexec strace -f -qq -s 400 -e trace={CALLS} -A -o {trace} "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    env = {"PATH": os.environ["PATH"], "HOME": str(home), "TMPDIR": str(temporary), "USER": "somebody"}
    run = run_tracelens("verify", LOG, "--python", python, "--format", "json", env=env, timeout=600)
    verification = json.loads(run.output)["verification"]
    assert verification["baseline"]["status"] == "not reproduced", run.errors
    calls = [match for line in trace.read_text(errors="replace").splitlines() if (match := CALL.match(line))]
    return temporary, [call for call in calls if not call["result"].startswith("-")]


def paths_of(call):
    return [path for path in re.findall(r'"((?:[^"\\]|\\.)*)"', call["arguments"]) if path.startswith("/")]


def is_writing(call):
    return not call["name"].startswith("open") or WRITING.search(call["arguments"]) is not None


def test_everything_is_written_into_the_private_folder(traced):
    temporary, calls = traced
    private = f"{temporary.resolve()}/.tracelens-verify-"
    written = [path for call in calls if call["name"] != "connect" and is_writing(call) for path in paths_of(call)]
    assert sum(path.startswith(private) for path in written) > 20
    assert [path for path in written if not path.startswith((private, *DEVICES))] == []


def test_no_cache_of_the_user_is_read(traced):
    _, calls = traced
    opened = [path for call in calls for path in paths_of(call)]
    assert [path for path in opened if "of-the-user" in path or "torchinductor_somebody" in path] == []


def test_nothing_is_connected_to(traced):
    _, calls = traced
    assert [call["arguments"] for call in calls if call["name"] == "connect"] == []


def test_nothing_is_left_behind(traced):
    temporary, _ = traced
    assert [path.name for path in Path(temporary).iterdir() if path.name.startswith(".tracelens")] == []
