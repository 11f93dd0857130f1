"""What ``parse_strand`` promises of any text, and of the logs of the corpus."""

from __future__ import annotations

import time
import tracemalloc

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.parsing.strand import corpus_cases, corpus_text, events_of, parsed, strand
from tracelens.events import ChainedException, Event, ExceptionChain, Text
from tracelens.parsing import parse_strand
from tracelens.text import Process, Strand

LINES = (
    "Traceback (most recent call last):",
    '  File "/a/torch/_inductor/x.py", line 3, in f',
    'File "a.py", line 3, in f',
    "    return f(x)",
    "    ^^^^^^^^^^^",
    "ValueError: x",
    "torch._dynamo.exc.BackendCompilerFailed: backend='inductor' raised:",
    "RuntimeError:",
    "Foo: bar",
    "multiprocessing.pool.RemoteTraceback: ",
    "ray.exceptions.RayTaskError(OSError): ray::f()",
    '"""',
    "The above exception was the direct cause of the following exception:",
    "During handling of the above exception, another exception occurred:",
    "-- Process 0 terminated with the following error:",
    "Original Traceback (most recent call last):",
    "Exception has occurred: ValueError",
    "  + Exception Group Traceback (most recent call last):",
    "  | ExceptionGroup: two (2 sub-exceptions)",
    "  +-+---------------- 1 ----------------",
    "NameError          Traceback (most recent call last)",
    "Cell In[3], line 10",
    "---> 10 b",
    "a.py:7: in f",
    "a.py:7: ValueError",
    ">       f(1)",
    "E       ValueError: x",
    "E x",
    "/home/u/train.py:12 in main",
    "from user code:",
    "Set TORCHDYNAMO_VERBOSE=1 for more",
    "W1201 02:32:13.949000 14743 torch/_dynamo/frame.py:1994] [0/8] torch._dynamo hit config.recompile_limit (8)",
    "W1201 02:32:13.949000 14743 torch/_dynamo/frame.py:1994] [0/8]    function: 'f' (a.py:1)",
    "V1201 02:32:13.949000 14743 torch/_dynamo/guards.py:1] [0/8] [__recompiles] Recompiling function f in a.py:1",
    "E1201 02:32:13.949000 1 torch/_inductor/select_algorithm.py:1] [0/0] Exception x for benchmark choice T(a)",
    "V1201 02:32:13.949000 1 torch/_dynamo/convert.py:1] [0/0] [__graph_breaks] Graph break in user code at a:1",
    "ERROR 01-28 17:37:45 [core.py:866] Traceback (most recent call last):",
    'ERROR 01-28 17:37:46 [core.py:866]   File "a.py", line 3, in f',
    "2024-01-01 00:00:00,123 - trainer - ERROR - failed:",
    "INFO:     one",
    "/a.py:12: UserWarning: slow",
    "/x/main.c:5:10: fatal error: Python.h: No such file or directory",
    "    5 | #include <Python.h>",
    "In file included from a.h:3:",
    "compilation terminated.",
    "g++ -O3 -c main.cpp",
    "Command:",
    "Output:",
    "[1/2] c++ -c main.cpp",
    "FAILED: main.o",
    "ninja: build stopped: subcommand failed.",
    "Recompiling function f in a.py:3",
    "skipping cudagraphs due to mutated inputs",
    "Runtime error during autotuning:",
    "Ignoring this choice.",
    "fx graph cache unable to load compiled graph",
    "class GraphModule(torch.nn.Module):",
    "Writing minified repro to:",
    "Segmentation fault (core dumped)",
    "  exitcode  : -15 (pid: 4516)",
    "PyTorch version: 2.5.1",
    "=" * 60,
    "------ Captured stderr call ------",
    "FAILED a.py::t - ValueError: x",
    "frame #0: c10::Error + 0x1",
    "something:",
    "plain text",
    "      Traceback (most recent call last):",
    '        File "a.py", line 3, in f',
    "      KeyError: 1",
    "100%|\u2588\u2588\u2588| 3/3",
    "",
    "   ",
)
texts = st.one_of(
    st.text(max_size=300),
    st.lists(st.sampled_from(LINES), max_size=40).map("\n".join),
    st.lists(st.one_of(st.sampled_from(LINES), st.text(max_size=40)), max_size=30).map("\n".join),
)


def inner(event: Event | ChainedException) -> list[Event | ChainedException]:
    """Return what an event is made of that has a span too."""
    if isinstance(event, ExceptionChain):
        return list(event.exceptions)
    return list(getattr(event, "guards", ()))


def check(text: str) -> None:
    """Assert all that holds for the reading of any text."""
    given_strand = strand(text)
    result = parse_strand(given_strand)
    lines = given_strand.text.count("\n")
    solid = sum(1 for line in given_strand.text.split("\n") if line.strip())
    assert result.parsed_lines + result.unparsed_lines == solid
    assert result.parsed_lines >= 0
    assert result.unparsed_lines >= 0
    places = [event.span.line for event in result.events]
    assert places == sorted(places)
    for event in result.events:
        for part in (event, *inner(event)):
            assert 1 <= part.span.line <= part.span.end_line <= lines
        if isinstance(event, ExceptionChain):
            assert event.exceptions
            assert event.exceptions[-1].relation is None
            assert all(exception.relation for exception in event.exceptions[:-1])
    assert parse_strand(strand(text)) == result


@given(texts)
@example("")
@example("\n")
@example("\r")
@example("\x00\x0b\x0c\u2028\ud800")
@example(" \n \n")
def test_any_text_is_read_whole(text):
    check(text)


@given(texts, st.integers(0, 400))
def test_any_text_can_be_cut_anywhere(text, place):
    check(text[:place])
    check(text[place:])


@pytest.mark.parametrize("case", corpus_cases())
def test_a_log_of_the_corpus_is_read_whole(case):
    check(corpus_text(case))


@given(st.lists(st.sampled_from(["alpha beta", "one two three", "x = 1", "-> ok"]), min_size=1, max_size=30))
def test_any_line_that_nobody_knows_is_an_event_of_its_own(lines):
    found = events_of(Text, "\n".join(lines))
    assert [event.message for event in found] == lines
    assert [event.span.line for event in found] == list(range(1, len(lines) + 1))


def test_every_event_knows_its_process():
    process = Process(name="rank 3", rank=3)
    text = "\n".join(LINES)
    assert {event.process for event in parse_strand(strand(text, process)).events} == {process}


def test_spans_are_those_of_the_input():
    lines = Strand(
        process=None,
        text="x\nTraceback (most recent call last):\nValueError: a long message\n",
        line_numbers=[7, 20, 31],
        last_line_numbers=[7, 20, 33],
    )
    text, chain = parse_strand(lines).events
    assert (text.span.line, text.span.end_line) == (7, 7)
    assert (chain.span.line, chain.span.end_line) == (20, 33)


def test_a_text_without_a_last_newline_is_read_whole():
    lines = Strand(process=None, text="ValueError: x", line_numbers=[1])
    assert len(parse_strand(lines).events) == 1


FRAME = '  File "/opt/venv/lib/python3.11/site-packages/torch/_dynamo/eval_frame.py", line {}, in f\n    return f(x)\n'
LINK = "\n\nThe above exception was the direct cause of the following exception:\n\n"
HOSTILE = {
    "200,000 frames": lambda: (
        "Traceback (most recent call last):\n" + "".join(map(FRAME.format, range(200_000))) + "E: x"
    ),
    "200,000 frames of one line": lambda: 'File "a.py", line 1, in f\n' * 200_000,
    "20,000 chained": lambda: LINK.join(
        f"Traceback (most recent call last):\n{FRAME.format(i)}KeyError: {i}" for i in range(20_000)
    ),
    "20,000 quoted": lambda: "RuntimeError: raised:\n" * 20_000,
    "20,000 relayed": lambda: "ray.exceptions.RayTaskError(OSError): ray::f()\n" * 20_000,
    "20,000 remote": lambda: 'multiprocessing.pool.RemoteTraceback: \n"""\n' * 20_000,
    "20,000 heads": lambda: "Traceback (most recent call last):\n" * 20_000,
    "20,000 nested heads": lambda: "".join(
        " " * (i % 50) + "Traceback (most recent call last):\n" for i in range(20_000)
    ),
    "200,000 brackets": lambda: "[" * 200_000,
    "200,000 brackets in lines": lambda: "[\n" * 200_000,
    "200,000 colons": lambda: "a:" * 200_000,
    "one line of 5 MB": lambda: "x" * 5_000_000,
    "one line of 5 MB in words": lambda: "word " * 1_000_000,
    "an exception of 5 MB": lambda: "ValueError: " + "x y: " * 1_000_000,
    "a record of 5 MB": lambda: "W1201 02:32:13.949000 1 a.py:1] [0/8] " + "x y: " * 1_000_000,
    "a message of 200,000 lines": lambda: "ValueError: \n" + "some words: and more\n" * 200_000,
    "50,000 records": lambda: "".join(f"W1201 02:32:13.949000 1 a.py:{i}] [0/8] text {i}\n" for i in range(50_000)),
    "100,000 lines of one record": lambda: "W1201 02:32:13.949000 1 a.py:1] [0/8] text: x\n" * 100_000,
    "100,000 diagnostics": lambda: "a.cpp:1:2: error: no\n    1 | x\n" * 50_000,
    "an open traceback without end": lambda: FRAME.format(1) + ("ab:1\n" * 700 + FRAME.format(2)) * 100,
    "200,000 indented lines": lambda: "    x = 1\n" * 200_000,
    "200,000 blank lines": lambda: "\n \n" * 100_000,
    "200,000 equal lines": lambda: "plain text\n" * 200_000,
    "50,000 deep indentations": lambda: "".join(" " * (i % 200) + "x\n" for i in range(50_000)),
    "paths": lambda: "/a" * 100_000 + ":1: error: x",
    "escapes": lambda: "\x1b[31m" * 100_000,
    "surrogates": lambda: "\udcff\udcfe: " * 100_000,
    "quotes": lambda: "'\"" * 100_000 + ": error",
    "spaces": lambda: " " * 200_000 + "x: error: y",
    "notebook lines": lambda: "Cell In[1], line 1\n" + "   1 x\n" * 100_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_text_takes_little_time(text):
    lines = strand(text())
    start = time.process_time()
    result = parse_strand(lines)
    assert time.process_time() - start < 10
    assert result.parsed_lines + result.unparsed_lines == sum(map(bool, map(str.strip, lines.text.split("\n"))))


def test_twice_the_text_takes_about_twice_the_time():
    def seconds(count: int) -> float:
        lines = [strand("".join(LINE + "\n" for LINE in LINES) * count) for _ in range(3)]
        times = []
        for each in lines:
            start = time.process_time()
            parse_strand(each)
            times.append(time.process_time() - start)
        return min(times)

    seconds(1)
    assert seconds(160) < 16 * seconds(40)


def test_a_deep_stack_is_not_kept_whole():
    text = "Traceback (most recent call last):\n" + "".join(map(FRAME.format, range(50_000))) + "ValueError: x\n"
    lines = strand(text)
    tracemalloc.start()
    result = parse_strand(lines)
    _now, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    (chain,) = result.events
    assert isinstance(chain, ExceptionChain)
    assert len(chain.exceptions[0].frames) < 300
    assert peak < 8_000_000


def test_a_chain_that_is_shortened_is_remarked_on():
    result = parsed(LINK.join(f"KeyError: {number}" for number in range(1500)))
    (chain,) = result.events
    assert isinstance(chain, ExceptionChain)
    assert [exception.message for exception in (chain.exceptions[0], chain.exceptions[-1])] == ["0", "1499"]
    assert len(chain.exceptions) == 1000
    assert [(remark.code, remark.line) for remark in result.diagnostics] == [("chain-shortened", 1)]


def test_a_ledger_tells_known_lines_from_unknown():
    result = parsed("Traceback (most recent call last):\nValueError: x\n\nhello there\n")
    assert (result.parsed_lines, result.unparsed_lines) == (2, 1)


@pytest.mark.parametrize("case", ["lab/2.13.0/inductor-no-gxx", "lab/2.13.0/rank-change", "lab/2.13.0/mlp"])
def test_what_ranks_print_alike_is_read_as_if_one_had_printed_it(case):
    text = corpus_text(case)[:15_000]
    alone = parsed(text)
    for rank in (1, 2):
        process = Process(name=f"rank {rank}", rank=rank)
        lines = range(1000 * rank, 1000 * rank + text.count("\n") + 2)
        found = parse_strand(Strand(process=process, text=text, line_numbers=lines))
        assert [event.process for event in found.events] == [process] * len(alone.events)
        shift = 1000 * rank - 1
        assert spans_of(found.events) == [(line + shift, end + shift) for line, end in spans_of(alone.events)]
        assert repr(found.events).replace(repr(process), "None") == repr(alone.events)


def spans_of(events):
    """Return first and last line of all events and of what they hold."""
    spans = []
    for event in events:
        parts = [event, *getattr(event, "exceptions", ()), *getattr(event, "guards", ())]
        spans += [(part.span.line, part.span.end_line) for part in parts]
    return spans
