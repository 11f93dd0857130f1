from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracelens.parsing.exit_shapes import EXIT_PATTERN
from tracelens.parsing.exits import read_exit, signal_of_code
from tracelens.text import Span

LINE = Span(line=1, end_line=1)

#: line as printed, signal, exit code, process id, rank
EXITS = [
    ("Bus error (core dumped)", "SIGBUS", None, None, None),
    ("Segmentation fault", "SIGSEGV", None, None, None),
    ("Killed", "SIGKILL", None, None, None),
    ("Killed: 9", "SIGKILL", None, None, None),
    ("Terminated", "SIGTERM", None, None, None),
    ("Aborted (core dumped)", "SIGABRT", None, None, None),
    ("Speicherzugriffsfehler (Speicherabzug geschrieben)", "SIGSEGV", None, None, None),
    ("bash: line 1:   123 Bus error               (core dumped) python x.py", "SIGBUS", None, 123, None),
    ("./run.sh: line 12:   77 Killed                  python train.py", "SIGKILL", None, 77, None),
    ("./run.sh: Zeile 12:   77 Getötet                  python train.py", "SIGKILL", None, 77, None),
    ("[1]+  Killed                  python x.py", "SIGKILL", None, None, None),
    ("[1]    12345 segmentation fault  python train.py", "SIGSEGV", None, 12345, None),
    ("zsh: bus error  python x.py", "SIGBUS", None, None, None),
    ("fish: Job 1, 'python x' terminated by signal SIGSEGV (Address boundary error)", "SIGSEGV", None, None, None),
    ("Fatal Python error: Bus error", "SIGBUS", None, None, None),
    ("Fatal Python error: none_dealloc: deallocating None", "SIGABRT", None, None, None),
    ("Windows fatal exception: access violation", "SIGSEGV", None, None, None),
    ("Windows fatal exception: code 0xc0000374", "SIGABRT", None, None, None),
    ("Out of memory: Killed process 123 (python) total-vm:1kB", "SIGKILL", None, 123, None),
    ("[12345.678901] Out of memory: Killed process 43 (python3) total-vm", "SIGKILL", None, 43, None),
    ("[12345.678901] oom-kill:constraint=CONSTRAINT_MEMCG,task=python,pid=777,uid=0", "SIGKILL", None, 777, None),
    ("Memory cgroup out of memory: Killed process 99 (python)", "SIGKILL", None, 99, None),
    ("Jan  1 00:00:00 host kernel: [1.123456] Out of memory: Killed process 9 (python)", "SIGKILL", None, 9, None),
    ("python invoked oom-killer: gfp_mask=0xcc0", "SIGKILL", None, None, None),
    ("slurmstepd: error: Detected 1 oom_kill event in StepId=123.batch.", "SIGKILL", None, None, None),
    (
        "slurmstepd: error: *** JOB 1 ON node1 CANCELLED AT 2024-01-01T00:00:00 DUE TO TIME LIMIT ***",
        "SIGTERM",
        None,
        None,
        None,
    ),
    (
        "Eval:  46%|##  | 3/67 [2:02<3:1, 5s/it]slurmstepd: error: *** STEP 6.0 ON n CANCELLED AT 2024 ***",
        "SIGTERM",
        None,
        None,
        None,
    ),
    ("srun: error: node: task 1: Bus error (core dumped)", "SIGBUS", None, None, 1),
    ("srun: error: node: task 0: Out Of Memory", "SIGKILL", None, None, 0),
    ("srun: error: node01: tasks 0-3: Exited with exit code 1", None, 1, None, 0),
    ("1 Workers (tasks / actors) killed due to memory pressure (OOM), 0 Workers crashed", "SIGKILL", None, None, None),
    ("(raylet) node_manager.cc:3069: 1 Workers killed due to memory pressure (OOM)", "SIGKILL", None, None, None),
    ("failed (exitcode: -9) local_rank: 0 (pid: 136) of binary: /usr/bin/python", "SIGKILL", -9, 136, 0),
    ("failed (exitcode: 1) local_rank: 3 (pid: 136) of binary: /usr/bin/python", None, 1, 136, 3),
    ("Signal 7 (SIGBUS) received by PID 9", "SIGBUS", None, 9, None),
    ("traceback : Signal 7 (SIGBUS) received by PID 9", "SIGBUS", None, 9, None),
    ("DataLoader worker (pid 9) is killed by signal: Bus error. It is possible that", "SIGBUS", None, 9, None),
    ("DataLoader worker (pid(s) 12, 13) exited unexpectedly", None, None, 12, None),
    ("Worker proc VllmWorker-0 died unexpectedly, shutting down executor.", None, None, None, None),
    ("Worker (pid:12) was sent SIGKILL! Perhaps out of memory?", "SIGKILL", None, 12, None),
    ("exit code 137", "SIGKILL", 137, None, None),
    ("Exit status 135", "SIGBUS", 135, None, None),
    ("Exit Code:    137", "SIGKILL", 137, None, None),
    ("EXIT_CODE=139", "SIGSEGV", 139, None, None),
    ("Error: Process completed with exit code 137.", "SIGKILL", 137, None, None),
    ("command terminated with exit code 1", None, 1, None, None),
    ("vllm-1 exited with code 137", "SIGKILL", 137, None, None),
    ("['/bin/python', '-u', 'train.py', '--x=1'] exits with return code = -11", "SIGSEGV", -11, None, None),
    ("Process finished with exit code -1073741819 (0xC0000005)", "SIGSEGV", -1073741819, None, None),
    ("process 0 terminated with signal SIGKILL", "SIGKILL", None, None, None),
    (
        "mpirun noticed that process rank 1 with PID 123 on node x exited on signal 9 (Killed).",
        "SIGKILL",
        None,
        123,
        None,
    ),
    ("make: *** [Makefile:12: demo] Error 1", None, 1, None, None),
    ("make[1]: *** [x] Segmentation fault (core dumped)", "SIGSEGV", None, None, None),
    ("terminate called after throwing an instance of 'c10::Error'", "SIGABRT", None, None, None),
    ("free(): invalid pointer", "SIGABRT", None, None, None),
    ("double free or corruption (!prev)", "SIGABRT", None, None, None),
    ("*** SIGBUS (@0x7f) received by PID 123 (TID 0x7f) from PID 1 ***", "SIGBUS", None, 123, None),
    ("!!!!!!! Segfault encountered !!!!!!!", "SIGSEGV", None, None, None),
    ("OOMKilled", "SIGKILL", None, None, None),
    ("TERM_MEMLIMIT: job killed after reaching LSF memory usage limit.", "SIGKILL", None, None, None),
    ("TERM_RUNLIMIT: job killed after reaching LSF run time limit.", "SIGTERM", None, None, None),
    ("=>> PBS: job killed: mem 12kb exceeded limit 10kb", "SIGKILL", None, None, None),
    ("Main process exited, code=killed, status=9/KILL", "SIGKILL", None, None, None),
    ("The kernel appears to have died. It will restart automatically.", None, None, None, None),
    ("Your session crashed after using all available RAM.", "SIGKILL", None, None, None),
    (
        "The actor is dead because its worker process has died. Worker exit type: NODE_OUT_OF_MEMORY",
        "SIGKILL",
        None,
        None,
        None,
    ),
]

#: lines that tell of no end, or of a good one
OTHERS = [
    "",
    "text",
    "Process finished with exit code 0",
    "Aborted!",
    "Killed process output",
    "retcode = call(*popenargs, **kwargs)",
    "Worker exit detail: There are some potential root causes. (1) The process is killed by SIGKILL by OOM killer",
    "Sending process 2577 closing signal SIGTERM",
    "KeyboardInterrupt",
    "a.py:12: in f",
]

TABLE = """train.py FAILED
------------------------------------------------------------
Failures:
[1]:
  time      : 2026-12-01_02:53:21
  host      : localhost
  rank      : 0 (local_rank: 0)
  exitcode  : -15 (pid: 2577)  (SIGTERM)
  error_file: <N/A>
  traceback : Signal 15 (SIGTERM) received by PID 2577
------------------------------------------------------------
Root Cause (first observed failure):
[0]:
  time      : 2026-12-01_02:53:20
  host      : localhost
  rank      : 1 (local_rank: 1)
  exitcode  : 1 (pid: 2578)
  error_file: <N/A>
  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html"""


def read(line):
    return read_exit([(line, LINE)], None, None)


@pytest.mark.parametrize(("line", "reading"), [(line, reading) for line, *reading in EXITS], ids=[e[0] for e in EXITS])
def test_an_end_has_its_signal_or_code(line, reading):
    (found,) = read(line)

    assert [found.signal, found.exit_code, found.pid, found.rank] == reading
    assert found.message == line
    assert not found.first_failure


@pytest.mark.parametrize("line", [line for line, *_ in EXITS])
def test_the_pattern_finds_every_end_that_is_read(line):
    assert re.compile("^" + EXIT_PATTERN, re.MULTILINE).search(f"text\n{line}\n")


@pytest.mark.parametrize("line", OTHERS)
def test_other_lines_tell_of_no_end(line):
    assert read(line) == ()


def test_the_table_of_torchelastic_marks_the_first_failure():
    lines = [(text, Span(line=number, end_line=number)) for number, text in enumerate(TABLE.split("\n"), 1)]

    exits = read_exit(lines, None, None)

    assert [(exit_.rank, exit_.exit_code, exit_.signal, exit_.pid) for exit_ in exits] == [
        (0, -15, "SIGTERM", 2577),
        (1, 1, None, 2578),
    ]
    assert [exit_.first_failure for exit_ in exits] == [False, True]
    assert [exit_.span.line for exit_ in exits] == [8, 17]


def test_an_older_table_names_the_root_cause_first():
    text = (
        "Root Cause:\n[0]:\n  rank: 0\nRoot Cause (first observed failure):\n[0]:\n"
        "  rank      : 2 (local_rank: 2)\n  exitcode  : -7 (pid: 5)\n"
        "  exitcode  : 1\nOther Failures:\n  rank      : 1 (local_rank: 1)\n  exitcode  : -15 (pid: 4)"
    )

    exits = read_exit([(line, LINE) for line in text.split("\n")], None, None)

    assert [(exit_.rank, exit_.signal, exit_.first_failure) for exit_ in exits] == [
        (2, "SIGBUS", True),
        (1, "SIGTERM", False),
    ]


def test_each_line_of_a_run_is_read():
    exits = read_exit([("Killed", LINE), ("text", LINE), ("exit code 135", LINE)], None, None)

    assert [exit_.signal for exit_ in exits] == ["SIGKILL", "SIGBUS"]


@pytest.mark.parametrize(
    ("code", "signal"),
    [
        (None, None),
        (0, None),
        (1, None),
        (-9, "SIGKILL"),
        (137, "SIGKILL"),
        (-1073741819, "SIGSEGV"),
        (3221225477, "SIGSEGV"),
        (255, None),
    ],
)
def test_a_code_stands_for_its_signal(code, signal):
    assert signal_of_code(code) == signal


PARTS = st.sampled_from([
    "Killed", "Bus error", " (core dumped)", ": ", "line 1: ", "12 ", "  ", "exit code ", "exited with ", "137", "died",
    "signal ", "SIGKILL", "oom-kill:", "Out of memory: Kill", "slurmstepd: error: ", "%|", "zsh: ", "\n",
    "make: *** ", "Error 1", "killed", "failed (exitcode: -9)", "exitcode  : 1 (pid: 3)", "rank      : 1", "9" * 5000,
    "[1]+  ", "Fatal Python error: ", "Windows fatal exception: code 0x", "srun: error: ", "task 0: ", "c0000005",
    "code=killed, status=9/",
])  # fmt: skip


@given(st.lists(st.one_of(st.text(), st.lists(PARTS, max_size=10).map("".join)), max_size=4))
def test_any_lines_are_read_without_raising(lines):
    exits = read_exit([(line, LINE) for line in lines], None, None)

    assert all(exit_.message.strip() for exit_ in exits)
    assert all(exit_.exit_code != 0 or exit_.signal for exit_ in exits)
