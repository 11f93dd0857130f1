from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracelens.events import CompileId, Level
from tracelens.parsing.records import HEADER_FIRST, HEADER_PATTERN, HEADER_SIGNS, read_compile_id, read_header

#: header, level, location, time; the message behind each is "text"
HEADERS = [
    ("W1201 02:32:13.949000 14743 torch/_dynamo/convert_frame.py:1994] [0/8] ", "warning", "convert_frame.py:1994"),
    (r"W0110 12:27:06.332000 158 torch\_dynamo\convert_frame.py:1551] [2/8] ", "warning", "convert_frame.py:1551"),
    ("E0101 00:00:00.000 140 file.py:12] ", "error", "file.py:12"),
    ("E0000 00:00:1700000000.123456   12 cuda_dnn.cc:8310] ", "error", "cuda_dnn.cc:8310"),
    ("I20240101 00:00:00.000000 123 file.cpp:12] ", "info", "file.cpp:12"),
    ("[E624 09:29:06.968323585 ProcessGroupNCCL.cpp:616] ", "error", "ProcessGroupNCCL.cpp:616"),
    ("[W ProcessGroupNCCL.cpp:1856] ", "warning", "ProcessGroupNCCL.cpp:1856"),
    ("[2023-11-29 22:29:33,093] torch._dynamo.convert_frame: [WARNING] ", "warning", "torch._dynamo.convert_frame"),
    ("2024-01-01 00:00:00,123 - trainer - ERROR - ", "error", "trainer"),
    ("2024-01-01 00:00:00,123 - ERROR - ", "error", None),
    ("25-06-24 09:18:49,370 - INFO - ", "info", None),
    ("[titan] 2026-04-13 21:07:44,310 - root - INFO - ", "info", "root"),
    ("01/01/2024 00:00:00 - WARNING - __main__ - ", "warning", "__main__"),
    ("2024-01-01 00:00:00.123 | ERROR    | mod.sub:fn:12 - ", "error", "mod.sub:fn:12"),
    ("2024-01-01 00:00:00,123 ERROR ", "error", None),
    ("2024-01-01T00:00:00.000Z  WARN ", "warning", None),
    ("2025-05-18 11:04:09,331 INFO worker.py:1843 -- ", "info", "worker.py:1843"),
    ("2026-04-14 02:40:04 INFO base.py L1835: ", "info", "base.py L1835"),
    ("2024-01-01 00:00:00 [error    ] ", "error", None),
    ("2024-01-01 00:00:00.123456: E external/xla/cuda_dnn.cc:8310] ", "error", "cuda_dnn.cc:8310"),
    ("19:37:45 [ERROR  ] ui.workers: ", "error", "ui.workers"),
    ("12:00:00-123456 INFO     ", "info", None),
    ("ERROR 01-28 12:00:00 [core.py:396] ", "error", "core.py:396"),
    ("ERROR 01-28 12:00:00 core.py:396] ", "error", "core.py:396"),
    ("INFO:     01-28 12:00:00 model_runner.py:12] ", "info", "model_runner.py:12"),
    ("[2024-01-01 00:00:00] ERROR ", "error", None),
    ("[2024-01-01 00:00:00,000][module.sub][ERROR] - ", "error", None),
    ("[2023-12-29 15:20:18,442] [INFO] [launch.py:315:sigkill_handler] ", "info", "launch.py:315:sigkill_handler"),
    ("[2025-01-01 00:00:00] [12:34] [ERROR] ", "error", None),
    ("[2024-01-01 00:00:00 +0000] [12] [ERROR] ", "error", None),
    ("[01/01/24 00:00:00] ERROR    ", "error", None),
    ("[2025-01-01 00:00:00 TP0] ", "unknown", None),
    ("[2025-01-01 00:00:00 DP0 TP1] ", "unknown", None),
    ("[2025-05-18 11:04:09,331 E 123 456] (raylet) node_manager.cc:3069: ", "error", "node_manager.cc:3069"),
    ("[ERROR 2024-01-01 00:00:00 file.py:12] ", "error", "file.py:12"),
    ("[I 2024-01-01 00:00:00,000] ", "info", None),
    ("[INFO|trainer.py:123] 2024-01-01 00:00:00,000 >> ", "info", "trainer.py:123"),
    ("[WARNING|2024-01-01 00:00:00] llamafactory.model:157 >> ", "warning", "llamafactory.model:157"),
    ("[ERROR] ", "error", None),
    ("[ERROR] ui.workers: ", "error", "ui.workers"),
    ("[INFO:swift] ", "info", "swift"),
    ("[TensorRT-LLM][ERROR] ", "error", "TensorRT-LLM"),
    ("[TRT] [E] ", "error", "TRT"),
    ("DEBUG    torch.__trace:utils.py:9 ", "debug", "torch.__trace:utils.py:9"),
    ("WARNING:root:", "warning", "root"),
    ("ERROR:torch.distributed.elastic.agent:", "error", "torch.distributed.elastic.agent"),
    ("ERROR:    ", "error", None),
    ("ERROR: ", "error", None),
    ("CRITICAL: ", "critical", None),
    ("ERROR    ", "error", None),
    ("gpu-1:12:34 [0] NCCL WARN ", "warning", "gpu-1:12:34"),
    ("<host1>:12:34 [0] NCCL WARN ", "warning", "<host1>:12:34"),
    ("gpu:12:34 [0] misc/socket.cc:50 NCCL INFO ", "info", "gpu:12:34"),
    (".../torch/_dynamo/guards.py:2772] [16/8] [__recompiles_verbose] ", "unknown", "_dynamo/guards.py:2772"),
    ("torch._dynamo.convert_frame: [WARNING] ", "warning", "torch._dynamo.convert_frame"),
    ("core.py:396] ", "unknown", "core.py:396"),
    ("ProcessGroupNCCL.cpp:616] ", "unknown", "ProcessGroupNCCL.cpp:616"),
    ("/a/torch/cuda/__init__.py:124: UserWarning: ", "warning", "/a/torch/cuda/__init__.py:124"),
    (r"C:\a b\x.py:12: FutureWarning: ", "warning", r"C:\a b\x.py:12"),
    ("<frozen importlib._bootstrap>:488: DeprecationWarning: ", "warning", "<frozen importlib._bootstrap>:488"),
]

#: lines that only look like headers
PLAIN = [
    "",
    "text",
    "RuntimeError: ERROR",
    "Error: no such thing",
    "error: command 'gcc' failed with exit status 1",
    "fatal error: 'omp.h' file not found",
    "a.cpp:12:3: warning: unused variable",
    "warning: x",
    "ERROR collecting tests/test_x.py",
    "FAILED tests/test_x.py::test_a - ERROR",
    '  File "a.py", line 2, in f',
    "[1/3] c++ -MMD -MF main.o.d",
    "[ 12%] Building CXX object",
    "[rank0]: Traceback (most recent call last):",
    "3: error",
    "2024-01-01 00:00:00 Compiling took WARNING",
    "[00:12<00:34, 1.2it/s]",
    "Traceback (most recent call last):",
    "  W1201 02:32:13.949000 14743 a.py:1] indented",
    "ptxas error   : Entry function uses too much shared data",
]


@pytest.mark.parametrize(("header", "level", "location"), HEADERS, ids=[header for header, *_ in HEADERS])
def test_a_header_is_read_and_ends_where_the_message_starts(header, level, location):
    found = read_header(header + "text")

    assert found is not None
    record, start = found
    assert start == len(header)
    assert record.level is Level(level)
    assert record.location == location or (location and (record.location or "").endswith(location))


@pytest.mark.parametrize("header", [header for header, *_ in HEADERS])
def test_the_pattern_finds_every_header_that_is_read(header):
    assert re.compile("^" + HEADER_PATTERN, re.MULTILINE).search(f"text\n{header}text\n")


@pytest.mark.parametrize("header", [header for header, *_ in HEADERS])
def test_each_header_has_a_sign(header):
    assert header[0] in HEADER_FIRST or any(sign in header for sign in HEADER_SIGNS)


@pytest.mark.parametrize("line", PLAIN)
def test_text_of_python_and_compilers_is_no_header(line):
    assert read_header(line) is None


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("torch/_dynamo/guards.py:1] [0/8] [__recompiles]     - 0/7: x", "    - 0/7: x"),
        ('W1201 02:32:13.949000 1 a.py:1] [0/0]   File "x.py", line 2', '  File "x.py", line 2'),
        ('ERROR 01-28 12:00:00 [core.py:1]   File "x.py", line 2', '  File "x.py", line 2'),
        ('ERROR:      File "x.py", line 2', '  File "x.py", line 2'),
        ('2024-01-01 00:00:00,123 ERROR   File "x.py", line 2', '  File "x.py", line 2'),
        ("[2023-11-29 22:29:33,093] torch._dynamo.x: [WARNING]     return f()", "    return f()"),
        ("[2023-11-29 22:29:33,093] torch._dynamo.x: [WARNING]", ""),
        ("W1201 02:32:13.949000 1 a.py:1] [0/0]", ""),
        ("W1201 02:32:13.949000 1 a.py:1] [rank0] text", "[rank0] text"),
    ],
)
def test_the_indentation_of_the_message_survives(line, message):
    found = read_header(line)

    assert found is not None
    assert line[found[1] :] == message


@pytest.mark.parametrize(
    ("marks", "compile_id", "artifact"),
    [
        ("[0/8] [__recompiles]", CompileId(frame_id=0, frame_compile_id=8), "recompiles"),
        ("[3/0_1]", CompileId(frame_id=3, frame_compile_id=0, attempt=1), None),
        ("[!2/0/1]", CompileId(frame_id=0, frame_compile_id=1, compiled_autograd_id=2), None),
        ("[-/-]", None, None),
        ("[!0]", None, None),
        ("[__graph_breaks]", None, "graph_breaks"),
        (f"[0/0] [{'e2' * 25}a]", CompileId(frame_id=0, frame_compile_id=0), None),
    ],
)
def test_glog_marks_give_compile_id_and_artifact(marks, compile_id, artifact):
    line = f"V1201 02:32:13.949000 1 torch/_dynamo/guards.py:1] {marks} text"

    found = read_header(line)

    assert found is not None
    assert found[0].compile_id == compile_id
    assert found[0].artifact == artifact
    assert line[found[1] :] == "text"


@pytest.mark.parametrize("number", ["", "[0/3] "])
def test_torch_2_0_puts_the_artifact_into_the_logger(number):
    found = read_header(f"[2023-11-29 22:29:33,093] {number}torch._dynamo.guards.__recompiles: [DEBUG] text")

    assert found is not None
    assert (found[0].location, found[0].artifact) == ("torch._dynamo.guards", "recompiles")
    assert (found[0].compile_id is None) == (not number)
    assert found[0].time == "2023-11-29 22:29:33,093"


def test_an_older_time_is_kept_as_printed():
    found = read_header("W1201 02:32:13.949000 1 a.py:1] text")

    assert found is not None
    assert found[0].time == "1201 02:32:13.949000"


@given(st.text())
def test_any_line_is_read_without_raising(line):
    found = read_header(line)
    read_compile_id(line)

    assert found is None or 0 < found[1] <= len(line)


@given(
    st.lists(
        st.sampled_from(
            [
                "2024-01-01 00:00:00",
                "[",
                "]",
                " ",
                "ERROR",
                "info",
                ":",
                " - ",
                "|",
                "a.py:1",
                "W1201 ",
                "12:00:00",
                "x.y",
                "\n",
            ]
        ),
        max_size=12,
    ).map("".join)
)
def test_any_line_of_header_parts_is_found_if_it_is_read(line):
    if read_header(line):
        assert re.match(HEADER_PATTERN, line)
