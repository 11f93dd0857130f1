"""Tracebacks whose exception stands above them, as AWS Lambda prints them."""

from __future__ import annotations

import pytest

from tests.parsing.strand import FRAME, HEAD, TORCH_FRAME, chain, events_of, frames, innermost, names
from tracelens.events import ExceptionChain

TOLD = "[ERROR] OSError: [Errno 30] Read-only file system: '/home/u'\n"


@pytest.mark.parametrize("below", ["", "END RequestId: 5c2f\n", "\n[INFO] step 1\n"])
def test_the_stack_belongs_to_the_exception_above_it(below):
    found = chain(TOLD + HEAD + FRAME + TORCH_FRAME + below)
    assert names(found) == ["OSError"]
    assert len(frames(innermost(found))) == 2
    assert (found.span.line, innermost(found).span.line) == (1, 1)


def test_a_name_that_something_else_printed_later_is_not_its_last_line():
    text = TOLD + HEAD + FRAME + "START RequestId: 5c2f Version: $LATEST\nRuntime.ExitError\n"
    told, later = events_of(ExceptionChain, text)
    assert names(told) == ["OSError"]
    assert frames(innermost(told))
    assert not any(frames(exception) for exception in later.exceptions)
    assert told.span.end_line < later.span.line


def test_a_traceback_with_a_line_of_its_own_keeps_its_stack():
    told, raised = events_of(ExceptionChain, TOLD + HEAD + FRAME + "ValueError: x\n")
    assert not frames(innermost(told))
    assert names(raised) == ["ValueError"]
    assert frames(innermost(raised))


def test_a_message_of_several_lines_stands_above_its_stack_too():
    found = chain(TOLD + "asked for by the cache\n" + HEAD + FRAME)
    assert innermost(found).message.endswith("asked for by the cache")
    assert frames(innermost(found))


def test_a_stack_further_down_belongs_to_nobody_above():
    told = events_of(ExceptionChain, f"{TOLD}[INFO] step 1\n{HEAD}{FRAME}")[0]
    assert not frames(innermost(told))


def test_a_warning_of_an_exception_takes_no_stack():
    told = events_of(ExceptionChain, TOLD.replace("ERROR", "WARNING") + HEAD + FRAME)[0]
    assert not frames(innermost(told))
