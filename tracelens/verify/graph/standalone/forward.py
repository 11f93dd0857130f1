"""The body of ``forward``, statement by statement, to nodes."""

from __future__ import annotations

import ast
from typing import Any

from .expressions import Nodes
from .limits import MAX_PARAMETERS
from .refusal import RefusalCode, RefusedError
from .syntax import dotted_name, shown

#: Names with a meaning in the code that FX prints from a graph.
RESERVED = frozenset(
    {
        "NoneType", "builtins", "device", "float", "fx_pytree", "getattr", "inf", "int", "math", "nan", "operator",
        "pytree", "self", "slice", "super", "torch",
    }
)  # fmt: skip

_COPIES = frozenset({"torch.ops.aten.lift_fresh_copy.default", "torch.ops.aten.lift_fresh.default"})


def read_forward(function: ast.FunctionDef, modules: frozenset[str]) -> tuple[list[dict[str, Any]], Nodes]:
    """Return the parameters of ``forward`` (name, printed type or ``None``, line) and its nodes."""
    nodes = Nodes(modules)
    parameters = _read_parameters(function)
    for parameter in parameters:
        name = parameter["name"]
        nodes.names[name] = nodes.add("placeholder", name, name, parameter["line"])
    returned = False
    for statement in function.body:
        if returned:
            raise RefusedError(RefusalCode.CONSTRUCT, "statement after return", statement.lineno)
        returned = isinstance(statement, ast.Return)
        _read_statement(statement, nodes)
    if not returned:
        raise RefusedError(RefusalCode.SYNTAX, "forward without return, as if cut off", function.end_lineno)
    return parameters, nodes


def _read_parameters(function: ast.FunctionDef) -> list[dict[str, Any]]:
    arguments = function.args
    odd = (arguments.vararg, arguments.kwarg, arguments.kwonlyargs, arguments.defaults, arguments.posonlyargs)
    if function.decorator_list or any(odd) or not arguments.args or arguments.args[0].arg != "self":
        raise RefusedError(RefusalCode.CONSTRUCT, f"signature of {function.name[:80]}", function.lineno)
    if len(arguments.args) > MAX_PARAMETERS:
        raise RefusedError(RefusalCode.TOO_LARGE, f"more than {MAX_PARAMETERS} parameters", function.lineno)
    parameters = []
    for argument in arguments.args[1:]:
        _check_name(argument.arg, argument.lineno)
        printed = _annotation(argument.annotation, argument.lineno)
        parameters.append({"name": argument.arg, "printed": printed, "line": argument.lineno})
    return parameters


def _annotation(annotation: ast.expr | None, line: int) -> str | None:
    """Return what torch printed in quotes; a plain type says nothing that is needed."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return annotation.value
    if annotation is not None and dotted_name(annotation) is None:
        raise RefusedError(RefusalCode.CONSTRUCT, "annotation that is not a type", line)
    return None


def _check_name(name: str, line: int) -> None:
    if name in RESERVED or name.startswith("__") or len(name) > 256:
        raise RefusedError(RefusalCode.CONSTRUCT, f"the name {name[:80]}", line)


def _read_statement(statement: ast.stmt, nodes: Nodes) -> None:
    line = statement.lineno
    if isinstance(statement, ast.Return):
        value = None if statement.value is None else nodes.value(statement.value)
        nodes.add("output", "output", "output", line, args=[value])
    elif isinstance(statement, ast.Assign):
        _assign(statement.targets, statement.value, nodes)
    elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
        printed = _annotation(statement.annotation, line)
        attribute = dotted_name(statement.value) or ""
        if printed is not None and attribute.startswith("self."):
            nodes.printed[attribute.removeprefix("self.")] = printed
        _assign([statement.target], statement.value, nodes)
        if printed is not None:
            _note_constant(statement.value, printed, nodes)
    elif isinstance(statement, ast.AugAssign):
        nodes.augmented(statement)
    elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        nodes.evaluate(statement.value, "unnamed")
    elif not isinstance(statement, ast.Pass):
        raise RefusedError(RefusalCode.CONSTRUCT, f"statement {type(statement).__name__}", line)


def _note_constant(value: ast.expr, printed: str, nodes: Nodes) -> None:
    """Take the type of a constant from that of its copy: torch 2.5 prints it there alone."""
    if isinstance(value, ast.Call) and dotted_name(value.func) in _COPIES and len(value.args) == 1:
        copied = nodes.value(value.args[0])
        if isinstance(copied, dict) and "node" in copied and nodes.nodes[copied["node"]]["kind"] == "get_attr":
            nodes.printed.setdefault(nodes.nodes[copied["node"]]["target"], printed)


def _assign(targets: list[ast.expr], value: ast.expr, nodes: Nodes) -> None:
    names = [target.id for target in targets if isinstance(target, ast.Name)]
    if len(names) == len(targets) and isinstance(value, ast.Constant) and value.value is None:
        # ``x = y = None`` frees what is used no more.
        for name in names:
            nodes.names.pop(name, None)
        return
    target = targets[0]
    if len(targets) == 1 and isinstance(target, ast.Subscript):
        operands = [nodes.value(target.value), nodes.index(target.slice), nodes.value(value)]
        nodes.function("operator.setitem", operands, "setitem", target.lineno)
    elif len(targets) == 1 and isinstance(target, ast.Name):
        _check_name(target.id, target.lineno)
        nodes.names[target.id] = nodes.evaluate(value, target.id)
    else:
        raise RefusedError(RefusalCode.CONSTRUCT, f"assignment to {shown(target)}", target.lineno)
