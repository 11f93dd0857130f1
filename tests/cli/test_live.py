from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time

import pytest

from tests.command import CORPUS
from tracelens.cli.live import Lookout
from tracelens.ruleset.bundled import load_ruleset

CRASH = CORPUS / "lab/2.13.0/inductor-no-gxx/input.log"
NAMED = "tracelens: failed: No C++ compiler for this process (toolchain/cxx-missing, certain): "

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pipes cannot be waited for there")


def begin(*arguments: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "tracelens", "analyze", "--format", "json", *arguments]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def line_of(process: subprocess.Popen[bytes]) -> str:
    assert process.stderr is not None
    return process.stderr.readline().decode()


def test_a_pipe_that_falls_silent_below_a_failure_is_told_of_and_still_read_to_its_end():
    process = begin("-")
    assert process.stdin is not None
    process.stdin.write(CRASH.read_bytes())
    process.stdin.flush()
    assert line_of(process).startswith(NAMED)
    assert process.poll() is None
    output, errors = process.communicate(b"the shell goes on\n", timeout=60)
    assert (process.returncode, errors) == (0, b"")
    report = json.loads(output)
    assert (report["label"], report["coverage"]["lines"]) == ("toolchain/cxx-missing", 82)


def test_a_followed_file_is_read_as_it_grows_until_it_is_interrupted(tmp_path):
    log = tmp_path / "train.log"
    log.write_bytes(b"epoch 1\n")
    process = begin("--follow", str(log))
    with log.open("ab") as file:
        file.write(CRASH.read_bytes())
    assert line_of(process).startswith(NAMED)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert json.loads(output)["findings"][0]["evidence"][0]["line"] == 79


def test_a_followed_file_that_is_replaced_has_ended(tmp_path):
    log = tmp_path / "train.log"
    shutil.copy(CRASH, log)
    process = begin("--follow", str(log))
    assert line_of(process).startswith(NAMED)
    (tmp_path / "new").write_text("")
    (tmp_path / "new").replace(log)
    output, _ = process.communicate(timeout=60)
    assert json.loads(output)["label"] == "toolchain/cxx-missing"


@pytest.mark.parametrize("inputs", [["-"], [], [str(CRASH), str(CRASH.parent)], [str(CORPUS)]])
def test_only_one_file_can_be_followed(inputs):
    process = begin("--follow", *inputs)
    _, errors = process.communicate(b"", timeout=60)
    assert process.returncode == 2
    assert b"follow" in errors


def test_a_failure_is_named_once_and_ordinary_lines_are_not_looked_at(capsys):
    lookout = Lookout(load_ruleset())
    lookout.hear(b"epoch 1 loss 0.5\n")
    lookout.pause()
    assert not lookout.has_told
    for _ in range(2):
        lookout.hear(CRASH.read_bytes())
        lookout.pause()
    assert lookout.has_told
    assert capsys.readouterr().err.count(NAMED) == 1


def test_what_has_not_ended_the_run_is_not_told(capsys):
    lookout = Lookout(load_ruleset())
    lookout.hear((CORPUS / "lab/2.13.0/rank-change/input.log").read_bytes())
    lookout.pause()
    assert capsys.readouterr().err == ""


def test_one_that_talks_on_is_listened_to(capsys):
    lookout = Lookout(load_ruleset())
    lookout.hear(CRASH.read_bytes())
    time.sleep(1.1)
    lookout.hear(b"rank 1 waits\n")
    assert NAMED in capsys.readouterr().err


def test_only_the_last_of_a_flood_is_kept(capsys):
    lookout = Lookout(load_ruleset())
    lookout.hear(CRASH.read_bytes())
    for _ in range(40):
        lookout.hear(b"step\n" * 4096)
    lookout.pause()
    assert NAMED not in capsys.readouterr().err
