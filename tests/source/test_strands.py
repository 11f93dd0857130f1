from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.source.dressing import CRASH, DRESSES, dressed
from tracelens.source import split_strands
from tracelens.text import Process, Region, Strand

#: Pieces of which hostile text is made: each opens some step of the splitting.
PIECES = [
    *(dress(0, "x", 1) for dress in DRESSES.values()),
    *CRASH[:8],
    "\n", "\n\n", "\r", "\t", " ", "x", "=", "É", "\0", "\x9b", "\x1b[31m", "\u200b", "\xa0", "\u2028", "\udc80",
    "E   ", "[36m", "[0m", "\\u001b[", "  0%|  | 0/28 [00:00<?, ?it/s]", "a" * 80, "_bk;t=1234567890123", "stdout P ",
    "╭─── Traceback (most recent call last) ───╮", "│ /a/b.py:12 in f │", "│ ❱ 12 │ x │", "╰────╯",
]  # fmt: skip
ANY_TEXT = st.one_of(
    st.text(),
    st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=4)), max_size=60).map("".join),
    st.tuples(st.lists(st.sampled_from(PIECES), min_size=1, max_size=6), st.integers(1, 12)).map(
        lambda made: "\n".join(made[0] * made[1])
    ),
)
LINES = st.lists(st.sampled_from(CRASH), max_size=30).map(lambda more: CRASH[:7] + more)


def split(text: str, first_line: int = 1) -> tuple[Strand, ...]:
    return split_strands(Region(first_line=first_line, text=text))


def lines_of(strand: Strand) -> list[str]:
    return strand.text.split("\n")[:-1]


def names_of(strands: tuple[Strand, ...]) -> list[str | None]:
    return [None if strand.process is None else strand.process.name for strand in strands]


@settings(deadline=None, max_examples=300)
@given(ANY_TEXT, st.integers(1, 10**6))
def test_any_text_becomes_strands_whose_lines_stood_in_the_region(text, first_line):
    strands = split(text, first_line)
    last_line = first_line + text.count("\n") - text.endswith("\n")
    assert len(set(names_of(strands))) == len(strands)
    for strand in strands:
        numbers, ends = list(strand.line_numbers), list(strand.last_line_numbers)
        assert len(numbers) == len(ends) == strand.text.count("\n")
        assert strand.text.endswith("\n")
        assert numbers == sorted(numbers)
        assert all(first_line <= number <= end <= last_line for number, end in zip(numbers, ends, strict=True))
        assert strand.span(0, len(strand.text)).line == numbers[0]


@settings(deadline=None, max_examples=300)
@given(ANY_TEXT)
def test_any_strand_is_not_changed_by_splitting_it_again(text):
    for strand in split(text):
        (again,) = split(strand.text)
        assert again.text == strand.text


@settings(deadline=None, max_examples=150)
@given(LINES)
def test_any_plain_lines_stay_as_they_are(lines):
    (strand,) = split("\n".join(lines) + "\n")
    assert lines_of(strand) == lines
    assert strand.process is None
    assert list(strand.line_numbers) == list(range(1, len(lines) + 1))


@settings(deadline=None, max_examples=300)
@given(LINES, st.lists(st.sampled_from(sorted(DRESSES)), max_size=4))
def test_any_decorations_on_any_lines_come_off(lines, names):
    (strand,) = split("\n".join(dressed(lines, names)) + "\n")
    assert lines_of(strand) == lines
    assert list(strand.line_numbers) == list(range(1, len(lines) + 1))


@pytest.mark.parametrize("inner", sorted(DRESSES))
def test_each_decoration_comes_off_below_each_other(inner):
    for outer in DRESSES:
        (strand,) = split("\n".join(dressed(CRASH, [inner, outer])))
        assert lines_of(strand) == CRASH, outer


@settings(deadline=None, max_examples=60)
@given(LINES, st.sampled_from(["rank of a traceback", "torchrun tee", "vllm", "ray", "mpirun tag", "kubectl prefix"]))
def test_any_processes_woven_line_by_line_become_strands_of_their_own(lines, name):
    woven = itertools.chain.from_iterable(zip(*(dressed(lines, [name], process) for process in range(3)), strict=True))
    strands = split("\n".join(woven))
    assert [lines_of(strand) for strand in strands] == [lines] * 3
    assert [list(strand.line_numbers)[:2] for strand in strands] == [[1, 4], [2, 5], [3, 6]]


def test_plain_text_is_shared_and_not_copied():
    text = "\n".join(CRASH * 200) + "\n"
    (strand,) = split(text, 41)
    assert strand.text is text
    assert strand.line_numbers == range(41, 41 + 200 * len(CRASH))


def test_an_empty_region_has_no_strand():
    assert split("") == ()


def test_a_line_without_end_gets_one():
    (strand,) = split("RuntimeError: x")
    assert strand.text == "RuntimeError: x\n"


def test_one_rare_decorated_line_in_much_plain_text_is_found():
    plain = [f"line {i} of some output that says nothing at all, at length" for i in range(20_000)]
    plain[12_345] = "[rank3]: RuntimeError: x"
    strands = split("\n".join(plain))
    assert names_of(strands) == [None, "rank 3"]
    assert (strands[1].text, list(strands[1].line_numbers)) == ("RuntimeError: x\n", [12_346])


def test_decorated_lines_between_much_noise_are_undecorated():
    noise = [f"step {i:05d} | loss {2 - i * 1e-4:.4f} | {i % 7} ms" for i in range(400)]
    for name in ("srun label", "quote", "docker compose", "stamp", "pdsh", "accelerate", "bar"):
        lines = [line for line in CRASH if line]
        text = "\n".join(noise + dressed(lines, [name]) + noise[:60])
        got = [line for strand in split(text) for line in lines_of(strand) if line not in set(noise)]
        assert got == lines, name


def test_bare_lines_among_decorated_ones_are_of_another_process():
    strands = split("[rank0]: Traceback (most recent call last):\nhello from a print\n[rank0]: ValueError: x\n")
    assert names_of(strands) == ["rank 0", None]
    assert strands[0].text == "Traceback (most recent call last):\nValueError: x\n"
    assert strands[1].text == "hello from a print\n"


def test_an_empty_line_without_prefix_belongs_to_the_traceback_before_it():
    text = "[rank1]: ValueError: x\n\n[rank1]: During handling of the above exception, another exception occurred:\n"
    (strand,) = split(text)
    assert lines_of(strand)[1] == ""
    assert strand.process == Process(name="rank 1", rank=1)


def test_an_indented_bare_line_inside_a_traceback_is_its_own():
    text = '[rank0]:   File "/a.py", line 1, in f\n    return g()\n[rank0]: ValueError: x\n'
    (strand,) = split(text)
    assert lines_of(strand)[1] == "    return g()"


def test_lines_below_a_header_that_stands_on_first_lines_only_are_of_its_process():
    text = (
        "[2025-07-10 14:20:55 TP0] Scheduler hit an exception: Traceback (most recent call last):\n"
        '  File "/a.py", line 1, in f\nValueError: x\n'
        "[2025-07-10 14:20:56 TP1] ok\n"
    )
    strands = split(text)
    assert names_of(strands) == ["TP0", "TP1"]
    assert lines_of(strands[0])[2] == "ValueError: x"
    assert strands[0].process == Process(name="TP0", rank=0)


def test_a_process_has_one_name_in_every_region():
    regions = ["[default1]:a\n[default1]:[rank1]: b\n", "[default1]:a\n", "[rank1]: b\n", "[rank1]:[rank1]:W\n"]
    assert {name for text in regions for name in names_of(split(text))} == {"rank 1"}


def test_a_local_rank_is_of_the_global_rank_that_other_lines_tell():
    (strand,) = split("[default0]:[rank8]: a\n[default0]:b\n")
    assert strand.process == Process(name="rank 8", rank=8)


def test_equal_pids_in_different_containers_are_different_processes():
    text = "vllm-1  | (EngineCore pid=73) a\nvllm-2  | (EngineCore pid=73) b\n" * 3
    assert names_of(split(text)) == ["vllm-1/EngineCore 73", "vllm-2/EngineCore 73"]


@pytest.mark.parametrize(
    ("line", "process"),
    [
        ("[rank3]: x", Process(name="rank 3", rank=3)),
        ("[default1]:x", Process(name="rank 1", rank=1)),
        ("(Worker_TP1 pid=84) x", Process(name="Worker_TP1 84", rank=1, pid=84)),
        ("(VllmWorker rank=2 pid=9) x", Process(name="VllmWorker 9", rank=2, pid=9)),
        ("(EngineCore_DP0 pid=73) x", Process(name="EngineCore_DP0 73", pid=73)),
        ("(Worker_DP1_TP0 pid=5) x", Process(name="Worker_DP1_TP0 5", pid=5)),
        ("(RayWorker pid=1, ip=10.0.0.2) x", Process(name="RayWorker 1 (10.0.0.2)", pid=1)),
        ("(MapBatches(Infer) pid=7) x", Process(name="MapBatches(Infer) 7", pid=7)),
        ("(raylet) x", Process(name="raylet")),
        ("[1,5]<stdout>:x", Process(name="rank 5", rank=5)),
        ("[1,mpirank:6,algo-2]<stderr>:x", Process(name="rank 6", rank=6)),
        ("[pod/trainer-worker-2/pytorch] x", Process(name="trainer-worker-2/pytorch", rank=2)),
        ("Dec 01 12:00:00 node7 python[123]: x", Process(name="node7/python 123", pid=123)),
        ("Dec  1 12:00:00 node7 kernel: x", Process(name="node7/kernel")),
        ("2026-03-24T06:51:02+00:00 app[web.1]: x", Process(name="web.1")),
        ("2024-05-01T10:00:00,124 [INFO ] W-9000-llm_1.0-stdout MODEL_LOG - x", Process(name="W-9000-llm_1.0")),
        (
            "2024-05-01 10:00:00,124 [WARN ] W-model-4-stderr com.amazonaws.ml.mms.wlm.WorkerLifeCycle - x",
            Process(name="W-model-4"),
        ),
        ("10:00:00.124 | INFO    | Task run 'train-0' - x", Process(name="train-0")),
        ("10:00:00.124 [Debug] [ComfyUI-0/STDERR] x", Process(name="ComfyUI-0")),
        ("[trainer0]:x", Process(name="trainer0", rank=0)),
        ('{"message": "x", "kubernetes": {"pod_name": "job-worker-4"}}', Process(name="job-worker-4", rank=4)),
        ('{"message": "x", "rank": 3}', Process(name="rank 3", rank=3)),
    ],
)
def test_decorations_tell_who_printed_a_line(line, process):
    (strand,) = split(line + "\n")
    assert (strand.text, strand.process) == ("x\n", process)


@pytest.mark.parametrize(
    "line",
    [
        "3: error: expected expression",
        "> /workspace/train.py(12)f()",
        "   12 | code();",
        "12345 | code();",
        "  | During handling of the above exception",
        "  + Exception Group Traceback (most recent call last):",
        "{'a': 1, 'b': 2}",
        "W1201 02:32:13.949000 14743 torch/_dynamo/convert_frame.py:1994] [0/8] text",
        "[2023-11-29 22:29:33,093] [0/0] torch._dynamo.convert_frame: [DEBUG] text",
        "ERROR 01-28 12:00:00 [core.py:396] text",
        "2025-05-18 11:04:09,331 INFO worker.py:1843 -- text",
        "2026-04-14 02:40:04 INFO base.py L1835: caching done",
        "[1/4] c++ -c rms.cpp",
        "[0/0] [__graph_code] TRACED GRAPH",
        "collect2: error: ld returned 1 exit status",
        "make[2]: *** [x] Error 1",
        ">>> import torch",
        "[1]:",
        "origins=OrderedSet([mm])",
        "[Rank 0] Watchdog caught collective operation timeout",
    ],
)
def test_what_programs_print_is_no_decoration(line):
    for text in (line, "\n".join([line] * 2), "\n".join(["Traceback (most recent call last):", *[line] * 2, "x"])):
        (strand,) = split(text + "\n")
        assert strand.text == text + "\n"
        assert strand.process is None
