"""All that a run leaves is compared, gradients and changed inputs too, and with float64 where that can be had."""

from __future__ import annotations

import importlib.util
import json
import os
import sys

import pytest

from tests.command import REPOSITORY, run_command
from tests.verify.graph.material import found_graph
from tracelens.verify.child.result import Reached
from tracelens.verify.child_process import run_child
from tracelens.verify.graph import STANDALONE_PATH, GraphIr, GraphKind, read_graph

pytestmark = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="no torch")

LAYER = """class GraphModule(torch.nn.Module):
    def forward(self, L_self_modules_fc_parameters_weight_: "f32[4, 8]", L_x_: "f32[2, 8]", L_seen_: "i64[1]"):
        l_w = L_self_modules_fc_parameters_weight_
        seen = L_seen_.add_(1)
        linear = torch._C._nn.linear(L_x_, l_w, None)
        half = linear.to(torch.float16)
        wide = half.float()
        y = torch.softmax(wide, dim = 1)
        return (y,)"""
ATEN = """class <lambda>(torch.nn.Module):
    def forward(self, arg0_1: "{dtype}[16]"):
        first = torch.ops.aten.{first}
        return (first,)"""
QUANTISED = ATEN.format(dtype="f32", first="clone.default(arg0_1)").replace(
    "torch.ops.aten.clone.default(arg0_1)",
    "torch.ops.quantized_decomposed.quantize_per_tensor.default(arg0_1, 0.1, 0, -128, 127, torch.int8)",
)
PROGRAM = """
import json, sys
sys.path[:0] = sys.argv[1:]
import torch
torch.set_num_threads(1)
from standalone.building import NoReferenceError, build_graph
from tracelens.verify.child.compare import compare_named
from tracelens.verify.child.result import Result

def answer(task):
    built = build_graph(task["ir"])
    built.train(trained=task["trained"])
    run = built.run_eager()
    left = {name: str(value.dtype) for name, value in run.left.items()}
    changed = [name for name, value in run.left.items() if name == "input L_seen_" and
               not torch.equal(value, built.make_inputs(run.fill)[2])]
    try:
        precise = built.leave_in_double(run.fill)
    except NoReferenceError as error:
        return {"left": left, "why": str(error)}
    result = Result(-1)
    compare_named(run.left, run.left, precise, result)
    return {"left": left, "double": {name: str(value.dtype) for name, value in precise.items()}, "changed": changed,
            "wrong": result.facts["wrong"], "notes": built.notes}

print(json.dumps([answer(task) for task in json.load(sys.stdin)]))
"""


def ir_of(text, kind):
    read = read_graph(found_graph(text, kind))
    assert isinstance(read, GraphIr), str(read)
    return json.loads(read.json)


def run_all(*tasks):
    stdin = json.dumps([{"ir": ir, "trained": trained} for ir, trained in tasks]).encode()
    run = run_command(sys.executable, "-W", "ignore", "-c", PROGRAM, STANDALONE_PATH, str(REPOSITORY), stdin=stdin)
    assert run.code == 0, run.errors
    return json.loads(run.output)


def test_training_leaves_gradients_of_the_parameters_and_inference_none():
    layer = ir_of(LAYER, GraphKind.GRAPH_CODE)
    trained, unknown, inference = run_all((layer, True), (layer, None), (layer, False))
    weight = "gradient of input L_self_modules_fc_parameters_weight_"
    assert trained["left"][weight] == "torch.float32"
    assert trained["double"][weight] == trained["double"]["output 0"] == "torch.float64"
    assert trained["changed"] == ["input L_seen_"]
    assert trained["wrong"] == []
    assert not [name for answer in (unknown, inference) for name in answer["left"] if name.startswith("gradient")]


def test_training_graph_is_compiled_with_its_backward_pass(tmp_path):
    ir = json.dumps(ir_of(LAYER, GraphKind.GRAPH_CODE))
    job = {"kind": "graph", "ir": ir, "standalone": STANDALONE_PATH, "train": True, "entry": "compile"}
    job |= {"device": "cpu", "settings": {"backend": "aot_eager"}, "steps": 3}
    environ = {"HOME": str(tmp_path), "TMPDIR": str(tmp_path), "PATH": os.environ["PATH"], "TORCH_LOGS": "aot_graphs"}
    run = run_child(sys.executable, job, environ, tmp_path, 120)
    assert (run.exit_code, run.stage) == (0, Reached.DONE), run.log
    assert "Backward graph" in run.log
    assert (run.facts["wrong"], run.facts["compiles"], run.facts["steps"]) == ([], 1, 3)


def test_why_there_is_no_reference_in_float64_is_said():
    graphs = {
        "integers": ATEN.format(dtype="i64", first="add.Tensor(arg0_1, 1)"),
        "bits": ATEN.format(dtype="f32", first="view.dtype(arg0_1, torch.int32)"),
        "operator": QUANTISED,
        "plain": ATEN.format(dtype="bf16", first="mul.Tensor(arg0_1, 3)"),
    }
    tasks = [(ir_of(text, GraphKind.AOT_FORWARD), None) for text in graphs.values()]
    answers = dict(zip(graphs, run_all(*tasks), strict=True))
    assert answers["plain"]["double"]["output 0"] == "torch.float64"
    assert answers["plain"]["wrong"] == []
    assert "no floating-point numbers" in answers["integers"]["why"]
    assert "bits" in answers["bits"]["why"]
    assert "float64" in answers["operator"]["why"]
