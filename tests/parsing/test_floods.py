"""What a flood costs less than its lines, and that nothing else comes of it."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.parsing.strand import FRAME, HEAD, parsed
from tracelens.engine import store as store_module
from tracelens.engine.store import EventStore, Kept
from tracelens.events import ExceptionChain, ProcessExit
from tracelens.parsing import Memory, classify, diagnostic_runs, floods, parse_strand, repeats
from tracelens.parsing.diagnostic_runs import DiagnosticRuns
from tracelens.text import Span, Strand

NEVER = 1 << 30

#: Lines that come in floods, by what they say; each ``{}`` is a number, ``{second}`` the seconds of a time.
FLOODED = (
    "RuntimeError: x\n",
    "ValueError: bad {}\n",
    "torch._inductor.exc.InductorError: bad {}\n",
    "Segmentation fault (core dumped)\n",
    "Process {} exited with exit code 1\n",
    "W1201 02:32:{second}.000000 77 torch/_dynamo/convert_frame.py:12] [0/1] something odd {} happened\n",
    "2024-01-01 00:00:{second},123 - trainer - ERROR - step {} failed\n",
    "ERROR:trainer:step {} failed\n",
    "/opt/torch/a.py:{}: UserWarning: odd thing {}\n",
    "FAILED: main{}.o\n",
    "/src/b.cpp:{}:1: error: \u2018y{}\u2019 was not declared in this scope\n",
    "/inc/a.h:7:12: warning: unused parameter\n    7 | int f(int x);\n",
)
#: What may stand among them and belongs to the line above or below it.
OTHERS = (
    HEAD + FRAME,
    HEAD,
    "\n",
    "of the message above\n",
    "    indented\n",
    "RuntimeError: that goes on:\n",
    "subprocess.CalledProcessError: Command '['g++', 'a.cpp']' returned non-zero exit status 1.\n",
    "Output:\n",
    "W1201 02:32:10.000000 77 torch/_dynamo/convert_frame.py:12] [0/1] Traceback (most recent call last):\n",
    "W1201 02:32:10.000000 77 torch/_dynamo/convert_frame.py:12] [0/1]   more of it\n",
    "ERROR:trainer:  more of it\n",
    "  exitcode  : -9 (pid: 7)\n",
    "The above exception was the direct cause of the following exception:\n",
    "ImportError: libcuda.so.1: cannot open shared object file\n",
    "In file included from /src/b.cpp:1:\n",
    "ninja: build stopped: subcommand failed.\n",
)


def written(runs: Sequence[tuple[str, int, int]]) -> str:
    """Return runs of lines; the numbers in them go on from one given for each."""
    return "".join(
        line.replace("{}", str(number)).replace("{second}", f"{number % 60:02}")
        for line, count, first in runs
        for number in range(first, first + count)
    )


def runs(numbers: st.SearchStrategy[int]) -> st.SearchStrategy[str]:
    """Return texts of floods, and of others among them, whose numbers begin with one of some."""
    flood = st.tuples(st.sampled_from(FLOODED), st.integers(1, 14), numbers)
    other = st.tuples(st.sampled_from(OTHERS), st.just(1), st.just(0))
    return st.lists(st.one_of(flood, other), max_size=10).map(written)


def stored(texts: Sequence[str], *, floods_of: int) -> tuple[EventStore, int]:
    """Return what is kept of the texts of one log, and how many lines were not understood."""
    store, memory = EventStore(), Memory()
    first, unparsed = 1, 0
    with pytest.MonkeyPatch.context() as patch:
        # Bounds that a short text comes to.
        for module in (store_module, repeats, floods, diagnostic_runs):
            patch.setattr(module, "ALIKE_KEPT", 4)
        for module in (store_module, repeats):
            patch.setattr(module, "EQUAL_KEPT", 2)
        patch.setattr(classify, "SUSPICIOUS", floods_of)
        if floods_of == NEVER:
            patch.setattr(DiagnosticRuns, "find", lambda _self, _start: [])
        for text in texts:
            lines = range(first, first + text.count("\n"))
            result = parse_strand(Strand(process=None, text=text, line_numbers=lines), memory)
            store.take(result)
            unparsed += result.unparsed_lines
            first += len(lines)
    return store, unparsed


def spans(store: EventStore) -> list[tuple[Kept, Span]]:
    """Return what is kept with its lines, which events are not compared by."""
    return [(kept, kept.event.span) for kept in store.events()]


@settings(deadline=None)
@given(st.lists(runs(st.just(7)).map(lambda text: re.sub(r"\d", "7", text)), max_size=3))
def test_any_floods_of_equal_lines_come_to_what_the_lines_come_to_one_by_one(texts):
    (floods_, unparsed), (alone, unparsed_alone) = stored(texts, floods_of=1), stored(texts, floods_of=NEVER)
    assert spans(floods_) == spans(alone)
    assert unparsed == unparsed_alone


def by_shape(store: EventStore) -> dict[object, tuple[int, int]]:
    """Return how many events of a shape there are, and the line of the last of them."""
    found: dict[object, tuple[int, int]] = {}
    for event, times in store.events():
        said = getattr(event, "exceptions", None) or getattr(event, "message", None) or event
        shape = type(event), re.sub(r"\d", "", repr(said))
        count, last = found.get(shape, (0, 0))
        found[shape] = count + times, max(last, event.span.line)
    return found


@settings(deadline=None)
@given(st.lists(runs(st.integers(10, 40)), max_size=3))
def test_any_floods_of_lines_that_are_alike_are_as_many_and_end_where_they_do_one_by_one(texts):
    (floods_, unparsed), (alone, unparsed_alone) = stored(texts, floods_of=1), stored(texts, floods_of=NEVER)
    assert by_shape(floods_) == by_shape(alone)
    assert unparsed == unparsed_alone


@pytest.mark.parametrize("line", FLOODED)
def test_of_a_flood_little_is_read_and_all_is_counted(line):
    text = written([(line, 20_000, 10)])
    result = parsed(text)
    assert len(result.events) <= 150
    assert sum(kept.times for kept in EventStore(result.events).events()) < 20_000
    store = EventStore()
    store.take(result)
    assert sum(kept.times for kept in store.events()) == 20_000
    assert store.dropped == 0
    assert sum(1 for _event in result.every_event()) == 20_000


def test_an_exception_amid_a_flood_of_others_is_read():
    flood = written([("ValueError: bad {}\n", 5000, 0)])
    result = parsed(f"{flood}ImportError: libcuda.so.1: cannot open shared object file\n{flood}")
    found = [event for event in result.events if isinstance(event, ExceptionChain)]
    assert [event.span.line for event in found if event.exceptions[0].type_name == "ImportError"] == [5001]


@pytest.mark.parametrize("line", ["Process {} exited with code {}\n", "  exitcode  : {1} (pid: {0})\n"])
def test_an_end_of_another_kind_amid_a_flood_is_read(line):
    flood = "".join(line.format(number, 1) for number in range(2000))
    result = parsed(flood + line.format(2000, 137) + flood)
    assert [event.span.line for event in result.events if isinstance(event, ProcessExit) and event.exit_code == 137]


def test_of_lines_that_all_differ_in_words_the_rest_is_dropped_and_said():
    words = [str(number).translate(str.maketrans("0123456789", "ghijklmnop")) for number in range(20_000)]
    result = parsed("".join(f"ValueError: {word}\n" for word in words))
    assert len(result.events) < 3000
    assert len(result.events) + len(result.repeats) + result.dropped == 20_000
