from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.artifacts.traces import Bytes, artifact, metrics, record, start
from tracelens.artifacts.records import TraceReader

TRACE = "".join((
    record("str", ["/app/train.py", 1]),
    start(),
    record("chromium_event", {}, '{\n"name": "dynamo"\n}', frame_id=0, frame_compile_id=0),
    artifact("recompile_reasons", "0/0: tensor 'x' size mismatch at index 0. expected 4, actual 5"),
    record("inductor_output_code", {"filename": "x.py"}, "code\n" * 100, frame_id=0, frame_compile_id=0),
    metrics(entire_frame_compile_time_s=1.5),
))  # fmt: skip


def records_of(content: bytes, step: int = 1 << 16) -> tuple[list[tuple[str, int, bytes]], TraceReader]:
    reader = TraceReader(Bytes(content, step))
    return [(found.name, found.line, found.payload) for found in reader.records()], reader


def test_wanted_records_come_with_their_lines_and_payloads():
    found, reader = records_of(TRACE.encode())
    assert [name for name, _, _ in found] == ["dynamo_start", "recompile_reasons", "compilation_metrics"]
    assert reader.names == [b'{"str": ["/app/train.py", 1]}\n']
    lines = TRACE.split("\n")
    for name, line, _ in found:
        assert name in lines[line - 1]
    assert found[1][2] == b"\t0/0: tensor 'x' size mismatch at index 0. expected 4, actual 5"
    assert reader.lines == TRACE.count("\n")


@given(st.integers(1, 4000))
def test_pieces_of_any_size_give_the_same_records(step):
    assert records_of(TRACE.encode(), step)[0] == records_of(TRACE.encode())[0]


def test_record_quoted_in_a_payload_is_none():
    quoted = artifact("dynamo_error", TRACE)
    found, reader = records_of(quoted.encode())
    assert [name for name, _, _ in found] == ["dynamo_error"]
    assert reader.lines == quoted.count("\n")


@pytest.mark.parametrize("size", [0, 1, 17, 100, 1000, len(TRACE) - 1])
def test_trace_that_ends_anywhere_is_read_to_there(size):
    content = TRACE.encode()[:size]
    _, reader = records_of(content)
    assert reader.lines == content.count(b"\n")


def test_record_larger_than_the_buffer_is_passed_over():
    huge = record("inductor_output_code", {}, "x" * 79 + ("\n" + "x" * 79) * 300_000)
    found, reader = records_of((huge + TRACE).encode(), 1 << 20)
    assert [name for name, _, _ in found] == ["dynamo_start", "recompile_reasons", "compilation_metrics"]
    assert reader.lines == (huge + TRACE).count("\n")
    assert reader.cut == 1


@given(st.binary(max_size=2000))
def test_bytes_of_any_kind_are_read_without_a_complaint(content):
    _, reader = records_of(content)
    assert reader.lines == content.count(b"\n")


@given(st.lists(st.sampled_from([*TRACE.splitlines(keepends=True), "\n", "\t{\n", 'V1201] {"str": [\n', "\0\n"])))
def test_lines_in_any_order_are_read_without_a_complaint(lines):
    text = "".join(lines)
    _, reader = records_of(text.encode())
    assert reader.lines == text.count("\n")
