"""A class that torch printed for a graph: its constants, its modules, its inner graphs, its ``forward``."""

from __future__ import annotations

import ast
from typing import Any

from .forward import read_forward
from .limits import MAX_CLASSES, MAX_DEPTH
from .members import constant_of_type, read_constant, read_module
from .refusal import RefusalCode, RefusedError
from .syntax import MISSING_BODY, dotted_name
from .values import IDENTIFIER

_BASES = frozenset({"torch.nn.Module", "nn.Module", "Module"})
_OWN_NAMES = frozenset({"forward", "training", "call_super_init", "dump_patches"})
_CONSTANTS = frozenset(
    f"{place}{name}"
    for place in ("", "torch.")
    for name in ("tensor", "randn", "randint", "zeros", "ones", "empty", "nn.Parameter", "Parameter")
)


class _Members:
    """What ``__init__`` gives to ``self``."""

    def __init__(self) -> None:
        self.constants: dict[str, Any] = {}
        self.modules: dict[str, Any] = {}
        self.without_body: set[str] = set()

    def read(self, statement: ast.stmt) -> None:
        line = statement.lineno
        if isinstance(statement, ast.Pass):
            return
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            self._read_call(statement.value)
        elif isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            target = dotted_name(statement.targets[0]) or ""
            if not target.startswith("self."):
                raise RefusedError(RefusalCode.CONSTRUCT, "assignment in __init__", line)
            self._read_member(target.removeprefix("self."), statement.value, line)
        else:
            raise RefusedError(RefusalCode.CONSTRUCT, f"statement {type(statement).__name__} in __init__", line)

    def _read_call(self, call: ast.Call) -> None:
        called = dotted_name(call.func)
        if isinstance(call.func, ast.Attribute) and call.func.attr == "__init__" and not call.args:
            base = call.func.value
            if isinstance(base, ast.Call) and dotted_name(base.func) == "super" and not base.args and not call.keywords:
                return
        if called == "self.register_buffer" and len(call.args) == 2 and not call.keywords:
            name = call.args[0]
            if isinstance(name, ast.Constant) and isinstance(name.value, str):
                self.constants[_member(name.value, call.lineno)] = read_constant(call.args[1])
                return
        raise RefusedError(RefusalCode.FUNCTION, f"call of {called or 'an expression'} in __init__", call.lineno)

    def _read_member(self, name: str, value: ast.expr, line: int) -> None:
        name = _member(name, line)
        made_by = dotted_name(value.func) if isinstance(value, ast.Call) else None
        if made_by == MISSING_BODY:
            self.without_body.add(name)
        elif made_by in _CONSTANTS:
            self.constants[name] = read_constant(value)
        else:
            self.modules[name] = read_module(value)


def read_class(node: ast.ClassDef, budget: list[int] | None = None, depth: int = 0) -> dict[str, Any]:
    """Return the graph of a class and, within it, those of the classes inside."""
    budget = [MAX_CLASSES] if budget is None else budget
    budget[0] -= 1
    if depth > MAX_DEPTH or budget[0] < 0:
        raise RefusedError(RefusalCode.TOO_LARGE, f"more than {MAX_CLASSES} graphs", node.lineno)
    if node.decorator_list or node.keywords or len(node.bases) != 1 or dotted_name(node.bases[0]) not in _BASES:
        raise RefusedError(RefusalCode.CONSTRUCT, f"bases or decorators of class {node.name[:80]}", node.lineno)
    members, forward, graphs = _Members(), None, {}
    for statement in node.body:
        if isinstance(statement, ast.ClassDef):
            graphs[_member(statement.name, statement.lineno)] = read_class(statement, budget, depth + 1)
        elif isinstance(statement, ast.FunctionDef) and statement.name == "forward":
            forward = statement
        elif isinstance(statement, ast.FunctionDef) and statement.name == "__init__" and not statement.decorator_list:
            for inner in statement.body:
                members.read(inner)
        elif not isinstance(statement, ast.Pass):
            raise RefusedError(RefusalCode.CONSTRUCT, f"{type(statement).__name__} in a class", statement.lineno)
    if forward is None:
        raise RefusedError(RefusalCode.NO_GRAPH, f"class {node.name[:80]} without forward", node.lineno)
    return _graph(forward, members, graphs)


def _graph(forward: ast.FunctionDef, members: _Members, graphs: dict[str, Any]) -> dict[str, Any]:
    parameters, nodes = read_forward(forward, frozenset(members.modules))
    for target, line in nodes.attributes.items():
        root = target.partition(".")[0]
        if root in members.without_body and root not in graphs:
            raise RefusedError(RefusalCode.SUBGRAPH, f"self.{root} without the body of the inner graph", line)
        if root not in graphs and root not in members.modules and target not in members.constants:
            if target not in nodes.printed or target != root:
                raise RefusedError(RefusalCode.ATTRIBUTE, f"self.{target[:80]} without its value", line)
            members.constants[target] = constant_of_type(target, nodes.printed[target], line)
    return {
        "parameters": parameters,
        "nodes": nodes.nodes,
        "constants": members.constants,
        "modules": members.modules,
        "graphs": graphs,
    }


def _member(name: str, line: int) -> str:
    if not IDENTIFIER.match(name) or name.startswith("__") or name in _OWN_NAMES:
        raise RefusedError(RefusalCode.CONSTRUCT, f"attribute self.{name[:80]}", line)
    return name
