"""Data (the IR) to a graph of FX, in a child process with the user's torch.

What comes out is code that FX makes from names that passed the allow lists, and
tensors that we filled. ``RefusedError`` says what this torch or this machine lacks.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
import torch.fx

from .adapting import offsets_among
from .built import MEMORY_LIMIT, BuiltGraph, EagerRun, same
from .double import NoReferenceError
from .functions import checked_attribute, checked_method
from .leaving import flat
from .making_inputs import Fill, InputMaker
from .members import MODULES
from .objects import Objects
from .refusal import RefusalCode, RefusedError
from .resolving import resolve_function, resolve_operator
from .untyped import Untyped
from .values import IDENTIFIER

__all__ = ["BuiltGraph", "EagerRun", "Fill", "NoReferenceError", "RefusedError", "build_graph", "flat", "same"]

_READ_OPAQUE_MEMORY = frozenset(
    {"aten.mkldnn_rnn_layer_backward", "aten._cudnn_rnn_backward", "aten.miopen_rnn_backward"}
)


def build_graph(
    ir: dict[str, Any], *, devices: Mapping[str, str] | None = None, memory_limit: int = MEMORY_LIMIT
) -> BuiltGraph:
    """Build the graph of an IR; ``devices`` sends one kind of device to another (``{"cuda": "cpu"}``)."""
    objects = Objects(devices or {})
    module = _build(ir["graph"], objects)
    inputs = InputMaker(ir["inputs"], ir["symbols"], objects, memory_limit, offsets=offsets_among(module))
    built = BuiltGraph(module, inputs, ir)
    if objects.moved or inputs.moves():
        built.notes.append("run on another device than the log's")
    return built


def _build(graph: dict[str, Untyped], objects: Objects) -> Untyped:
    root, built = torch.nn.Module(), torch.fx.Graph()
    for name, constant in graph["constants"].items():
        _add_constant(root, _checked_name(name), constant, objects)
    for name, module in graph["modules"].items():
        setattr(root, _checked_name(name), _make_module(module, objects))
    for name, inner in graph["graphs"].items():
        setattr(root, _checked_name(name), _build(inner, objects))
    nodes: list[Any] = []
    for node in graph["nodes"]:
        nodes.append(_add_node(built, node, nodes, objects))
    module = torch.fx.GraphModule(root, built)
    module.graph.lint()
    _check_opaque(module)
    return module


def _check_opaque(module: Untyped) -> None:
    """Refuse operators that read memory which only their own forward pass can have written."""
    for node in module.graph.nodes:
        if node.op == "call_function" and str(node.target).partition(".default")[0] in _READ_OPAQUE_MEMORY:
            for argument in (*node.args, *node.kwargs.values()):
                if isinstance(argument, torch.fx.Node) and argument.op == "placeholder" and argument is node.args[-1]:
                    raise RefusedError(RefusalCode.INPUT, f"the workspace that {node.target} reads")


def _add_node(graph: Untyped, node: dict[str, Untyped], nodes: list[Untyped], objects: Objects) -> Untyped:
    line, kind, target = node["line"], node["kind"], node["target"]
    args = tuple(objects.make(value, nodes) for value in node["args"])
    kwargs = {_checked_name(name): objects.make(value, nodes) for name, value in node["kwargs"].items()}
    if kind == "output":
        return graph.output(args[0])
    if kind == "call_function":
        target, kwargs = _function(target, args, kwargs, line)
    elif kind == "call_method":
        checked_method(target, line)
    elif kind in {"placeholder", "call_module", "get_attr"}:
        for part in target.split("."):
            _checked_name(part)
    else:
        raise RefusedError(RefusalCode.CONSTRUCT, f"node {kind}", line)
    return graph.create_node(kind, target, args, kwargs, name=_checked_name(node["name"]))


def _function(
    target: dict[str, str], args: tuple[Any, ...], kwargs: dict[str, Any], line: int
) -> tuple[Any, dict[str, Any]]:
    if "operator" in target:
        # Pinned memory takes pages from the whole machine, and changes no result.
        kwargs = {name: value for name, value in kwargs.items() if name != "pin_memory"}
        return resolve_operator(target["operator"], line), kwargs
    if target["function"] == "getattr":
        checked_attribute(args[1], line)
    return resolve_function(target["function"], line), kwargs


def _add_constant(root: Untyped, name: str, constant: dict[str, Untyped], objects: Objects) -> None:
    kwargs = {key: objects.make(value) for key, value in constant["kwargs"].items()}
    args = [objects.make(value) for value in constant["args"]]
    requires_grad, size = kwargs.pop("requires_grad", False), kwargs.pop("size", None)
    if constant["make"] == "unknown":
        made = torch.zeros(*args, **kwargs)
        # Above 0, for an optimizer takes roots of what it keeps.
        made = made.uniform_(0.1, 1.0) if made.is_floating_point() else made
    elif constant["make"] in {"randint", "empty"}:
        # Of these the text has the shape alone; integers may be indices.
        made = torch.zeros(*args[:0] if size is not None else args, *([size] if size is not None else []), **kwargs)
    elif constant["make"] in {"tensor", "randn", "zeros", "ones"}:
        made = getattr(torch, constant["make"])(*args, **kwargs)
        made = made if size is None else made.reshape(size)
    else:
        raise RefusedError(RefusalCode.FUNCTION, f"{constant['make']} in __init__", constant["line"])
    if constant["on_gpu"]:
        made = made.to(objects.device("cuda"))
    if constant["is_parameter"]:
        root.register_parameter(name, torch.nn.Parameter(made, requires_grad=made.is_floating_point()))
    else:
        root.register_buffer(name, made.requires_grad_() if requires_grad else made)


def _make_module(module: dict[str, Untyped], objects: Objects) -> Untyped:
    if module["make"] not in MODULES:
        raise RefusedError(RefusalCode.MODULE, f"module {module['make']}", module["line"])
    args = [objects.make(value) for value in module["args"]]
    kwargs = {key: objects.make(value) for key, value in module["kwargs"].items()}
    made = getattr(torch.nn, module["make"])(*args, **kwargs)
    return made.to(objects.device("cuda")) if module["on_gpu"] else made


def _checked_name(name: str) -> str:
    if not IDENTIFIER.match(name) or name.startswith("__"):
        raise RefusedError(RefusalCode.CONSTRUCT, f"name {name[:80]}")
    return name
