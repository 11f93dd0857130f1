"""Anchors: what begins something is found by the scan, what healthy runs print is not."""

from __future__ import annotations

import re

import pytest

from tests.parsing.test_line_kinds import documented
from tracelens.parsing.anchors import ANCHORS
from tracelens.scan.anchors import compile_anchors
from tracelens.scan.ordinary import ordinary_match

PATTERNS = [re.compile(anchor, re.MULTILINE) for anchor in ANCHORS]
BEGINNING = {
    "HEAD", "EXCEPTION", "EXCEPTION_OPEN", "EXCEPTION_RELAY", "OCCURRED", "LINK", "RELAY", "STACK_INTRO", "HINT",
    "RECORD", "CARRIER", "FIRST_RECORD", "WARNING", "DIAGNOSTIC", "NINJA_FAILED", "NINJA_STOPPED", "RECOMPILING",
    "RECOMPILE_LIMIT", "GRAPH_BREAK", "CUDAGRAPH", "AUTOTUNE", "AUTOTUNE_ERROR", "CACHE", "ARTIFACT", "EXIT", "FACT",
    "PYTEST_SUMMARY",
}  # fmt: skip


def hits(line: str) -> bool:
    return any(pattern.search(line) for pattern in PATTERNS)


@pytest.mark.parametrize(("name", "example"), [pair for pair in documented() if pair[0] in BEGINNING])
def test_a_line_that_begins_something_is_found(name, example):
    assert hits(example), name


@pytest.mark.parametrize(("name", "example"), [pair for pair in documented() if pair[0] in BEGINNING])
def test_it_is_found_behind_a_decoration(name, example):
    assert hits(f"2025-11-03T10:22:41.113Z [rank3]: {example}"), name


@pytest.mark.parametrize(
    "line",
    [
        "Process 77 exited with code 139",
        "Worker 3 finished with status -11",
        "Return code: -9",
        "EXIT_CODE=137",
        "Process 9 died from SIGHUP",
        "[1]+  Aborted                 python train.py",
        "[1]  + 4242 killed     python train.py",
        "zsh: bus error  python train.py",
        "Speicherzugriffsfehler",
        "段错误",
        "CPU time limit exceeded",
        "floating point exception",
        "free(): invalid pointer",
        "corrupted size vs. prev_size",
        "*** Aborted at 1700000000 (unix time) try ***",
        "!!!!!!! Segfault encountered !!!!!!!",
        "Windows fatal exception: stack overflow",
        "=>> PBS: job killed: mem 70000000kb exceeded limit 64000000kb",
        "TERM_RUNLIMIT: job killed after reaching LSF run time limit.",
        "make[2]: *** [Makefile:7: build] Error 2",
        "RuntimeError DataLoader worker (pid 42) exited unexpectedly",
        "The kernel appears to have died. It will restart automatically.",
    ],
)
def test_any_word_for_a_bad_end_is_found(line):
    assert hits(line)


@pytest.mark.parametrize(
    "line",
    [
        "Epoch 3:  47%|####7     | 563/1200 [03:12<03:37,  2.93it/s, loss=2.31, v_num=8]",
        "2025-11-03 10:22:41,113 - trainer.loop - INFO - step 1200 loss=2.31455 lr=3.000e-04",
        "INFO 11-03 10:22:41 [metrics.py:455] Avg prompt throughput: 512.3 tokens/s",
        "node-12:4711:5123 [3] NCCL INFO Connected all rings",
        "step=0 loss=1.0777",
        "V1201 02:28:23.491000 1015 torch/_dynamo/trace.py:1] [0/0] [__trace_source] TRACE starts_line a.py:3 in f",
        "I1201 02:28:23.491000 1015 torch/_dynamo/symbolic_convert.py:1] [0/0] Step 1: torchdynamo start tracing f",
        'V1201 02:28:23.491000 1015 torch/_inductor/scheduler.py:1] [0/0]     File "/a/b.py", line 6, in forward',
    ],
)
def test_what_healthy_runs_print_by_the_thousand_is_not_found(line):
    assert not hits(line)


@pytest.mark.parametrize("anchor", ANCHORS)
def test_the_scan_can_look_for_it(anchor):
    (compiled,) = compile_anchors([anchor])
    assert compiled.demands
    assert ordinary_match(compiled.expression) in {None, "UserWarning: "}


def test_each_anchor_stands_once():
    assert len(set(ANCHORS)) == len(ANCHORS)
