"""Texts in the shapes that torch prints, and the way from a text to a graph."""

from __future__ import annotations

from tracelens.verify.graph import FoundGraph, GraphIr, GraphKind, Origin, Refusal, read_graph

LOAD_ARGS = "    buf0 = reader.storage(None, 256)\n    reader.tensor(buf0, (64,), is_leaf=True)  # arg0_1"
BODY = "        relu = torch.ops.aten.relu.default(arg0_1);  arg0_1 = None"


def script(*, init: str = "", body: str = BODY, load_args: str = LOAD_ARGS, top: str = "", end: str = "") -> str:
    """Return a script as torch writes it to reproduce a failure, with one input of 64 numbers."""
    return f"""{top}
import torch
from torch import tensor, device
from torch.nn import *
class Repro(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
{init}
    def forward(self, arg0_1):
{body}
        return (relu,)

def load_args(reader):
{load_args}
load_args._version = 0
mod = Repro()
{end}"""


def found_graph(text: str, kind: GraphKind = GraphKind.FX_GRAPH_RUNNABLE) -> FoundGraph:
    """Return a text as if it had been found in a file."""
    return FoundGraph(kind=kind, origin=Origin.FILE, source="graph.py", text=text, lines=range(1, text.count("\n") + 2))


def read_script(text: str) -> GraphIr | Refusal:
    """Read a script in the child process."""
    return read_graph(found_graph(text))


def read_dynamo_script(text: str) -> GraphIr | Refusal:
    """Read a script of Dynamo's minifier in the child process."""
    return read_graph(found_graph(text, GraphKind.MINIFIER_DYNAMO))


def read_printed(text: str, kind: GraphKind = GraphKind.AOT_FORWARD) -> GraphIr | Refusal:
    """Read a printed graph in the child process."""
    return read_graph(found_graph(text, kind))
