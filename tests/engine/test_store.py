from __future__ import annotations

import pytest

from tests.engine.by_hand import RANK0, RANK1, chain, diagnostic, in_letters, record, span, text
from tracelens.engine import store as store_module
from tracelens.engine.store import EventStore
from tracelens.events import Event, ExceptionChain, GraphText, Level, ProcessExit, Text


def test_events_come_back_in_log_order():
    events: list[Event] = [text("c", 9), text("a", 1), chain("ValueError: x", line=4)]
    assert [kept.event.span.line for kept in EventStore(events).events()] == [1, 4, 9]


def test_equal_events_of_one_process_are_counted_after_a_few():
    events = [text("again", line) for line in range(1, 101)]
    kept = EventStore(events).events()
    assert len(kept) == 16
    assert sum(item.times for item in kept) == 100
    assert kept[-1].event.span.line == 100
    assert [item.event.span.line for item in kept[:3]] == [1, 2, 3]


def ended(line: int, pid: int) -> ProcessExit:
    message = f"process {pid} exited with exit code 1"
    return ProcessExit(span=span(line), message=message, exit_code=1, pid=pid)


@pytest.mark.parametrize(
    "make",
    [
        lambda line: chain(f"ValueError: bad {line}", line=line),
        lambda line: text(f"step {line:x}", line),
        lambda line: diagnostic(f"x{line} was not declared", line),
        lambda line: ended(line, line),
    ],
)
def test_events_that_differ_in_numbers_only_are_counted_after_many(make):
    found = EventStore(make(line) for line in range(1, 3001)).events()
    assert [item.times for item in found] == [1] * 100 + [2900]
    assert found[-1].event.span.line == 3000


def test_what_differs_in_more_is_kept_amid_a_flood():
    store = EventStore(chain(f"ValueError: bad {line}", line=line) for line in range(1, 20_001))
    store.extend([chain("ImportError: libcuda.so.1: cannot open shared object file", line=20_001)])
    store.extend(chain(f"ValueError: bad {line}", line=line) for line in range(20_002, 40_001))
    assert 20_001 in [item.event.span.line for item in store.events()]


def test_an_end_of_another_kind_is_kept_amid_a_flood():
    said = "ProcessExitedException: process {} terminated with exit code {}"
    store = EventStore(chain(said.format(line, 1), line=line) for line in range(1, 1001))
    store.extend([chain(said.format(1001, 137), line=1001)])
    store.extend(chain(said.format(line, 1), line=line) for line in range(1002, 2001))
    assert 1001 in [item.event.span.line for item in store.events()]


def test_equal_means_same_process_level_and_message_whatever_the_time():
    events: list[Event] = [
        *(text("again", line, RANK0) for line in range(20)),
        *(text("again", line, RANK1) for line in range(20)),
        *(record("again", line, Level.INFO) for line in range(20)),
        *(record("again", line, Level.ERROR) for line in range(20)),
        *(diagnostic("again", line) for line in range(20)),
        *(chain("ValueError: again", line=line) for line in range(20)),
    ]
    assert len(EventStore(events).events()) == 6 * 16


def test_of_many_different_events_the_first_and_the_latest_stay(monkeypatch):
    monkeypatch.setattr(store_module, "_ROOM_OF", {Text: (3, 2)})
    store = EventStore(text(f"message {line}", line) for line in range(1, 11))
    assert [kept.event.span.line for kept in store.events()] == [1, 2, 3, 9, 10]
    assert store.dropped == 5


def test_memory_stays_bounded_whatever_comes():
    store = EventStore()
    store.extend(text(f"message {in_letters(line)}", line) for line in range(60_000))
    assert len(store.events()) == 20_000
    assert store.dropped == 40_000


def test_a_dropped_event_may_come_again(monkeypatch):
    monkeypatch.setattr(store_module, "_ROOM_OF", {Text: (1, 1)})
    store = EventStore(text(message, line) for line, message in enumerate(["a", "b", "c", "b"], start=1))
    assert [kept.event.span.line for kept in store.events()] == [1, 4]


def test_the_text_of_graphs_is_not_kept():
    graph = GraphText(span=span(1), kind="graph_code", name="g", code="x" * 100_000)
    (kept,) = EventStore([graph]).events()
    assert isinstance(kept.event, GraphText)
    assert len(kept.event.code) < 1000


def test_long_messages_that_are_equal_are_kept_once():
    pages = "error: x\n" * 1000
    store = EventStore(chain("CppCompileError: " + pages[:-1] + "!", line=line) for line in (1, 2001))
    first, second = (item.event for item in store.events())
    assert isinstance(first, ExceptionChain)
    assert isinstance(second, ExceptionChain)
    assert first.exceptions[0].message is second.exceptions[0].message
    assert (first.span.line, second.span.line) == (1, 2001)
