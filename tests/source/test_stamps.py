from __future__ import annotations

import pytest

from tests.source.dressing import CRASH
from tests.source.test_strands import lines_of, names_of, split

STAMPS = [
    "2025-06-24 17:18:{s:02}  ",
    "2025-06-24 17:18:{s:02}.{s:03} ",
    "2025-06-24 17:18:{s:02},{s:03} ",
    "2025/06/24 17:18:{s:02} ",
    "06/24/2025 5:18:{s:02} PM ",
    "[2025-06-24 17:18:{s:02}] ",
    "[17:18:{s:02}] ",
    "17:18:{s:02}  ",
    "<17:18:{s:02}> ",
    "Jun 24 17:18:{s:02} ",
    "24 Jun 2025 17:18:{s:02} ",
    "Tue, 24 Jun 2025 17:18:{s:02} GMT ",
    "2025-06-24 17:18:{s:02} CEST ",
    "2025-06-24 17:18:{s:02} node-12 ",
    "2025-06-24T17:18:{s:02}.123 ",
    "{s}.5s 12 ",
    "host-12 app[123]: ",
    "trainer-worker-0 main ",
    "trainer-7f9c6d8b4-x2x9z main ",
    "17:18:{s:02} web.1   | ",
    "2025-06-24T17:18:{s:02},123 [INFO ] W-9000-llm_1.0-stdout MODEL_LOG - ",
    "17:18:{s:02}.123 | INFO    | Task run 'train-0' - ",
    "17:18:{s:02}.123 [Debug] [ComfyUI-0/STDERR] ",
    "[2025-06-24 17:18:{s:02}.123] [info]  ",
    "[2025-06-24T17:18:{s:02}.123+0000] {{subprocess.py:93}} INFO - ",
]


@pytest.mark.parametrize("stamp", STAMPS)
@pytest.mark.parametrize("lines", [CRASH, CRASH[:7], CRASH * 12], ids=["crash", "traceback", "long"])
def test_a_stamp_of_any_form_comes_off(stamp, lines):
    (strand,) = split("".join(f"{stamp.format(s=i % 60)}{line}\n" for i, line in enumerate(lines)))
    assert lines_of(strand) == lines


def test_lines_that_lost_their_stamp_keep_their_text():
    lines = [f"2025-06-24 17:18:{i:02}  {line}" for i, line in enumerate(CRASH)]
    lines[4] = CRASH[4]
    assert lines_of(split("\n".join(lines))[0]) == CRASH


@pytest.mark.parametrize(
    "header",
    [
        "2025-05-18 11:04:09,331 INFO worker.py:1843 -- ",
        "2025-05-18 11:04:09 | ERROR    | module:function:12 - ",
        "2025-05-18 11:04:09,331 - root - WARNING - ",
        "[2025-05-18 11:04:09,331] [INFO] [engine.py:12] ",
        "[2023-11-29 22:29:33,093] torch._dynamo.convert_frame: [WARNING] ",
        "[2023-11-29 22:29:33,093] [0/0] torch._dynamo.convert_frame.__recompiles: [DEBUG] ",
        "W1201 02:32:13.949000 14743 torch/_dynamo/convert_frame.py:1994] [0/8] ",
        "INFO 01-28 12:00:00 [core.py:396] ",
        "19:37:45 [ERROR  ] ui.workers.gpu_job_worker: ",
        "[0/0] [__graph_code] ",
        "[1/4] c++ ",
        "[ 75%] Building NVCC (Device) object lib/",
    ],
)
def test_headers_with_a_level_and_torch_s_own_are_content(header):
    lines = [f"{header}message {i} of some length" for i in range(30)]
    assert lines_of(split("\n".join(lines))[0]) == lines
    lines[12:12] = ["Traceback (most recent call last):", '  File "/a.py", line 1, in f', "ValueError: x"]
    assert lines_of(split("\n".join(lines))[0]) == lines


def test_a_stamp_before_records_comes_off_where_tracebacks_have_it_too():
    lines = [f"INFO:     request {i} was served" for i in range(30)] + CRASH[:7]
    text = "".join(f"2025-06-24 17:18:{i % 60:02}  {line}\n" for i, line in enumerate(lines))
    assert lines_of(split(text)[0]) == lines


def test_an_outer_stamp_comes_off_and_the_record_s_own_stays():
    lines = [f"25-06-24 09:18:{i:02},370 - INFO - epoch {i}" for i in range(30)]
    text = "".join(f"2025-06-24 17:18:{i % 60:02}  {line}\n" for i, line in enumerate(lines))
    assert lines_of(split(text)[0]) == lines


def test_pods_of_one_stream_are_told_apart():
    text = "".join(f"trainer-worker-{pod} main {line}\n" for line in CRASH[:7] for pod in (0, 1))
    strands = split(text)
    assert names_of(strands) == ["trainer-worker-0/main", "trainer-worker-1/main"]
    assert [strand.process.rank for strand in strands if strand.process] == [0, 1]
    assert lines_of(strands[1]) == CRASH[:7]


def test_a_tag_with_a_rank_names_it():
    strands = split("".join(f"[gpu={rank}] step {i} done\n" for i in range(8) for rank in (0, 1)))
    assert names_of(strands) == ["rank 0", "rank 1"]


def test_a_clock_before_a_part_of_a_short_text_comes_off():
    crash = CRASH[:7]
    around = [f"setting {i} is on" for i in range(2 * len(crash))]
    stamped = [f"17:18:{s:02} {line}" for s, line in enumerate(crash)]
    assert lines_of(split("\n".join([*around, "", *stamped]))[0]) == [*around, "", *crash]
