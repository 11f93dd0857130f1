"""Arguments of calls: literals, and names of earlier nodes; they make no node themselves."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from typing import Any

from .limits import MAX_DEPTH, MAX_INTEGER, MAX_ITEMS, MAX_STRING
from .operators import checked_operator
from .refusal import RefusalCode, RefusedError
from .syntax import dotted_name, shown
from .untyped import Json

DTYPES = frozenset(
    {
        "bfloat16", "bool", "cdouble", "cfloat", "complex128", "complex32", "complex64", "double", "float",
        "float16", "float32", "float64", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz",
        "half", "int", "int16", "int32", "int64", "int8", "long", "short", "uint16", "uint32", "uint64", "uint8",
    }
)  # fmt: skip
LAYOUTS = frozenset({"jagged", "sparse_coo", "sparse_csc", "sparse_csr", "strided"})
MEMORY_FORMATS = frozenset({"channels_last", "channels_last_3d", "contiguous_format", "preserve_format"})
DEVICE = re.compile(r"(?:cpu|cuda|xpu|mps|meta)(?::\d{1,3})?\Z")
IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,255}\Z")

Names = Mapping[str, Any]
"""What a name stands for: ``{"node": index}`` or a literal value."""


def read_value(node: ast.expr, names: Names, depth: int = 0) -> Json:
    """Turn an argument into a value of the IR; its forms are in ``reading``."""
    if depth > MAX_DEPTH:
        raise RefusedError(RefusalCode.TOO_LARGE, f"expression nested deeper than {MAX_DEPTH}", node.lineno)
    read = _READ.get(type(node))
    if read is None:
        raise RefusedError(RefusalCode.CONSTRUCT, f"{type(node).__name__} as an argument", node.lineno)
    return read(node, names, depth)


def read_keywords(call: ast.Call, names: Names) -> dict[str, Any]:
    """Read the keyword arguments of a call; ``*`` and ``**`` are refused."""
    read: dict[str, Any] = {}
    for argument in call.args:
        if isinstance(argument, ast.Starred):
            raise RefusedError(RefusalCode.CONSTRUCT, "* argument", call.lineno)
    for keyword in call.keywords:
        if keyword.arg is None or not IDENTIFIER.match(keyword.arg) or keyword.arg.startswith("__"):
            raise RefusedError(RefusalCode.CONSTRUCT, f"keyword argument {keyword.arg or '**'}", call.lineno)
        read[keyword.arg] = read_value(keyword.value, names)
    return read


def read_literal(node: ast.Constant) -> Json:
    """Read a literal; floats travel as text, for JSON knows no infinity."""
    value = node.value
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        if abs(value) >= MAX_INTEGER:
            raise RefusedError(RefusalCode.TOO_LARGE, "integer out of range", node.lineno)
        return value
    if isinstance(value, float):
        return {"float": repr(value)}
    if isinstance(value, complex):
        return {"complex": [repr(value.real), repr(value.imag)]}
    if isinstance(value, str):
        if len(value) > MAX_STRING:
            raise RefusedError(RefusalCode.TOO_LARGE, f"string of more than {MAX_STRING} characters", node.lineno)
        return {"string": value}
    if value is Ellipsis:
        return {"ellipsis": True}
    raise RefusedError(RefusalCode.CONSTRUCT, f"literal of type {type(value).__name__}", node.lineno)


def _name(node: ast.Name, names: Names, _depth: int) -> Json:
    if node.id in names:
        return names[node.id]
    if node.id in {"inf", "nan"}:
        return {"float": node.id}
    if node.id == "Ellipsis":
        return {"ellipsis": True}
    raise RefusedError(RefusalCode.CONSTRUCT, f"unknown name {node.id[:80]}", node.lineno)


def _items(node: ast.expr, items: list[ast.expr], names: Names, depth: int) -> list[Any]:
    if len(items) > MAX_ITEMS:
        raise RefusedError(RefusalCode.TOO_LARGE, f"list of more than {MAX_ITEMS} items", node.lineno)
    return [read_value(item, names, depth + 1) for item in items]


def _dict(node: ast.Dict, names: Names, depth: int) -> dict[str, Any]:
    pairs = []
    for key, value in zip(node.keys, node.values, strict=True):
        if not isinstance(key, ast.Constant) or not isinstance(key.value, str | int):
            raise RefusedError(RefusalCode.CONSTRUCT, "key of a dict that is no literal", node.lineno)
        pairs.append([read_literal(key), read_value(value, names, depth + 1)])
    return {"dict": pairs}


def _signed(node: ast.UnaryOp, names: Names, depth: int) -> Json:
    value = read_value(node.operand, names, depth + 1)
    if isinstance(node.op, ast.UAdd) and not isinstance(value, bool | None):
        return value
    if isinstance(node.op, ast.USub):
        if type(value) is int:
            return -value
        if isinstance(value, dict) and "float" in value:
            return {"float": _negated(value["float"])}
        if isinstance(value, dict) and "complex" in value:
            return {"complex": [_negated(part) for part in value["complex"]]}
    raise RefusedError(RefusalCode.CONSTRUCT, f"{type(node.op).__name__} as an argument", node.lineno)


def _negated(number: str) -> str:
    return number.removeprefix("-") if number.startswith("-") else f"-{number}"


def _complex(node: ast.BinOp, names: Names, depth: int) -> Json:
    """``(1+2j)``: Python has no other way to write it."""
    right = node.right
    if isinstance(node.op, ast.Add | ast.Sub) and isinstance(right, ast.Constant) and isinstance(right.value, complex):
        real = read_value(node.left, names, depth + 1)
        imaginary = repr(right.value.imag)
        if isinstance(real, dict) and "float" in real:
            real = real["float"]
        if isinstance(real, int | str) and not isinstance(real, bool):
            return {"complex": [str(real), imaginary if isinstance(node.op, ast.Add) else _negated(imaginary)]}
    raise RefusedError(RefusalCode.CONSTRUCT, f"{type(node.op).__name__} as an argument", node.lineno)


def _constant_of_torch(node: ast.Attribute, names: Names, _depth: int) -> Json:
    name = dotted_name(node)
    if name is not None and "torch" not in names and name.startswith("torch."):
        last = name.removeprefix("torch.")
        for key, allowed in (("dtype", DTYPES), ("layout", LAYOUTS), ("memory_format", MEMORY_FORMATS)):
            if last in allowed:
                return {key: last}
        if last.startswith("ops."):
            return {"operator": checked_operator(name, node.lineno)}
    raise RefusedError(RefusalCode.CONSTRUCT, f"{shown(node)} as an argument", node.lineno)


def _call(node: ast.Call, names: Names, depth: int) -> Json:
    name = dotted_name(node.func)
    if name is not None and name.partition(".")[0] not in names:
        if name in {"device", "torch.device"}:
            return {"device": _device(node, names, depth)}
        if name == "slice" and not node.keywords and 1 <= len(node.args) <= 3:
            bounds = _items(node, node.args, names, depth)
            return {"slice": [None, bounds[0], None] if len(bounds) == 1 else (*bounds, None)[:3]}
        if name == "torch.Size" and len(node.args) == 1 and not node.keywords:
            return read_value(node.args[0], names, depth + 1)
        if name == "float" and len(node.args) == 1 and isinstance(node.args[0], ast.Constant):
            spelt = node.args[0].value
            if isinstance(spelt, str) and spelt in {"inf", "-inf", "nan"}:
                return {"float": spelt}
    raise RefusedError(RefusalCode.CONSTRUCT, f"call of {shown(node.func)} as an argument", node.lineno)


def _device(node: ast.Call, names: Names, depth: int) -> str:
    arguments = [read_value(argument, names, depth + 1) for argument in node.args]
    keywords = read_keywords(node, names)
    kind = keywords.pop("type", None) or (arguments.pop(0) if arguments else None)
    index = keywords.pop("index", None) if "index" in keywords else (arguments.pop(0) if arguments else None)
    if isinstance(kind, dict) and not keywords and not arguments:
        device = kind.get("string", "") if index is None else f"{kind.get('string', '')}:{index}"
        if DEVICE.match(device):
            return str(device)
    raise RefusedError(RefusalCode.CONSTRUCT, "arguments of device", node.lineno)


_READ: dict[type[ast.expr], Callable[[Json, Names, int], Json]] = {
    ast.Constant: lambda node, _names, _depth: read_literal(node),
    ast.Name: _name,
    ast.List: lambda node, names, depth: {"list": _items(node, node.elts, names, depth)},
    ast.Tuple: lambda node, names, depth: {"tuple": _items(node, node.elts, names, depth)},
    ast.Dict: _dict,
    ast.UnaryOp: _signed,
    ast.BinOp: _complex,
    ast.Attribute: _constant_of_torch,
    ast.Call: _call,
}
