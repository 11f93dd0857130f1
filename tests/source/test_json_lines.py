from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.source.test_strands import lines_of, split


def test_one_object_with_several_lines_becomes_rows_of_one_line():
    message = "RuntimeError: x\n  first\n\n  second\n"
    (strand,) = split(json.dumps({"message": "before"}) + "\n" + json.dumps({"log": message}) + "\n", 5)
    assert lines_of(strand) == ["before", "RuntimeError: x", "  first", "", "  second"]
    assert list(strand.line_numbers) == [5, 6, 6, 6, 6]


@pytest.mark.parametrize(
    "record",
    [
        {"message": "text"},
        {"msg": "text", "level": "info"},
        {"log": "text\n", "stream": "stderr"},
        {"textPayload": "text", "resource": {"type": "k8s_container"}},
        {"jsonPayload": {"message": "text"}},
        {"timestamp": "2024", "fields": {"message": "text"}, "target": "router"},
        {"text": "text", "record": {"level": {"name": "INFO"}}},
        {"filename": "worker-1.out", "message": "text\r"},
        {"event": "text", "level": "error"},
    ],
)
def test_the_message_is_found_under_the_names_that_collectors_give_it(record):
    assert lines_of(split(json.dumps(record) + "\n")[0]) == ["text"]
    assert lines_of(split("  " + json.dumps(record) + ",\n")[0]) == ["text"]


def test_the_level_and_the_logger_are_kept_as_logging_prints_them():
    record = {"levelname": "WARNING", "name": "torch._dynamo", "message": "hit config.recompile_limit (8)"}
    assert lines_of(split(json.dumps(record) + "\n")[0]) == ["WARNING:torch._dynamo:hit config.recompile_limit (8)"]
    record["message"] = "W1201 02:32:13.949000 1 a.py:1] x"
    assert lines_of(split(json.dumps(record) + "\n")[0]) == [record["message"]]


def test_a_traceback_beside_the_message_stands_below_it():
    record = {
        "message": "failed",
        "exc_info": 'Traceback (most recent call last):\n  File "/a.py", line 1, in f\nValueError: x',
    }
    assert lines_of(split(json.dumps(record) + "\n")[0])[-1] == "ValueError: x"


def test_an_exception_that_is_told_in_fields_becomes_a_traceback():
    record = {
        "message": "x",
        "errorType": "ValueError",
        "errorMessage": "x",
        "stackTrace": ['  File "/a.py", line 1, in f\n    g()\n', '  File "/a.py", line 2, in g\n'],
    }
    assert lines_of(split(json.dumps(record) + "\n")[0]) == [
        "Traceback (most recent call last):",
        '  File "/a.py", line 1, in f',
        "    g()",
        '  File "/a.py", line 2, in g',
        "ValueError: x",
    ]


FRAME = '  File "/a.py", line 1, in f'


@pytest.mark.parametrize(
    "beside",
    [
        {"error": {"type": "ValueError", "message": "x", "stack_trace": f"{FRAME}\n    g()\n"}},
        {"attributes": {"exception.stacktrace": f"Traceback (most recent call last):\n{FRAME}\nValueError: x\n"}},
        {"error.stack": f"Traceback (most recent call last):\n{FRAME}\nValueError: x"},
    ],
)
def test_a_traceback_in_the_fields_of_a_collector_stands_below_the_message(beside):
    text = lines_of(split(json.dumps({"message": "failed", **beside}) + "\n")[0])
    assert text[:3] == ["failed", "Traceback (most recent call last):", FRAME]
    assert text[-1] == "ValueError: x"


def test_exceptions_that_structlog_tells_become_a_chain():
    link = {"exc_type": "KeyError", "exc_value": "'a'", "frames": [{"filename": "/a.py", "lineno": 2, "name": "g"}]}
    outer = {"exc_type": "ValueError", "exc_value": "x", "frames": []}
    text = lines_of(split(json.dumps({"event": "failed", "exception": [outer, link, 3]}) + "\n")[0])
    assert text[:4] == ["failed", "Traceback (most recent call last):", '  File "/a.py", line 2, in g', "KeyError: 'a'"]
    assert text[-1] == "ValueError: x"
    assert any("another exception occurred" in line for line in text)


@pytest.mark.parametrize("exception", [[], [3], [{"exc_type": "ValueError"}], "text", {"exc_type": "ValueError"}])
def test_what_tells_of_no_exception_is_left_to_the_message(exception):
    assert lines_of(split(json.dumps({"event": "failed", "exception": exception}) + "\n")[0])[0] == "failed"


def test_a_line_that_docker_cut_is_one_line():
    line = "x" * 40_000
    cut = [line[i : i + 16_384] for i in range(0, len(line), 16_384)]
    cut[-1] += "\n"
    (strand,) = split("".join(json.dumps({"log": part, "stream": "stderr"}) + "\n" for part in [*cut, "next\n"]))
    assert lines_of(strand) == [line, "next"]


def test_a_line_that_cri_o_cut_is_one_line():
    stamp = "2026-12-01T10:00:00.123456789Z stderr"
    (strand,) = split(f"{stamp} P RuntimeError: one\n{stamp} P  and two\n{stamp} F  and three\n{stamp} F next\n")
    assert lines_of(strand) == ["RuntimeError: one and two and three", "next"]


def test_an_object_that_was_cut_off_still_tells_its_message():
    text = json.dumps({"stream": "stderr", "log": 'RuntimeError: "x"\n', "time": "2026"})[:-14] + "\n"
    assert lines_of(split(text)[0]) == ['RuntimeError: "x"']


def test_codes_within_a_message_come_off():
    assert lines_of(split(json.dumps({"message": "\x1b[31mred\x1b[0m\r50%\rdone"}) + "\n")[0]) == ["red", "50%", "done"]


@pytest.mark.parametrize(
    "line",
    [
        '{"dynamo_start": {"stack": []}, "frame_id": 0}',
        "{'message': 'a dict of Python'}",
        '{"message": 5}',
        "[1, 2, 3]",
        '{"a": 1',
        "{",
        '{"x":' * 5000,
    ],
)
def test_other_objects_are_content(line):
    (strand,) = split(line + "\n")
    assert strand.text == line + "\n"


@given(
    st.dictionaries(
        st.sampled_from(["message", "log", "level", "name", "rank", "exc_info"]),
        st.one_of(st.text(), st.integers(), st.none()),
    )
)
def test_any_object_is_read_without_raising(record):
    assert split(json.dumps(record) + "\n")


def test_bars_between_objects_are_no_rows():
    bar = "Epoch 3:  47%|####      | 188/400 [02:11<02:28,  1.43it/s, loss=2.31]"
    lines = [json.dumps({"textPayload": each, "severity": "INFO"}) for each in ("one", f"{bar}\r{bar}", bar, "two")]
    assert lines_of(split("\n".join(lines))[0]) == ["one", bar, "two"]


def test_objects_of_one_length_are_not_taken_for_the_pieces_of_one():
    messages = [f"line {i:3} of a message that every object pads to the same width" for i in range(12)]
    text = "".join(json.dumps({"log": f"{each}\n", "stream": "stderr"}) + "\n" for each in messages)
    prose = "### What happened, in a paragraph that is longer than all of the objects that somebody pasted below it"
    assert lines_of(split(f"{prose * 2}\n\n{text}")[0])[2:] == messages


TRACE = f"Traceback (most recent call last):\n{FRAME}\nValueError: x"
TOLD = TRACE.splitlines()


@pytest.mark.parametrize(
    "beside",
    [
        {"lvl": "error", "exc_type": "ValueError", "exc": f"{TRACE}\n"},
        {"level": 50, "err": {"type": "ValueError", "message": "x", "stack": TRACE}},
        {"level": "error", "error": "ValueError: x", "context": {"whatever": TRACE}},
        {"error": {"kind": "ValueError", "message": "x", "stack": [FRAME]}},
        {
            "record": {
                "exception": {"type": "ValueError", "value": "x", "frames": [{"file": "/a.py", "line": 1, "name": "f"}]}
            }
        },
        {
            "exception": {
                "values": [
                    {
                        "type": "ValueError",
                        "value": "x",
                        "stacktrace": {"frames": [{"abs_path": "/a.py", "lineno": 1, "function": "f"}]},
                    }
                ]
            }
        },
    ],
)
def test_a_failure_is_found_under_any_name_and_told_once(beside):
    assert lines_of(split(json.dumps({"message": "failed", **beside}) + "\n")[0]) == ["failed", *TOLD]
    assert lines_of(split(json.dumps({"timestamp": 1, **beside}) + "\n")[0]) == TOLD


def test_a_type_and_a_message_without_frames_are_a_failure():
    record = {"event": "failed", "exception.type": "ValueError", "exception.message": "x"}
    assert lines_of(split(json.dumps(record) + "\n")[0]) == ["failed", TOLD[0], TOLD[-1]]


def test_frames_without_a_place_are_left_out():
    frames = [{"filename": "/a.py", "function": "f"}, {"filename": "/b.py", "lineno": 2}]
    record = {"event": "failed", "exception": [{"exc_type": "ValueError", "exc_value": "x", "frames": frames}]}
    told = [TOLD[0], '  File "/b.py", line 2, in <unknown>', TOLD[-1]]
    assert lines_of(split(json.dumps(record) + "\n")[0]) == ["failed", *told]


def test_a_bare_error_counts_where_the_record_is_one_of_an_error():
    record = {"level": "error", "msg": "build failed", "stderr": "sh: g++: not found\n"}
    assert lines_of(split(json.dumps(record) + "\n")[0]) == ["build failed", "sh: g++: not found"]
    assert lines_of(split(json.dumps({**record, "level": "info"}) + "\n")[0]) == ["build failed"]


@pytest.mark.parametrize(
    "record",
    [
        {"level": "error", "msg": "text", "request": {"messages": [{"content": TRACE}]}},
        {"level": "error", "msg": "text", "prompt": TRACE},
        {"level": "info", "msg": "text", "note": TRACE},
        {"level": "error", "msg": "text", "error": {"type": "invalid_request_error", "message": 3}},
    ],
)
def test_what_somebody_sent_is_no_failure(record):
    assert lines_of(split(json.dumps(record) + "\n")[0]) == ["text"]


def test_an_object_of_no_log_stays_whatever_it_quotes():
    line = json.dumps({"question": "why?", "answer": TRACE})
    assert split(line + "\n")[0].text == line + "\n"


def spread(record: object) -> str:
    return json.dumps(record, indent=4) + "\n"


def test_of_objects_spread_over_lines_the_messages_are_kept():
    events = [{"timestamp": number, "message": line, "ingestionTime": 2} for number, line in enumerate(TOLD)]
    text = "before\n" + spread({"events": events, "nextToken": "f/38"}) + "behind\n"
    assert lines_of(split(text)[0]) == ["before", *TOLD, "behind"]


def test_an_object_spread_over_lines_may_have_a_message_of_many():
    text = spread([{"insertId": "a", "textPayload": TRACE + "\n", "resource": {"labels": {}}}])
    (strand,) = split(text)
    assert lines_of(strand) == TOLD
    assert set(strand.line_numbers) == {4}


@pytest.mark.parametrize("record", [{"message": "hello", "lr": 0.1}, {"timestamp": 1, "text": "hello"}])
def test_settings_spread_over_lines_stay(record):
    assert split(spread(record))[0].text == spread(record)


def test_half_a_character_that_was_spelled_out_is_replaced_and_bytes_are_kept():
    line = '{"msg": "one \\ud83d half, one \\udcff byte, \\ud83d\\ude00"}\n'
    assert lines_of(split(line)[0]) == ["one \ufffd half, one \udcff byte, \U0001f600"]
