"""The inputs of a printed graph, from the types that torch prints beside its parameters."""

from __future__ import annotations

import re
from typing import Any

from .refusal import RefusalCode, RefusedError
from .sizes import read_size, symbols_of

_SHORT_DTYPES = {
    "f64": "float64", "f32": "float32", "f16": "float16", "bf16": "bfloat16", "i64": "int64", "i32": "int32",
    "i16": "int16", "i8": "int8", "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64", "b8": "bool",
    "c32": "complex32", "c64": "complex64", "c128": "complex128", "f8e4m3fn": "float8_e4m3fn", "f8e5m2": "float8_e5m2",
    "f8e4m3fnuz": "float8_e4m3fnuz", "f8e5m2fnuz": "float8_e5m2fnuz",
}  # fmt: skip
_TENSOR = re.compile(
    r"(?:Parameter\()?(?P<dtype>[a-z]+[0-9a-z]*)\[(?P<sizes>[^\]]*)\](?:\[(?P<strides>[^\]]*)\])?"
    r"(?P<device>(?:cpu|cuda|xpu|mps|meta)(?::\d{1,3})?)?\)?\Z"
)
_SYMBOL = re.compile(r"Sym\((?P<size>.*)\)\Z")


def read_printed_inputs(parameters: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the inputs of the IR; no two share memory, for the text does not say."""
    values = [_read_input(parameter) for parameter in parameters]
    return {"storages": [], "values": values, "symbols": {}}


def input_symbols(values: list[dict[str, Any]]) -> set[str]:
    """Name the symbols that the sizes of the inputs depend on."""
    sizes = [size for value in values for key in ("sizes", "strides") for size in value.get(key) or ()]
    sizes += [value[key] for value in values for key in ("size", "offset") if key in value]
    return {symbol for size in sizes for symbol in symbols_of(size)}


def _read_input(parameter: dict[str, Any]) -> dict[str, Any]:
    name, printed, line = parameter["name"], parameter["printed"], parameter["line"]
    if printed is None:
        raise RefusedError(RefusalCode.NO_GRAPH, f"no size of the parameter {name[:80]}", line)
    symbol = _SYMBOL.match(printed)
    if symbol:
        size = read_size(symbol["size"], line)
        if any(used.startswith("z") for used in symbols_of(size)):
            return {"kind": "float", "name": name, "value": None, "line": line}
        return {"kind": "integer", "name": name, "size": size, "line": line}
    return read_tensor_type(name, printed, line)


def read_tensor_type(name: str, printed: str, line: int) -> dict[str, Any]:
    """Return an input for a type as ``f32[4, s77][s77, 1]cuda:0``."""
    tensor = _TENSOR.match(printed)
    if not tensor or tensor["dtype"] not in _SHORT_DTYPES:
        raise RefusedError(RefusalCode.INPUT, f"type {printed[:60]!r} of {name[:60]}", line)
    strides = tensor["strides"]
    return {
        "kind": "tensor",
        "name": name,
        "sizes": _read_sizes(tensor["sizes"], line),
        # A scalar has no strides, and some artifacts print none at all.
        "strides": _read_sizes(strides, line) if strides else None,
        "offset": 0,
        "dtype": _SHORT_DTYPES[tensor["dtype"]],
        "device": tensor["device"] or "cpu",
        "device_known": tensor["device"] is not None,
        "storage": None,
        "requires_grad": False,
        "line": line,
    }


def _read_sizes(text: str, line: int) -> list[Any]:
    return [read_size(part, line) for part in _split(text)]


def _split(text: str) -> list[str]:
    """Split at the commas outside of brackets."""
    parts, depth, start = [], 0, 0
    for position, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            parts.append(text[start:position])
            start = position + 1
    parts.append(text[start:])
    return [part for part in parts if part.strip()]
