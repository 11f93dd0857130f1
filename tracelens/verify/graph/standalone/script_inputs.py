"""The inputs of a script, from the calls in its ``load_args``: storages, views of them, numbers."""

from __future__ import annotations

import ast
import re
from typing import Any

from .refusal import RefusalCode, RefusedError
from .sizes import SYMBOL, size_of, symbols_of
from .syntax import dotted_name, shown
from .values import read_value

_BUFFER = re.compile(r"buf\d{1,6}\Z")
_TENSOR_KEYWORDS = frozenset(
    {"dtype", "storage_offset", "requires_grad", "is_leaf", "is_conj", "is_neg", "dtype_hint", "device"}
)


class _Reader:
    """What the calls gave so far."""

    def __init__(self, symbols: dict[str, int]) -> None:
        self.storages: list[dict[str, Any]] = []
        self.values: list[dict[str, Any]] = []
        self.symbols = symbols
        #: Numbers of ``reader.symint(6)``, which torch 2.5 prints without their symbol.
        self.nameless: list[int] = []
        self._buffers: dict[str, int] = {}

    def read(self, statement: ast.stmt) -> None:
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            return
        value = statement.value if isinstance(statement, ast.Expr | ast.Assign) else None
        called = dotted_name(value.func) if isinstance(value, ast.Call) else None
        if not isinstance(value, ast.Call) or called is None or not called.startswith("reader."):
            what = shown(value) if value is not None else type(statement).__name__
            raise RefusedError(RefusalCode.CONSTRUCT, f"{what} in load_args", statement.lineno)
        keywords = _keywords(value)
        if called == "reader.storage" and isinstance(statement, ast.Assign):
            self._storage(statement, value, keywords)
        elif called == "reader.tensor" and isinstance(statement, ast.Expr):
            self._tensor(value, keywords)
        elif called == "reader.symint" and isinstance(statement, ast.Expr):
            self._number(value, keywords)
        else:
            raise RefusedError(RefusalCode.INPUT, f"{called[:60]} in load_args", statement.lineno)

    def _storage(self, statement: ast.Assign, call: ast.Call, keywords: dict[str, ast.expr]) -> None:
        target = statement.targets[0]
        if len(statement.targets) != 1 or not isinstance(target, ast.Name) or not _BUFFER.match(target.id):
            raise RefusedError(RefusalCode.CONSTRUCT, "assignment in load_args", statement.lineno)
        if len(call.args) != 2 or not keywords.keys() <= {"device", "dtype_hint"}:
            raise RefusedError(RefusalCode.INPUT, "arguments of reader.storage", call.lineno)
        # The first argument names a file with the values; it is never opened.
        self._buffers[target.id] = len(self.storages)
        self.storages.append(
            {
                "bytes": size_of(call.args[1], call.lineno),
                "device": _of_kind(keywords.get("device"), "device", "cpu"),
                "dtype": _of_kind(keywords.get("dtype_hint"), "dtype", "float32"),
                "line": call.lineno,
            }
        )

    def _tensor(self, call: ast.Call, keywords: dict[str, ast.expr]) -> None:
        line, arguments = call.lineno, call.args
        buffer = arguments[0].id if arguments and isinstance(arguments[0], ast.Name) else ""
        if buffer not in self._buffers or not 2 <= len(arguments) <= 3 or not keywords.keys() <= _TENSOR_KEYWORDS:
            raise RefusedError(RefusalCode.INPUT, "arguments of reader.tensor", line)
        if any(_flag(keywords.get(name)) for name in ("is_conj", "is_neg")):
            raise RefusedError(RefusalCode.INPUT, "a conjugated or negated view as an input", line)
        storage = self._buffers[buffer]
        self.values.append(
            {
                "kind": "tensor",
                "sizes": _sizes(arguments[1]),
                "strides": _sizes(arguments[2]) if len(arguments) == 3 else None,
                "offset": size_of(keywords["storage_offset"], line) if "storage_offset" in keywords else 0,
                "dtype": _of_kind(keywords.get("dtype"), "dtype", "float32"),
                "device": self.storages[storage]["device"],
                "device_known": True,
                "storage": storage,
                "requires_grad": _flag(keywords.get("requires_grad")),
                "line": line,
            }
        )

    def _number(self, call: ast.Call, keywords: dict[str, ast.expr]) -> None:
        line = call.lineno
        argument = call.args[0] if len(call.args) == 1 else None
        expression = keywords.get("expr")
        symbol = expression.value if isinstance(expression, ast.Constant) else None
        if isinstance(argument, ast.Constant) and type(argument.value) is float:
            self.values.append({"kind": "float", "value": repr(argument.value), "line": line})
            return
        if argument is None or not keywords.keys() <= {"expr"}:
            raise RefusedError(RefusalCode.INPUT, "arguments of reader.symint", line)
        size = size_of(argument, line)
        if isinstance(symbol, str) and SYMBOL.match(symbol) and isinstance(size, int):
            self.symbols[symbol] = size
            size = {"symbol": symbol}
        elif isinstance(size, int):
            self.nameless.append(size)
        self.values.append({"kind": "integer", "size": size, "line": line})


def read_script_inputs(
    function: ast.FunctionDef, parameters: list[dict[str, Any]], symbols: dict[str, int]
) -> dict[str, Any]:
    """Return the inputs of the IR; ``symbols`` are those that the script sets at its top."""
    if [argument.arg for argument in function.args.args] != ["reader"] or function.decorator_list:
        raise RefusedError(RefusalCode.CONSTRUCT, "signature of load_args", function.lineno)
    reader = _Reader(dict(symbols))
    for statement in function.body:
        if not isinstance(statement, ast.Pass):
            reader.read(statement)
    if len(reader.values) != len(parameters):
        found = f"{len(reader.values)} inputs for {len(parameters)} parameters"
        raise RefusedError(RefusalCode.INPUT, found, function.lineno)
    for value, parameter in zip(reader.values, parameters, strict=True):
        value["name"] = parameter["name"]
    _name_the_nameless(reader, function.lineno)
    return {"storages": reader.storages, "values": reader.values, "symbols": reader.symbols}


def _name_the_nameless(reader: _Reader, line: int) -> None:
    """Give numbers to the symbols in order: torch 2.5 prints both in the order it made them."""
    sizes = [size for value in reader.values for key in ("sizes", "strides") for size in value.get(key) or ()]
    sizes += [value["offset"] for value in reader.values if "offset" in value]
    sizes += [storage["bytes"] for storage in reader.storages]
    used = {symbol for size in sizes for symbol in symbols_of(size)} - reader.symbols.keys()
    if len(used) > len(reader.nameless):
        raise RefusedError(RefusalCode.SYMBOL, f"no value of {', '.join(sorted(used)[:4])} in load_args", line)
    for symbol, number in zip(sorted(used, key=lambda name: int(name.lstrip("suzf"))), reader.nameless, strict=False):
        reader.symbols[symbol] = number


def _keywords(call: ast.Call) -> dict[str, ast.expr]:
    if any(keyword.arg is None for keyword in call.keywords):
        raise RefusedError(RefusalCode.CONSTRUCT, "** argument", call.lineno)
    return {keyword.arg or "": keyword.value for keyword in call.keywords}


def _sizes(node: ast.expr) -> list[Any]:
    if not isinstance(node, ast.Tuple):
        raise RefusedError(RefusalCode.INPUT, f"sizes {shown(node)}", node.lineno)
    return [size_of(item, node.lineno) for item in node.elts]


def _flag(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and node.value is True


def _of_kind(node: ast.expr | None, kind: str, otherwise: str) -> str:
    """Return a dtype or device; ``otherwise`` where the script leaves it out."""
    if node is None:
        return otherwise
    value = read_value(node, {})
    if isinstance(value, dict) and kind in value:
        return str(value[kind])
    raise RefusedError(RefusalCode.INPUT, f"{shown(node)} as a {kind}", node.lineno)
