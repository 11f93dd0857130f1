"""The text of a graph to data (the IR), by ``ast`` and allow lists; nothing of it is executed or imported.

The IR is JSON. ``read_text`` returns

    {"level": "dynamo" | "aten", "graph": GRAPH, "inputs": INPUTS,
     "symbols": {"s77": 6}, "chosen_symbols": ["s77"], "filled_constants": [name], "operators": 12}

where ``chosen_symbols`` and ``filled_constants`` are those whose value the text does not
give, and ``operators`` counts the calls. A

    GRAPH   {"parameters": [{"name", "printed", "line"}], "nodes": [NODE], "constants": {name: CONSTANT},
             "modules": {name: MODULE}, "graphs": {name: GRAPH}}
    NODE    {"kind": "placeholder" | "get_attr" | "call_function" | "call_method" | "call_module" | "output",
             "target", "args": [VALUE], "kwargs": {name: VALUE}, "name", "line"}; the target of a
            call_function is {"operator": "torch.ops.aten.mm.default"} or {"function": "torch.relu"}
    VALUE   null, true, 3, or one of {"node": index}, {"float": "1e-05"}, {"complex": [real, imaginary]},
            {"string"}, {"ellipsis"}, {"list": [VALUE]}, {"tuple": [VALUE]}, {"dict": [[key, VALUE]]},
            {"slice": [VALUE, VALUE, VALUE]}, {"dtype"}, {"layout"}, {"memory_format"}, {"device"}, {"operator"}
    INPUTS  {"storages": [{"bytes": SIZE, "dtype", "device", "line"}], "values": [INPUT]}
    INPUT   {"kind": "tensor", "name", "sizes": [SIZE], "strides": [SIZE] or null for contiguous, "offset": SIZE,
             "dtype", "device", "device_known", "storage": index or null for memory of its own, "requires_grad"}
            or {"kind": "integer", "name", "size": SIZE} or {"kind": "float", "name", "value": "0.5" or null}
    SIZE    as in ``sizes``
    CONSTANT, MODULE  {"make": "tensor", "args", "kwargs", "on_gpu", "line"}, one more key in ``members``

Lines are 1-based in the text.
"""

from __future__ import annotations

import ast
import contextlib
import json
import sys
from collections.abc import Mapping
from typing import Any

from .classes import read_class
from .limits import MAX_NODES, MAX_TEXT_BYTES, READER_CPU_SECONDS, READER_MEMORY
from .printed_inputs import input_symbols, read_printed_inputs
from .refusal import RefusalCode, RefusedError
from .script_inputs import read_script_inputs
from .sizes import SYMBOL, checked_dimension, evaluate
from .syntax import dotted_name, parse_python

SCRIPT_CLASS = "Repro"


def read_text(text: str, *, is_script: bool, level: str, hints: Mapping[str, int]) -> dict[str, Any]:
    """Return the IR of a script, or of a printed graph, or raise ``RefusedError``.

    ``hints`` are values of size symbols, known from elsewhere.
    """
    tree = parse_python(text)
    if is_script:
        graph, inputs = _read_script(tree)
    else:
        graph = read_class(_only_class(tree))
        inputs = read_printed_inputs(graph["parameters"])
    operators = _count_calls(graph)
    symbols, chosen = _give_values(inputs, hints)
    _check_inputs(inputs, symbols)
    return {
        "level": level,
        "graph": graph,
        "inputs": {"storages": inputs["storages"], "values": inputs["values"]},
        "symbols": symbols,
        "chosen_symbols": chosen,
        "filled_constants": sorted(name for name, value in graph["constants"].items() if value["make"] != "tensor"),
        "operators": operators,
    }


def _read_script(tree: ast.Module) -> tuple[dict[str, Any], dict[str, Any]]:
    graph_class = load_args = None
    symbols: dict[str, int] = {}
    for statement in tree.body:
        if isinstance(statement, ast.ClassDef) and statement.name == SCRIPT_CLASS:
            graph_class = statement
        elif isinstance(statement, ast.FunctionDef) and statement.name == "load_args":
            load_args = statement
        elif isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Constant):
            # ``s77 = 6``; all else at the top, settings and imports, is left alone.
            name, number = dotted_name(statement.targets[0]) or "", statement.value.value
            if SYMBOL.match(name) and type(number) is int:
                symbols[name] = number
    if graph_class is None:
        raise RefusedError(RefusalCode.NO_GRAPH, f"no class {SCRIPT_CLASS}")
    graph = read_class(graph_class)
    if load_args is None:
        raise RefusedError(RefusalCode.NO_GRAPH, "no load_args, so no sizes")
    return graph, read_script_inputs(load_args, graph["parameters"], symbols)


def _only_class(tree: ast.Module) -> ast.ClassDef:
    if len(tree.body) == 1 and isinstance(tree.body[0], ast.ClassDef):
        return tree.body[0]
    raise RefusedError(RefusalCode.NO_GRAPH, f"{len(tree.body)} statements where one class should stand")


def _count_calls(graph: dict[str, Any]) -> int:
    calls: int = sum(node["kind"].startswith("call_") for node in graph["nodes"])
    calls += sum(_count_calls(inner) for inner in graph["graphs"].values())
    if calls > MAX_NODES:
        raise RefusedError(RefusalCode.TOO_LARGE, f"more than {MAX_NODES} nodes")
    return calls


def _give_values(inputs: dict[str, Any], hints: Mapping[str, int]) -> tuple[dict[str, Any], list[str]]:
    """Return a value for each symbol of the inputs, and the names of those chosen by us."""
    symbols: dict[str, Any] = dict(inputs["symbols"])
    missing = sorted(input_symbols(inputs["values"]) - symbols.keys(), key=lambda name: (len(name), name))
    symbols.update({name: hints[name] for name in missing if name in hints})
    chosen = [name for name in missing if name not in hints]
    # Distinct, so that no two dimensions fit by accident, and easy to divide, as batches and widths are.
    symbols.update({name: 8 * (1 + position % 8) for position, name in enumerate(chosen)})
    return symbols, chosen


def _check_inputs(inputs: dict[str, Any], symbols: Mapping[str, Any]) -> None:
    for value in inputs["values"]:
        for size in value.get("sizes") or ():
            checked_dimension(evaluate(size, symbols, value["line"]), value["line"])
        for size in value.get("strides") or ():
            evaluate(size, symbols, value["line"])
    for storage in inputs["storages"]:
        checked_dimension(evaluate(storage["bytes"], symbols, storage["line"]), storage["line"])


def main() -> None:
    """Read one request as JSON from standard input and write the answer to standard output."""
    _limit_ourselves()
    request = json.loads(sys.stdin.buffer.read(4 * MAX_TEXT_BYTES))
    try:
        answer: dict[str, Any] = {
            "ir": read_text(
                request["text"], is_script=request["is_script"], level=request["level"], hints=request["hints"]
            )
        }
    except RefusedError as refused:
        answer = {"code": refused.code.value, "construct": refused.construct, "line": refused.line}
    except (RecursionError, MemoryError) as error:
        code = RefusalCode.TOO_LARGE.value
        answer = {"code": code, "construct": f"reading it ended in {type(error).__name__}", "line": None}
    json.dump(answer, sys.stdout)


def _limit_ourselves() -> None:
    try:
        import resource
    except ImportError:  # Windows; the wall limit of the parent holds there, too
        return
    for limit, value in (
        (resource.RLIMIT_AS, READER_MEMORY),
        (resource.RLIMIT_CPU, READER_CPU_SECONDS),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        # A tighter limit that we run under already may stay.
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(limit, (value, value))
