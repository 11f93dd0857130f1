"""Sizes that depend on symbols: ``s77 * 4``, ``((s27*s77)//2)``, ``Max(1, s0)``.

A size is an integer, ``{"symbol": "s77"}`` or ``{"apply": "mul", "to": [size, ...]}``,
so that a graph can be built again for other sizes. Both evaluators are our own and
bounded: nothing of the text is computed by Python itself.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import Any

from .limits import MAX_DEPTH, MAX_SIZE, MAX_SIZE_EXPRESSION
from .refusal import RefusalCode, RefusedError
from .untyped import Json

#: Backed, unbacked and floating-point symbols, as torch names them.
SYMBOL = re.compile(r"(?:[su]|zf|zuf)\d{1,6}\Z")

_MAX_VALUE = 2**50
_BINARY = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.FloorDiv: "floordiv", ast.Mod: "mod", ast.Pow: "pow"}
_CALLS = {
    "Max": "max", "max": "max", "Min": "min", "min": "min", "FloorDiv": "floordiv", "CleanDiv": "floordiv",
    "Mod": "mod", "PythonMod": "mod", "TruncToInt": "same", "Identity": "same",
}  # fmt: skip


def read_size(text: str, line: int) -> Json:
    """Read the text of one size."""
    if len(text) > MAX_SIZE_EXPRESSION:
        raise RefusedError(RefusalCode.TOO_LARGE, "size expression that is too long", line)
    try:
        return size_of(ast.parse(text.strip(), mode="eval").body, line)
    except (SyntaxError, RecursionError, MemoryError, ValueError) as error:
        raise RefusedError(RefusalCode.INPUT, f"size {text[:60]!r}", line) from error


def size_of(node: ast.expr, line: int, depth: int = 0) -> Json:
    """Turn one expression of the tree into a size."""
    if depth > MAX_DEPTH:
        raise RefusedError(RefusalCode.TOO_LARGE, "size expression that is too deep", line)
    if isinstance(node, ast.Constant) and type(node.value) is int:
        if abs(node.value) > _MAX_VALUE:
            raise RefusedError(RefusalCode.TOO_LARGE, "integer out of range in a size", line)
        return node.value
    if isinstance(node, ast.Name) and SYMBOL.match(node.id):
        return {"symbol": node.id}
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return _apply("sub", [0, size_of(node.operand, line, depth + 1)])
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        return _apply(
            _BINARY[type(node.op)], [size_of(node.left, line, depth + 1), size_of(node.right, line, depth + 1)]
        )
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _CALLS and not node.keywords:
        operands = [size_of(argument, line, depth + 1) for argument in node.args]
        wanted = 2 if _CALLS[node.func.id] in {"floordiv", "mod"} else len(operands)
        if operands and len(operands) == wanted:
            return _apply(_CALLS[node.func.id], operands)
    raise RefusedError(RefusalCode.INPUT, f"{type(node).__name__} in a size", line)


def symbols_of(size: Json) -> set[str]:
    """Name the symbols that a size depends on."""
    if not isinstance(size, dict):
        return set()
    if "symbol" in size:
        return {size["symbol"]}
    return {symbol for operand in size["to"] for symbol in symbols_of(operand)}


def evaluate(size: Json, symbols: Mapping[str, Any], line: int | None = None) -> int:
    """Compute a size for these values of the symbols."""
    if not isinstance(size, dict):
        return int(size)
    if "symbol" in size:
        if size["symbol"] not in symbols:
            raise RefusedError(RefusalCode.SYMBOL, f"size symbol {size['symbol']} has no value", line)
        return int(symbols[size["symbol"]])
    operands = [evaluate(operand, symbols, line) for operand in size["to"]]
    value = _compute(size["apply"], operands, line)
    if abs(value) > _MAX_VALUE:
        raise RefusedError(RefusalCode.TOO_LARGE, "size out of range", line)
    return value


def checked_dimension(value: int, line: int | None) -> int:
    """Return a dimension that a tensor can have."""
    if not 0 <= value <= MAX_SIZE:
        raise RefusedError(RefusalCode.TOO_LARGE, f"size {value} of a dimension", line)
    return value


def _apply(operation: str, operands: list[Any]) -> dict[str, Any]:
    return {"apply": operation, "to": operands}


def _compute(operation: str, operands: list[int], line: int | None) -> int:  # noqa: PLR0911 - one for each operation
    first, last = operands[0], operands[-1]
    if operation in {"floordiv", "mod"}:
        if last == 0:
            raise RefusedError(RefusalCode.INPUT, "division by zero in a size", line)
        return first // last if operation == "floordiv" else first % last
    if operation == "add":
        return first + last
    if operation == "sub":
        return first - last
    if operation == "mul":
        return first * last
    if operation == "max":
        return max(operands)
    if operation == "min":
        return min(operands)
    if operation == "pow":
        if not 0 <= last <= 8 or abs(first) > 2**20:
            raise RefusedError(RefusalCode.TOO_LARGE, "power in a size", line)
        return int(first**last)
    return first
