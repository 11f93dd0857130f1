"""The command keeps its behaviour: its bytes, its input, its signals, its exit code."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import IO

import pytest

from tests.command import COMMAND, CORPUS, run_command, run_tracelens
from tests.running.commands import CRASH, answer_in, run_python

NOISE = """
import os, random
random.seed(1)
for number in range(200):
    os.write(1 + number % 2, random.randbytes(random.randrange(30_000)))
"""


def start(program: str, *, ignoring: int | None = None) -> subprocess.Popen[bytes]:
    command = [str(COMMAND), "run", "--", sys.executable, "-u", "-c", program]
    before = None if ignoring is None else lambda: signal.signal(ignoring, signal.SIG_IGN)
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=before)  # noqa: PLW1509 - no threads


def output_of(child: subprocess.Popen[bytes]) -> IO[bytes]:
    assert child.stdout is not None
    return child.stdout


def test_bytes_pass_through_untouched():
    alone = run_command(sys.executable, "-c", NOISE)
    below = run_python(NOISE)
    assert below.output == alone.output
    assert below.errors == alone.errors
    assert below.code == 0


def test_input_passes_through():
    program = "import sys; sys.stdout.buffer.write(sys.stdin.buffer.read()[::-1])"
    assert run_python(program, stdin=b"abc\0\xff" * 30_000).output == b"\xff\0cba" * 30_000


@pytest.mark.parametrize("code", [0, 1, 3, 77, 255])
def test_exit_code_is_that_of_the_command(code):
    assert run_python(f"raise SystemExit({code})").code == code


@pytest.mark.parametrize("name", ["SIGKILL", "SIGSEGV", "SIGTERM", "SIGUSR1"])
def test_signal_comes_back_as_a_shell_reports_it(name):
    number = getattr(signal, name)
    done = run_python(f"import os; os.kill(os.getpid(), {int(number)})")
    assert done.code == 128 + number
    assert f"the command was ended by {name}" in done.errors
    assert "The log says so" not in done.errors


def test_what_cannot_be_started_is_said(tmp_path):
    missing = run_tracelens("run", "--", str(tmp_path / "no such"))
    assert (missing.code, missing.output) == (127, b"")
    assert "No such file" in missing.errors
    (tmp_path / "text").write_text("no program")
    assert run_tracelens("run", "--", str(tmp_path / "text")).code == 126
    assert run_tracelens("run").code == 2
    assert run_tracelens("run", "--hang-after", "soon", "--", "true").code == 2


def test_options_of_the_command_are_its_own():
    done = run_tracelens("run", "echo", "--format", "json", "-o", "--", "x")
    assert done.output == b"--format json -o -- x\n"


def test_environment_is_ours_and_the_trace_is_asked_for(tmp_path):
    program = "import os; print(sorted(os.environ.items()))"
    assert run_python(program).output == run_command(sys.executable, "-c", program).output
    traced = run_python("import os; print(os.environ['TORCH_TRACE'])", "--trace", str(tmp_path / "trace"))
    assert traced.output.decode().strip() == str(tmp_path / "trace")


def test_a_good_end_says_nothing_and_a_bad_one_the_diagnosis_below_the_output(tmp_path):
    done = run_python(f"print(open({str(CRASH)!r}).read())")
    assert (done.code, done.errors) == (0, "")
    bad = run_tracelens("run", "--format", "json", "-o", tmp_path / "a.json", "--", "sh", "-c", f"cat {CRASH}; exit 1")
    assert bad.code == 1
    assert bad.output == CRASH.read_bytes()
    assert "toolchain/cxx-missing" in bad.errors
    assert answer_in(tmp_path / "a.json")["label"] == "toolchain/cxx-missing"


def test_trace_is_read_with_the_output(tmp_path):
    (source,) = (CORPUS / "artifacts" / "2.13.0" / "torch-trace-failed").glob("*.log")
    program = f"import os, shutil; shutil.copy({str(source)!r}, os.environ['TORCH_TRACE']); raise SystemExit(1)"
    (tmp_path / "trace").mkdir()
    options = ("--trace", str(tmp_path / "trace"), "--format", "json", "-o", str(tmp_path / "a.json"))
    assert run_python(program, *options).code == 1
    answer = answer_in(tmp_path / "a.json")
    assert answer["label"] == "toolchain/cxx-missing"
    assert answer["timeline"]


def test_traces_of_earlier_runs_say_nothing_of_this_one(tmp_path):
    (source,) = (CORPUS / "artifacts" / "2.13.0" / "torch-trace-failed").glob("*.log")
    for folder in (tmp_path / "trace", tmp_path / "trace" / "rank0"):
        folder.mkdir()
        (folder / source.name).write_bytes(source.read_bytes())
    options = ("--trace", f"{tmp_path}/./trace/", "--format", "json", "-o", str(tmp_path / "a.json"))
    assert run_python("open(__import__('os').environ['TORCH_TRACE'] + '/new.log', 'w')", *options).code == 0
    answer = answer_in(tmp_path / "a.json")
    assert (answer["outcome"], answer["timeline"]) == ("clean", None)


def test_trace_that_was_never_written_is_no_fault(tmp_path):
    done = run_python("raise SystemExit(1)", "--trace", str(tmp_path / "trace"))
    assert (done.code, "tracelens: " in done.errors) == (1, False)


def test_failure_of_the_diagnosis_keeps_the_exit_code(tmp_path):
    done = run_tracelens("run", "-o", tmp_path / "no" / "such" / "folder", "--", "sh", "-c", "exit 9")
    assert done.code == 9
    assert "cannot be written" in done.errors


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1"])
def test_signals_are_forwarded_once(name):
    program = f"""
import signal, time
seen = []
signal.signal(signal.{name}, lambda number, _: seen.append(number))
print("ready")
time.sleep(0.7)
print(len(seen))
raise SystemExit(5)
"""
    child = start(program)
    assert output_of(child).readline() == b"ready\n"
    child.send_signal(getattr(signal, name))
    output, _ = child.communicate(timeout=30)
    assert output == b"1\n"
    assert child.returncode == 5


def test_ignored_signal_stays_ignored():
    program = "import signal; print(signal.getsignal(signal.SIGHUP) is signal.SIG_IGN)"
    child = start(program, ignoring=signal.SIGHUP)
    assert child.communicate(timeout=30)[0] == b"True\n"


def test_grandchild_that_keeps_the_pipe_open_does_not_hang_us():
    started = time.monotonic()
    done = run_tracelens("run", "--", "sh", "-c", "sleep 60 & echo done; exit 4", timeout=30)
    assert time.monotonic() - started < 20
    assert (done.code, done.output) == (4, b"done\n")


def test_command_learns_that_nobody_reads_on():
    program = "while True: print('y' * 1000)"
    child = start(program)
    output_of(child).read(10)
    output_of(child).close()
    assert child.communicate(timeout=30)[1]
    assert child.returncode != 0


def test_command_that_closes_its_output_is_waited_for():
    done = run_python("import os, time; os.close(1); os.close(2); time.sleep(0.6); os._exit(6)")
    assert done.code == 6


def test_workers_of_a_launcher_speak_through_it(tmp_path):
    log = CRASH.parents[1] / "nocxx-torchrun" / "input.log"
    launcher = f"""
import subprocess, sys
work = "import sys; sys.stderr.write(open({str(log)!r}).read())"
workers = [subprocess.Popen([sys.executable, "-c", work], start_new_session=True) for _ in range(2)]
raise SystemExit(max(worker.wait() for worker in workers) or 1)
"""
    done = run_python(launcher, "--format", "json", "-o", str(tmp_path / "a.json"))
    assert done.code == 1
    assert answer_in(tmp_path / "a.json")["label"] == "toolchain/cxx-missing"


def test_memory_stays_bounded_whatever_is_printed(tmp_path):
    program = """
import os
line = b'x' * 999 + b'\\n'
for number in range(150):
    os.write(1, line * 1000)
os.write(1, open({crash!r}, 'rb').read())
raise SystemExit(1)
"""
    command = f"""
import resource, subprocess, sys
done = subprocess.run([{str(COMMAND)!r}, "run", "--format", "json", "-o", {str(tmp_path / "a.json")!r}, "--",
                       sys.executable, "-c", {program.format(crash=str(CRASH))!r}], stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)
"""
    done = run_command(sys.executable, "-c", command)
    assert int(done.output) < 350
    answer = answer_in(tmp_path / "a.json")
    assert answer["label"] == "toolchain/cxx-missing"
    assert answer["coverage"]["lines"] == 150_000 + CRASH.read_bytes().count(b"\n")
    assert answer["findings"][0]["evidence"][0]["line"] > 150_000
    assert [remark["code"] for remark in answer["diagnostics"]] == ["output-left-out"]
    assert os.path.getsize(tmp_path / "a.json") < 1_000_000  # noqa: PTH202 - one number


def test_copying_what_a_chatty_command_prints_costs_less_than_printing_it():
    chatty = "import time\nfor number in range(3000): print('step', number, flush=True); time.sleep(0.001)"
    program = f"""
import os, resource, sys
from tracelens.running.command import Command
def used(whose):
    usage = resource.getrusage(whose)
    return usage.ru_utime + usage.ru_stime
before = used(resource.RUSAGE_SELF)
Command([sys.executable, "-c", {chatty!r}], settings={{}}).run()
ours, theirs = used(resource.RUSAGE_SELF) - before, used(resource.RUSAGE_CHILDREN)
os.write(2, str(ours / theirs).encode())
"""
    # Shares of the elapsed time double where the machine is shared; this does not.
    assert float(run_command(sys.executable, "-c", program).errors) < 1
