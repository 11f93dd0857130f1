"""What torch prints is read; what it never prints is refused with construct and line."""

from __future__ import annotations

import json
import sys

from tests.command import CORPUS, run_command
from tests.verify.graph.material import found_graph, read_dynamo_script, read_printed, read_script, script
from tracelens.verify.graph import STANDALONE_PATH, GraphIr, GraphKind, Refusal, RefusalCode, find_graphs, read_graph

ARTIFACTS = CORPUS / "artifacts"


def graph_of(read) -> GraphIr:
    assert isinstance(read, GraphIr), str(read)
    return read


def ir_of(read):
    return json.loads(graph_of(read).json)


def refusal_of(read):
    assert isinstance(read, Refusal)
    return read


def test_inputs_of_a_script_keep_shared_memory_strides_and_offsets():
    load_args = """    buf0 = reader.storage(None, 512, device=device(type='cuda', index=0), dtype_hint=torch.bfloat16)
    reader.tensor(buf0, (8, 8), (1, 8), storage_offset=3, dtype=torch.bfloat16, requires_grad=True)"""
    inputs = ir_of(read_script(script(load_args=load_args)))["inputs"]
    (tensor,) = inputs["values"]
    assert inputs["storages"][0]["bytes"] == 512
    assert (tensor["sizes"], tensor["strides"], tensor["offset"]) == ([8, 8], [1, 8], 3)
    assert (tensor["storage"], tensor["dtype"], tensor["device"]) == (0, "bfloat16", "cuda:0")


def test_a_symbol_of_torch_2_13_has_the_value_of_its_symint():
    load_args = """    reader.symint(6, expr='s77')
    buf0 = reader.storage(None, 24*s77)
    reader.tensor(buf0, (s77, 6), is_leaf=True)"""
    text = script(load_args=load_args).replace("forward(self, arg0_1)", "forward(self, arg0_1, arg1_1)")
    read = graph_of(read_script(text))
    assert (read.symbols, read.chosen_symbols) == ((("s77", 6),), ())


def test_symbols_of_torch_2_5_are_named_in_order():
    load_args = """    reader.symint(6)
    reader.symint(10)
    buf0 = reader.storage(None, 4*s0*s1)
    reader.tensor(buf0, (s0, s1), is_leaf=True)"""
    text = script(load_args=load_args).replace("forward(self, arg0_1)", "forward(self, a, b, arg0_1)")
    assert graph_of(read_script(text)).symbols == (("s0", 6), ("s1", 10))


PRINTED = """class <lambda>(torch.nn.Module):
    def forward(self, arg0_1: "Sym(s77)", arg1_1: "f32[s77, 4][4, 1]cpu", arg2_1: "f32[((s77 + 3)//4)][1]cuda:0"):
        # File: /home/someone/tränen.py:4 in f, code: (((((
        add: "f32[s77, 4][4, 1]cpu" = torch.ops.aten.add.Tensor(arg1_1, arg0_1);  arg1_1 = arg0_1 = None
        return (add, arg2_1)
"""


def test_sizes_of_a_printed_graph_are_chosen_unless_they_are_known():
    assert graph_of(read_printed(PRINTED)).chosen_symbols == ("s77",)
    known = graph_of(read_graph(found_graph(PRINTED, GraphKind.AOT_FORWARD), {"s77": 12}))
    assert (known.symbols, known.chosen_symbols) == ((("s77", 12),), ())


def test_a_value_that_a_script_lacks_is_told_from_a_body_that_it_lacks():
    constant = refusal_of(read_script(script(body="        relu = self._tensor_constant0")))
    body = refusal_of(
        read_script(script(init="        self.true_graph_0 = <lambda>()", body="        relu = self.true_graph_0"))
    )
    assert (constant.code, body.code) == (RefusalCode.ATTRIBUTE, RefusalCode.SUBGRAPH)


def test_inner_graphs_are_read_from_inner_classes():
    text = """class GraphModule(torch.nn.Module):
    def forward(self, L_x_: "f32[4][1]cpu"):
        l_x_ = L_x_
        cond_true_0 = self.cond_true_0
        cond = torch.ops.higher_order.cond(True, cond_true_0, cond_true_0, (l_x_,));  cond_true_0 = l_x_ = None
        getitem: "f32[4][1]cpu" = cond[0];  cond = None
        return (getitem,)

    class cond_true_0(torch.nn.Module):
        def forward(self, l_x_: "f32[4][1]cpu"):
            add: "f32[4][1]cpu" = l_x_ + 1
            return (add,)
"""
    ir = ir_of(read_printed(text, GraphKind.GRAPH_CODE))
    assert list(ir["graph"]["graphs"]) == ["cond_true_0"]
    assert ir["operators"] == 3


def test_operations_of_dynamo_become_calls():
    body = """        l_x_ = arg0_1
        l_x_ += 1;  iadd = l_x_;  l_x_ = None
        iadd[(slice(None, 3, None), ...)] = 2.0;  setitem = iadd
        t = iadd.T
        neg = -t
        cmp = neg > 0
        sub = neg[None, 1:3]
        relu = torch.nn.functional.relu(sub, inplace = False)"""
    nodes = ir_of(read_dynamo_script(script(body=body)))["graph"]["nodes"]
    names = [node["target"]["function"] for node in nodes if node["kind"] == "call_function"]
    assert names == [
        "operator.iadd", "operator.setitem", "getattr", "operator.neg", "operator.gt", "operator.getitem",
        "torch.nn.functional.relu",
    ]  # fmt: skip


def test_the_line_of_a_refusal_is_that_of_the_source():
    lines = PRINTED.replace("aten.add.Tensor", "mylib.add.Tensor").splitlines()
    prefix = "V1201 02:48:56.360000 31322 torch/x.py:1] [0/0] [__aot_graphs] "
    log = [
        "noise",
        prefix + "TRACED GRAPH",
        prefix + " ===== Forward graph 0 =====",
        *(prefix + line for line in lines),
    ]
    (graph,) = find_graphs(log)
    refusal = refusal_of(read_graph(graph))
    assert (refusal.line, refusal.code) == (7, RefusalCode.OPERATOR)
    assert "torch.ops.mylib.add.Tensor" in str(refusal)


def test_neither_this_process_nor_the_reader_imports_torch():
    program = (
        "import sys; from tracelens.verify.graph import find_graphs, read_graph;"
        f"[read_graph(graph) for graph in find_graphs(paths=[{str(ARTIFACTS / '2.13.0/minifier-aot')!r}])];"
        "assert 'torch' not in sys.modules; print('fine')"
    )
    assert run_command(sys.executable, "-c", program).output == b"fine\n"
    reader = "import sys; sys.path.insert(0, sys.argv[1]); import standalone.reading; print(sorted(sys.modules))"
    loaded = run_command(sys.executable, "-I", "-S", "-c", reader, STANDALONE_PATH)
    assert loaded.code == 0
    assert b"torch" not in loaded.output
    assert b"tracelens" not in loaded.output
