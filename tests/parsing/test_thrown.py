"""Exceptions of Python that C++ code let through: libstdc++, libc++, pybind11 and nanobind tell of them."""

from __future__ import annotations

import pytest

from tests.parsing.strand import chain, events_of, frames, innermost, names
from tracelens.events import ExceptionChain, Owner, ProcessExit

TERMINATE = "terminate called after throwing an instance of 'pybind11::error_already_set'\n"
AT = "\nAt:\n  /venv/lib/python3.11/site-packages/torch/x.py(7): load\n  /work/a b.py(3): <module>\n"


@pytest.mark.parametrize(
    "before",
    [
        TERMINATE + "  what():  ",
        "libc++abi: terminating due to uncaught exception of type pybind11::error_already_set: ",
        "libc++abi.dylib: terminating with uncaught exception of type pybind11::error_already_set: ",
    ],
)
def test_the_exception_is_read_with_its_frames_the_innermost_last(before):
    found = chain(f"{before}KeyError: 'labels'\n{AT}Aborted (core dumped)\n")
    assert names(found) == ["KeyError"]
    assert innermost(found).message == "'labels'"
    assert [(frame.path, frame.line, frame.function) for frame in frames(innermost(found))] == [
        ("/work/a b.py", 3, "<module>"),
        ("/venv/lib/python3.11/site-packages/torch/x.py", 7, "load"),
    ]
    assert frames(innermost(found))[-1].owner is Owner.TORCH


def test_a_message_of_several_paragraphs_goes_on_to_the_frames():
    found = chain(f"{TERMINATE}  what():  ValueError: bad mask\n\nExpected 12, got 11.\n{AT}")
    assert innermost(found).message == "bad mask\n\nExpected 12, got 11."
    assert len(frames(innermost(found))) == 2


def test_the_end_of_the_process_is_read_too():
    text = f"{TERMINATE}  what():  KeyError: 'labels'\n{AT}Aborted (core dumped)\n"
    assert [exit_.signal for exit_ in events_of(ProcessExit, text)] == ["SIGABRT", "SIGABRT"]


def test_nanobind_tells_a_whole_traceback():
    told = "Traceback (most recent call last):\n  File \"/work/u.py\", line 7, in f\n\nKeyError: 'x'\n"
    found = chain(f"{TERMINATE}  what():  {told}")
    assert names(found) == ["KeyError"]
    assert len(frames(innermost(found))) == 1


@pytest.mark.parametrize("text", [f"{TERMINATE}  what():  bad allocation\n", "At:\n  home (2): cold\n", "At:\nnoon\n"])
def test_what_is_no_exception_of_python_is_none(text):
    assert events_of(ExceptionChain, text) == []


def test_frames_that_lost_their_indentation_are_read():
    found = chain(
        f"{TERMINATE}what():  KeyError: 'labels'\n\nAt:\n/work/train.py(88): collate\n<frozen runpy>(3): run\n"
    )
    assert [frame.line for frame in frames(innermost(found))] == [3, 88]
