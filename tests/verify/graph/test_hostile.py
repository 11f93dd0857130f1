"""Hostile artifacts have no effect: each is refused with construct and line, or its trap is never looked at."""

from __future__ import annotations

import contextlib
import json
import resource
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.command import run_command
from tests.verify.graph.hostile import HOSTILE, IGNORED, IN_DYNAMO, IN_FORWARD, SENTINEL
from tests.verify.graph.material import found_graph, script
from tracelens.verify.graph import STANDALONE_PATH, GraphIr, GraphKind, Refusal, find_graphs, read_graph
from tracelens.verify.graph.standalone.limits import MAX_LINES
from tracelens.verify.graph.standalone.reading import read_text
from tracelens.verify.graph.standalone.refusal import RefusedError


@pytest.fixture
def sentinel(tmp_path):
    return tmp_path / "sentinel"


def test_there_are_enough_of_them():
    assert len(HOSTILE) + len(IGNORED) >= 60


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_artifact_is_refused_with_construct_and_line(name, sentinel):
    hostile = HOSTILE[name]
    text = hostile.text.replace(SENTINEL, str(sentinel))
    refusal = read_graph(found_graph(text, hostile.kind))
    assert isinstance(refusal, Refusal)
    assert refusal.code is hostile.code, str(refusal)
    assert refusal.construct
    assert len(refusal.construct) <= 160
    if hostile.line_of is not None:
        assert refusal.line is not None
        assert hostile.line_of.replace(SENTINEL, str(sentinel))[:40] in text.split("\n")[refusal.line - 1]
    assert not sentinel.exists()


@pytest.mark.parametrize("name", IGNORED)
def test_what_is_not_the_graph_is_not_looked_at(name, sentinel):
    read = read_graph(found_graph(IGNORED[name].replace(SENTINEL, str(sentinel))))
    assert isinstance(read, GraphIr)
    assert "evil" not in read.json
    assert "/etc" not in read.json
    assert not sentinel.exists()


def test_the_reader_stays_small_and_quick():
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    lines = "\n".join(f"        r{n} = torch.ops.aten.relu.default(arg0_1)" for n in range(19_000))
    read = read_graph(found_graph(script(body=lines + "\n        relu = r18999")))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert isinstance(read, GraphIr)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 20
    assert after.ru_maxrss < 1 << 20


def test_limits_of_the_reader_hold():
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); from standalone.reading import _limit_ourselves;"
        "_limit_ourselves(); import resource;"
        "names = resource.RLIMIT_AS, resource.RLIMIT_CPU, resource.RLIMIT_FSIZE;"
        "print([resource.getrlimit(name)[0] for name in names]); bytearray(2 << 30)"
    )
    run = run_command(sys.executable, "-I", "-S", "-c", program, STANDALONE_PATH)
    assert run.output == b"[1073741824, 20, 0]\n"
    assert "MemoryError" in run.errors


BUILD = """
import json, sys
sys.path.insert(0, sys.argv[1])
from standalone.building import RefusedError, build_graph
answers = []
for ir in json.load(sys.stdin):
    try:
        build_graph(ir)
    except RefusedError as refused:
        answers.append(refused.code.value)
    except Exception as error:
        answers.append(repr(error))
    else:
        answers.append("built")
print(json.dumps(answers))
"""


def ir_calling(kind, target, *, args=None, name="relu", kwargs=None):
    """Return the IR of a graph with one call, as a reader that was taken over might write it."""
    node = {"args": [{"node": 0}] if args is None else args, "kwargs": kwargs or {}, "line": 1}
    nodes = [
        {**node, "kind": "placeholder", "target": "x", "args": [], "name": "x"},
        {**node, "kind": kind, "target": target, "name": name},
        {**node, "kind": "output", "target": "output", "args": [{"node": 1}], "name": "output"},
    ]
    graph = {"parameters": [], "nodes": nodes, "constants": {}, "modules": {}, "graphs": {}}
    return {
        "level": "aten",
        "graph": graph,
        "inputs": {"storages": [], "values": []},
        "symbols": {},
        "chosen_symbols": [],
        "operators": 1,
    }


def test_the_builder_does_not_trust_the_reader():
    relu = {"operator": "torch.ops.aten.relu.default"}
    irs = [
        ir_calling("call_function", {"operator": "torch.ops.aten.from_file.default"}),
        ir_calling("call_function", {"operator": "torch.ops.c10d.broadcast_.default"}),
        ir_calling("call_function", {"operator": "torch.ops.aten.mul.left_t"}),
        ir_calling("call_function", {"function": "torch.os.system"}),
        ir_calling("call_function", {"function": "torch.load"}),
        ir_calling("call_function", {"function": "eval"}),
        ir_calling("call_function", {"function": "getattr"}, args=[{"node": 0}, {"string": "__class__"}]),
        ir_calling("call_method", "apply_"),
        ir_calling("call_method", "numpy() or print"),
        ir_calling("call_function", relu, name="x; import os"),
        ir_calling("call_function", relu, kwargs={"a=print(1), b": 1}),
        ir_calling("get_attr", "__class__"),
        ir_calling("get_attr", "x\nimport os"),
        ir_calling("placeholder", "x=print(1)"),
        ir_calling("call_function", relu, args=[{"operator": "torch.ops.load_library"}]),
        ir_calling("call_function", relu, args=[{"dtype": "os"}]),
        ir_calling("call_function", relu, args=[{"device": "cpu; x"}]),
        ir_calling("run_anything", "x"),
    ]
    program = [sys.executable, "-I", "-W", "ignore", "-c", BUILD, STANDALONE_PATH]
    run = run_command(*program, stdin=json.dumps(irs).encode())
    answers = json.loads(run.output)
    assert [answer for answer in answers if answer not in {"operator", "function", "construct"}] == []


LINES = [hostile.line_of or "" for hostile in (*IN_FORWARD.values(), *IN_DYNAMO.values())]


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.text(), st.lists(st.sampled_from(LINES)).map("\n".join), st.text("()[]{}.,:=*@x1 \n\t'\"#\\")))
def test_any_text_is_read_or_refused(text):
    for whole in (text, script(body=text), script(load_args=text), script(init=text), script(body=f"        {text}")):
        assert all(line is None or 1 <= line <= MAX_LINES for line in lines_of_refusals(whole))


def lines_of_refusals(text):
    """Read a text both ways, and return where it was refused."""
    for is_script in (True, False):
        with contextlib.suppress(RefusedError):
            read_text(text, is_script=is_script, level="dynamo", hints={})
            continue
        with pytest.raises(RefusedError) as refused:
            read_text(text, is_script=is_script, level="dynamo", hints={})
        yield refused.value.line


MESSAGES = ["TRACED GRAPH", " ===== x =====", "class G(nn.Module):", "  x"]
PREFIX = "V1201 02:48:56.360000 31322 torch/x.py:1] [0/0] [__graph_code] "


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.one_of(st.text(), st.sampled_from(["TRACED GRAPH", " ===== x =====", "class G(nn.Module):", "  x"])))
)
def test_any_log_is_searched(messages):
    lines = [PREFIX + message for message in messages]
    for graph in find_graphs(lines):
        assert graph.kind is GraphKind.GRAPH_CODE
        assert len(graph.lines) == len(graph.text.split("\n"))


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=400), st.sampled_from(["", 'V1201 02:50:30.444000 355 torch/x.py:1] {"has_payload": 1, ']))
def test_any_file_is_searched(tmp_path_factory, content, start):
    file = tmp_path_factory.mktemp("files") / "dedicated_log_torch_trace_x.log"
    file.write_bytes(start.encode() + content)
    assert isinstance(find_graphs(paths=[file.parent]), tuple)
