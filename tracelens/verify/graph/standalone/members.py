"""What ``__init__`` of a printed graph holds: small constants by value, others by shape, and modules."""

from __future__ import annotations

import ast
from typing import Any

from .printed_inputs import read_tensor_type
from .refusal import RefusalCode, RefusedError
from .syntax import dotted_name, shown
from .values import read_keywords, read_value

MODULES = frozenset(
    {
        "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveMaxPool2d", "AvgPool1d", "AvgPool2d",
        "BCEWithLogitsLoss", "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "Conv1d", "Conv2d", "Conv3d",
        "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d", "CrossEntropyLoss", "Dropout", "Dropout1d",
        "Dropout2d", "ELU", "Embedding", "Flatten", "GELU", "GroupNorm", "Hardsigmoid", "Hardswish", "Hardtanh",
        "Identity", "InstanceNorm1d", "InstanceNorm2d", "L1Loss", "LayerNorm", "LeakyReLU", "Linear",
        "LogSoftmax", "MSELoss", "MaxPool1d", "MaxPool2d", "MaxPool3d", "Mish", "NLLLoss", "PReLU",
        "PixelShuffle", "RMSNorm", "ReLU", "ReLU6", "SiLU", "Sigmoid", "Softmax", "Softplus", "Tanh",
        "Unflatten", "Upsample", "ZeroPad2d",
    }
)  # fmt: skip
_MAKERS = frozenset({"tensor", "randn", "randint", "zeros", "ones", "empty"})
_PARAMETER = frozenset({"torch.nn.Parameter", "nn.Parameter", "Parameter"})
_CONSTANT_KEYWORDS = frozenset({"dtype", "device", "size", "requires_grad", "layout"})


def read_constant(node: ast.expr) -> dict[str, Any]:
    """Read ``tensor([...])``, ``torch.randn(...)`` and their like, as a parameter or a buffer."""
    node, on_gpu = _without_moves(node)
    is_parameter = isinstance(node, ast.Call) and dotted_name(node.func) in _PARAMETER and len(node.args) == 1
    if is_parameter and isinstance(node, ast.Call):
        node, inner_gpu = _without_moves(node.args[0])
        on_gpu = on_gpu or inner_gpu
    name = dotted_name(node.func) if isinstance(node, ast.Call) else None
    maker = (name or "").removeprefix("torch.")
    if not isinstance(node, ast.Call) or maker not in _MAKERS:
        raise RefusedError(RefusalCode.FUNCTION, f"{shown(node)} in __init__", node.lineno)
    keywords = read_keywords(node, {})
    if not keywords.keys() <= _CONSTANT_KEYWORDS:
        raise RefusedError(RefusalCode.CONSTRUCT, f"keyword of {maker} in __init__", node.lineno)
    return {
        "make": maker,
        "args": [read_value(argument, {}) for argument in node.args],
        "kwargs": keywords,
        "on_gpu": on_gpu,
        "is_parameter": is_parameter,
        "line": node.lineno,
    }


def constant_of_type(name: str, printed: str, line: int) -> dict[str, Any]:
    """Return a constant of which only the printed type is known."""
    tensor = read_tensor_type(name, printed, line)
    if not all(isinstance(size, int) for size in tensor["sizes"]):
        raise RefusedError(RefusalCode.ATTRIBUTE, f"self.{name[:80]} without its value", line)
    return {
        "make": "unknown",
        "args": [{"list": tensor["sizes"]}],
        "kwargs": {"dtype": {"dtype": tensor["dtype"]}, "device": {"device": tensor["device"]}},
        "on_gpu": False,
        "is_parameter": False,
        "line": line,
    }


def read_module(node: ast.expr) -> dict[str, Any]:
    """Read ``Linear(in_features=4, out_features=8, bias=True).cuda()`` and its like."""
    node, on_gpu = _without_moves(node)
    name = (dotted_name(node.func) if isinstance(node, ast.Call) else None) or ""
    kind = name.rpartition(".")[2]
    if not isinstance(node, ast.Call) or kind not in MODULES or name not in {kind, f"nn.{kind}", f"torch.nn.{kind}"}:
        raise RefusedError(RefusalCode.MODULE, f"module {shown(node)}", node.lineno)
    return {
        "make": kind,
        "args": [read_value(argument, {}) for argument in node.args],
        "kwargs": read_keywords(node, {}),
        "on_gpu": on_gpu,
        "line": node.lineno,
    }


def _without_moves(node: ast.expr) -> tuple[ast.expr, bool]:
    on_gpu = False
    while (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in {"cuda", "cpu", "eval", "train"}
        and isinstance(node.func.value, ast.Call)
        and not node.args
        and not node.keywords
    ):
        on_gpu = on_gpu or node.func.attr == "cuda"
        node = node.func.value
    return node, on_gpu
