"""What a graph after AOTAutograd needs to run where Inductor does not run it."""

from __future__ import annotations

import torch
import torch.fx

from .untyped import Untyped

#: Their first argument holds places within the window of a pooling; others lead out of memory.
_READ_OFFSETS = ("prims._low_memory_max_pool", "aten._low_memory_max_pool")


def in_eager(module: Untyped) -> Untyped:
    """Return the module itself, or one that runs in eager as well.

    Inductor looks seeds up as views, which torch 2.5 forbids where it calls the operator itself.
    """
    graph = torch.fx.Graph()
    graph.output(graph.graph_copy(module.graph, {}))
    looking = [node for node in graph.nodes if str(node.target).startswith("prims.inductor_lookup_seed")]
    for node in looking:
        node.target = look_up_seed
    return torch.fx.GraphModule(module, graph) if looking else module


def look_up_seed(seeds: Untyped, index: int) -> Untyped:
    """Return one of several seeds, in memory of its own."""
    return seeds[index].clone()


def offsets_among(module: Untyped) -> set[str]:
    """Return the names of the inputs that hold places within a window."""
    return {
        str(node.args[0].target)
        for node in module.graph.nodes
        if node.op == "call_function"
        and str(node.target).startswith(_READ_OFFSETS)
        and "offsets_to_indices" in str(node.target)
        and isinstance(node.args[0], torch.fx.Node)
        and node.args[0].op == "placeholder"
    }
