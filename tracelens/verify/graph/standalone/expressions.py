"""The right side of a statement: one call, operation or attribute, which becomes one node."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from .functions import checked_attribute, checked_function, checked_method
from .limits import MAX_NODES
from .operators import checked_operator
from .refusal import RefusalCode, RefusedError
from .syntax import dotted_name, shown
from .untyped import Json
from .values import IDENTIFIER, read_keywords, read_value

_BINARY = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv", ast.Mod: "mod",
    ast.Pow: "pow", ast.MatMult: "matmul", ast.BitAnd: "and_", ast.BitOr: "or_", ast.BitXor: "xor",
    ast.LShift: "lshift", ast.RShift: "rshift",
}  # fmt: skip
_COMPARE = {ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge"}
_UNARY = {ast.USub: "neg", ast.UAdd: "pos", ast.Invert: "invert", ast.Not: "not_"}
_VALUES = frozenset({"device", "torch.device", "slice", "torch.Size", "float"})


class Nodes:
    """The nodes read so far, and what each name stands for."""

    def __init__(self, modules: frozenset[str]) -> None:
        """Know which attributes of ``self`` are modules that can be called."""
        self.nodes: list[dict[str, Any]] = []
        self.names: dict[str, Any] = {}
        self.attributes: dict[str, int] = {}
        #: What torch printed as the type of an attribute.
        self.printed: dict[str, str] = {}
        self._modules = modules

    def add(self, kind: str, target: Json, name: str, line: int, **arguments: Json) -> dict[str, int]:
        """Append a node and return the value that stands for it."""
        if len(self.nodes) >= MAX_NODES:
            raise RefusedError(RefusalCode.TOO_LARGE, f"more than {MAX_NODES} nodes", line)
        args, kwargs = arguments.get("args", []), arguments.get("kwargs", {})
        self.nodes.append({"kind": kind, "target": target, "args": args, "kwargs": kwargs, "name": name, "line": line})
        return {"node": len(self.nodes) - 1}

    def function(self, function: str, args: list[Any], name: str, line: int) -> dict[str, int]:
        """Append the call of a function of Python."""
        return self.add("call_function", {"function": function}, name, line, args=args)

    def evaluate(self, node: ast.expr, name: str) -> Json:
        """Return the value of an expression; it may add one node, named as the text does."""
        read = _READ.get(type(node))
        return self.value(node) if read is None else read(self, node, name)

    def value(self, node: ast.expr) -> Json:
        """Return the value of an expression that adds no node."""
        return read_value(node, self.names)

    def index(self, node: ast.expr) -> Json:
        """Return what stands between square brackets."""
        if isinstance(node, ast.Slice):
            bounds = (node.lower, node.upper, node.step)
            return {"slice": [None if bound is None else self.value(bound) for bound in bounds]}
        if isinstance(node, ast.Tuple):
            return {"tuple": [self.index(item) for item in node.elts]}
        return self.value(node)

    def augmented(self, node: ast.AugAssign) -> None:
        """Read ``x += y``."""
        operation = _BINARY.get(type(node.op))
        if not isinstance(node.target, ast.Name) or operation is None or node.target.id not in self.names:
            raise RefusedError(RefusalCode.CONSTRUCT, "augmented assignment", node.lineno)
        name = node.target.id
        function = checked_function(f"operator.i{operation.rstrip('_')}", node.lineno)
        self.names[name] = self.function(function, [self.names[name], self.value(node.value)], f"i_{name}", node.lineno)

    def _call(self, node: ast.Call, name: str) -> Json:
        called = dotted_name(node.func)
        root = called.partition(".")[0] if called else ""
        if called in _VALUES and root not in self.names and not self._has_node(node):
            return self.value(node)
        args = [self.value(argument) for argument in node.args if not isinstance(argument, ast.Starred)]
        arguments = {"args": args, "kwargs": read_keywords(node, self.names)}
        if called and root == "self":
            return self._module(called, name, node.lineno, arguments)
        if called and root not in self.names:
            return self._function(called, name, node.lineno, arguments)
        if isinstance(node.func, ast.Attribute):
            owner = self.value(node.func.value)
            if not isinstance(owner, dict) or "node" not in owner:
                raise RefusedError(RefusalCode.FUNCTION, f"call of {shown(node.func)}", node.lineno)
            arguments["args"] = [owner, *args]
            method = checked_method(node.func.attr, node.lineno)
            return self.add("call_method", method, name, node.lineno, **arguments)
        raise RefusedError(RefusalCode.FUNCTION, f"call of {shown(node.func)}", node.lineno)

    def _has_node(self, node: ast.Call) -> bool:
        return any(isinstance(part, ast.Name) and part.id in self.names for part in ast.walk(node))

    def _function(self, called: str, name: str, line: int, arguments: dict[str, Any]) -> dict[str, int]:
        if called.startswith("torch.ops."):
            return self.add("call_function", {"operator": checked_operator(called, line)}, name, line, **arguments)
        if called == "getattr":
            args = arguments["args"]
            if len(args) == 2 and isinstance(args[1], dict) and "string" in args[1] and not arguments["kwargs"]:
                checked_attribute(args[1]["string"], line)
                return self.function("getattr", args, name, line)
            raise RefusedError(RefusalCode.FUNCTION, "arguments of getattr", line)
        return self.add("call_function", {"function": checked_function(called, line)}, name, line, **arguments)

    def _module(self, called: str, name: str, line: int, arguments: dict[str, Any]) -> dict[str, int]:
        module = called.removeprefix("self.")
        if module not in self._modules:
            raise RefusedError(RefusalCode.MODULE, f"call of {called[:80]}", line)
        return self.add("call_module", module, name, line, **arguments)

    def _binary(self, node: ast.BinOp, name: str) -> Json:
        imaginary = isinstance(node.right, ast.Constant) and isinstance(node.right.value, complex)
        if imaginary and not isinstance(node.left, ast.Name):
            return self.value(node)
        operands = [self.value(node.left), self.value(node.right)]
        if not any(isinstance(operand, dict) and "node" in operand for operand in operands):
            # ``9 ** 9 ** 9`` is computed by nobody.
            raise RefusedError(RefusalCode.CONSTRUCT, "operation on literals", node.lineno)
        return self.function(f"operator.{_BINARY[type(node.op)]}", operands, name, node.lineno)

    def _unary(self, node: ast.UnaryOp, name: str) -> Json:
        operand = self.value(node.operand)
        if isinstance(operand, dict) and "node" in operand:
            return self.function(f"operator.{_UNARY[type(node.op)]}", [operand], name, node.lineno)
        return self.value(node)

    def _subscript(self, node: ast.Subscript, name: str) -> dict[str, int]:
        operands = [self.value(node.value), self.index(node.slice)]
        return self.function("operator.getitem", operands, name, node.lineno)

    def _compare(self, node: ast.Compare, name: str) -> dict[str, int]:
        operation = _COMPARE.get(type(node.ops[0]))
        if operation is None or len(node.ops) != 1:
            raise RefusedError(RefusalCode.CONSTRUCT, "comparison", node.lineno)
        operands = [self.value(node.left), self.value(node.comparators[0])]
        return self.function(f"operator.{operation}", operands, name, node.lineno)

    def _attribute(self, node: ast.Attribute, name: str) -> Json:
        path = dotted_name(node)
        if path is not None and path.startswith("self."):
            target = path.removeprefix("self.")
            if any(part.startswith("__") or not IDENTIFIER.match(part) for part in target.split(".")):
                raise RefusedError(RefusalCode.CONSTRUCT, f"attribute {path[:80]}", node.lineno)
            self.attributes.setdefault(target, node.lineno)
            return self.add("get_attr", target, name, node.lineno)
        if path is not None and path.partition(".")[0] in self.names:
            checked_attribute(node.attr, node.lineno)
            operands = [self.value(node.value), {"string": node.attr}]
            return self.function("getattr", operands, name, node.lineno)
        return self.value(node)


_READ: dict[type[ast.expr], Callable[[Nodes, Json, str], Json]] = {
    ast.Call: Nodes._call,
    ast.BinOp: Nodes._binary,
    ast.UnaryOp: Nodes._unary,
    ast.Compare: Nodes._compare,
    ast.Subscript: Nodes._subscript,
    ast.Attribute: Nodes._attribute,
}
