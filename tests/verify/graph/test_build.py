"""Graphs that were read are built where only the folder of the child is known, and give the right values."""

from __future__ import annotations

import importlib.util
import json
import sys

import pytest

from tests.command import CORPUS, run_command
from tests.verify.graph.material import found_graph, script
from tests.verify.other_torch import PYTHONS
from tracelens.verify.graph import STANDALONE_PATH, GraphIr, GraphKind, find_graphs, read_graph

pytestmark = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="no torch")
PROGRAM = """
import json, sys
sys.path.insert(0, sys.argv[1])
import torch
torch.set_num_threads(1)
from standalone.building import RefusedError, build_graph

def answer(ir):
    try:
        built = build_graph(ir, devices={"cuda": "cpu"})
        built.check_memory()
        run = built.run_eager()
    except RefusedError as refused:
        return {"code": refused.code.value, "construct": refused.construct}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}
    tensors = [output for output in run.outputs if torch.is_tensor(output) and not output.is_meta]
    sums = [tensor.double().sum().item() for tensor in tensors]
    return {"sums": sums, "fill": run.fill.value, "notes": built.notes, "unstable": sorted(run.unstable)}

assert "tracelens" not in sys.modules
print(json.dumps([answer(ir) for ir in json.load(sys.stdin)]))
"""


def build(*graphs, python=sys.executable):
    """Build and run graphs in one child process, away from the checkout."""
    irs = []
    for graph in graphs:
        read = read_graph(graph)
        assert isinstance(read, GraphIr), str(read)
        irs.append(json.loads(read.json))
    run = run_command(python, "-I", "-W", "ignore", "-c", PROGRAM, STANDALONE_PATH, stdin=json.dumps(irs).encode())
    assert run.code == 0, run.errors
    return json.loads(run.output)


@pytest.mark.parametrize("release", ["2.5.1", "2.11.0-cuda", "2.13.0"])
def test_every_graph_of_the_corpus_runs(release):
    graphs = [
        graph for graph in find_graphs(paths=[CORPUS / "artifacts" / release]) if graph.kind is not GraphKind.AOT_JOINT
    ]
    answers = build(*graphs)
    assert [answer for answer in answers if "sums" not in answer] == []
    assert all(answer["unstable"] == [] for answer in answers)


PRINTED_BY_2_5 = """class <lambda>(torch.nn.Module):
    def forward(self, arg0_1: "f32[4][1]cpu"):
        _tensor_constant0 = self._tensor_constant0
        copied: "f32[4][1]cpu" = torch.ops.aten.lift_fresh_copy.default(_tensor_constant0);  _tensor_constant0 = None
        seeds: "i64[2][1]cpu" = torch.ops.prims.inductor_seeds.default(2, device(type='cpu'))
        seed: "i64[][]cpu" = torch.ops.prims.inductor_lookup_seed.default(seeds, 1)
        noise: "f32[4][1]cpu" = torch.ops.prims.inductor_random.default([4], seed, 'rand')
        scaled: "f32[4][1]cpu" = torch.ops.aten.mul.Tensor(noise, copied)
        return (scaled,)"""
POOLING = """class <lambda>(torch.nn.Module):
    def forward(self, arg0_1: "f32[1, 1, 4, 4]", offsets: "i8[1, 1, 2, 2]", arg1_1: "f32[1, 1, 2, 2]"):
        indices = torch.ops.prims._low_memory_max_pool{}, [2, 2], [0, 0]{})
        pooled = torch.ops.aten.max_pool2d_with_indices_backward.default(arg1_1, arg0_1, [2, 2], [2, 2], [0, 0], \
[1, 1], False, indices)
        return (pooled, offsets)"""


@pytest.mark.parametrize("python", PYTHONS)
def test_constants_and_seeds_are_had_where_the_text_and_torch_are_poor(python):
    (answer,) = build(found_graph(PRINTED_BY_2_5, GraphKind.AOT_FORWARD), python=python)
    assert answer.get("sums"), answer
    assert any("filled by us" in note for note in answer["notes"])


@pytest.mark.parametrize("python", PYTHONS)
def test_places_within_a_window_stay_in_it(python):
    """Others make the backward pass of a pooling write where no tensor is."""
    old = ("2d_offsets_to_indices.default(offsets, 2, 4", "")
    new = ("_offsets_to_indices.default(offsets, [2, 2], [4, 4]", ", [1, 1]")
    graphs = [found_graph(POOLING.format(*form), GraphKind.AOT_FORWARD) for form in (old, new)]
    built, refused = sorted(build(*graphs, python=python), key=len, reverse=True)
    assert refused["code"] == "operator"
    assert 0 <= built["sums"][1] <= 4


def test_values_are_those_of_the_text():
    body = """        ones = torch.ops.aten.full_like.default(arg0_1, 2.0)
        relu = torch.ops.aten.pow.Tensor_Scalar(ones, 3)"""
    (answer,) = build(found_graph(script(body=body)))
    assert answer["sums"] == [64 * 8.0]


def test_what_only_torch_knows_is_refused_there():
    missing = found_graph(script(body="        relu = torch.ops.aten.no_such_operator.default(arg0_1)"))
    without_tensor = found_graph(script(body="        relu = torch.ops.aten.mul.left_t(arg0_1, 1000000000)"))
    large = found_graph(
        script(body="        relu = torch.ops.aten.full.default([1000000, 1000000], 1, dtype = torch.float32)")
    )
    strided = found_graph(
        script(body="        relu = torch.ops.aten.new_empty_strided.default(arg0_1, [2], [10000000000000])")
    )
    answers = build(missing, without_tensor, large, strided)
    assert [answer.get("code") for answer in answers] == ["operator", "operator", "too-large", "too-large"]


SIZES = """
import json, sys
sys.path.insert(0, sys.argv[1])
from standalone.building import build_graph
built = build_graph(json.load(sys.stdin))
inputs = built.make_inputs(), built.make_inputs(symbols={"s77": 3}), built.make_inputs(dimensions={("arg0_1", 0): 5})
print(json.dumps([[list(tensor.shape) for tensor in made] for made in inputs]))
same = [bool((one == other).all()) for one, other in zip(built.make_inputs(), built.make_inputs())]
assert all(same)
"""


def test_inputs_are_made_again_for_other_sizes():
    text = """class <lambda>(torch.nn.Module):
    def forward(self, arg0_1: "f32[s77, 4][4, 1]cpu", arg1_1: "f32[2*s77, 6][6, 1]cpu"):
        relu: "f32[s77, 4]" = torch.ops.aten.relu.default(arg0_1)
        return (relu, arg1_1)"""
    read = read_graph(found_graph(text, GraphKind.AOT_FORWARD))
    assert isinstance(read, GraphIr)
    program = [sys.executable, "-I", "-W", "ignore", "-c", SIZES, STANDALONE_PATH]
    run = run_command(*program, stdin=read.json.encode())
    assert json.loads(run.output) == [[[8, 4], [16, 6]], [[3, 4], [6, 6]], [[5, 4], [10, 6]]], run.errors


def test_a_graph_that_takes_none_of_our_inputs_is_refused():
    body = """        view = torch.ops.aten.view.default(arg0_1, [63])
        relu = torch.ops.aten.relu.default(view)"""
    (answer,) = build(found_graph(script(body=body)))
    assert answer["code"] == "input"
    assert answer["construct"].startswith("none of our inputs fit in eager: RuntimeError: shape '[63]' is invalid")


def test_a_device_that_is_not_here_is_refused():
    text = script(body="        relu = torch.ops.aten.full.default([4], 1, device = device(type='xpu'))")
    read = read_graph(found_graph(text))
    assert isinstance(read, GraphIr)
    program = PROGRAM.replace('devices={"cuda": "cpu"}', "")
    command = [sys.executable, "-I", "-W", "ignore", "-c", program, STANDALONE_PATH]
    (answer,) = json.loads(run_command(*command, stdin=f"[{read.json}]".encode()).output)
    assert answer == {"code": "input", "construct": "no xpu device is here"}


def test_notes_say_what_cannot_be_compared():
    graph = found_graph(script(body="        relu = torch.ops.aten.rand_like.default(arg0_1)"))
    (answer,) = build(graph)
    assert any("random numbers" in note for note in answer["notes"])
