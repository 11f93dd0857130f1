"""From the texts that torch leaves behind to a graph that can be run, without ever executing a text.

In the process of tracelens, without torch:

    found = find_graphs(log_lines, paths)              # tuple[FoundGraph, ...]: kind, origin, source, line,
                                                       # compile_id, level, text
    choice = choose(found, Question(purpose=Purpose.FAILURE, compile_id=...))
    choice.graph                                       # GraphIr (json, level, operators, symbols) or None
    choice.refused                                     # Refusal (found, code, construct, line) of each better one
    read_graph(found[0])                               # GraphIr | Refusal, in a child process under limits

In a child process with torch, which has ``STANDALONE_PATH`` on ``sys.path`` and needs
nothing else of tracelens:

    from standalone.building import build_graph
    built = build_graph(json.loads(ir_json))           # raises standalone.refusal.RefusedError
    built.module                                       # torch.fx.GraphModule
    built.make_inputs(fill)                            # list of tensors and numbers, the same for the same fill
    built.level, built.notes, built.random_operators   # what an honest answer has to mention
    built.run_eager()                                  # outputs and the fill of the inputs that worked

The shape of the IR is written down in ``standalone.reading``.
"""

from __future__ import annotations

from tracelens.verify.graph.choose import Choice, Purpose, Question, choose
from tracelens.verify.graph.find import find_graphs
from tracelens.verify.graph.found import FoundGraph, GraphIr, GraphKind, Level, Origin, Refusal
from tracelens.verify.graph.read import STANDALONE_PATH, read_graph
from tracelens.verify.graph.standalone.refusal import RefusalCode

__all__ = [
    "STANDALONE_PATH",
    "Choice",
    "FoundGraph",
    "GraphIr",
    "GraphKind",
    "Level",
    "Origin",
    "Purpose",
    "Question",
    "Refusal",
    "RefusalCode",
    "choose",
    "find_graphs",
    "read_graph",
]
