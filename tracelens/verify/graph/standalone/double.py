"""The same computation in float64: what both eager and compiled code are measured against."""

from __future__ import annotations

import contextlib
import copy
import warnings
from collections.abc import Iterator, Mapping

import torch
import torch.fx

from .leaving import Left, State, leave_behind
from .untyped import Untyped

_WIDER = {
    torch.float16: torch.float64,
    torch.bfloat16: torch.float64,
    torch.float32: torch.float64,
    torch.complex64: torch.complex128,
}
_CASTING_METHODS = frozenset({"float", "half", "bfloat16"})


class NoReferenceError(Exception):
    """The graph cannot be computed in float64, and why."""


def leave_in_double(module: Untyped, inputs: Mapping[str, Untyped], *, grad: bool, backward: bool) -> Left:
    """Return what a run in float64 leaves behind, but for what does not get wider by it.

    A dtype that the graph names is made wider, too, or the graph would go back to the
    narrow one; so does torch in its own check of accuracy.
    """
    wide = _widened(module)
    try:
        with _default_in_double():
            left = leave_behind(
                wide,
                {name: _wider(value) for name, value in inputs.items()},
                State(wide),
                grad=grad,
                backward=backward,
            )
    except Exception as error:
        message = f"{type(error).__name__}: {(str(error).splitlines() or [''])[0][:120]}"
        raise NoReferenceError(message) from error
    if not any(name.startswith(("output", "gradient")) and _is_wide(value) for name, value in left.items()):
        message = "the graph gives no floating-point numbers"
        raise NoReferenceError(message)
    return {name: value for name, value in left.items() if _is_wide(value) or _is_exact(value)}


def _widened(module: Untyped) -> Untyped:
    wide = copy.deepcopy(module).double()
    for inner in wide.modules():
        if isinstance(inner, torch.fx.GraphModule):
            for node in inner.graph.nodes:
                _widen(node)
            inner.recompile()
    return wide


def _widen(node: Untyped) -> None:
    leaves = torch.utils._pytree.tree_flatten((node.args, node.kwargs))[0]
    if any(isinstance(leaf, torch.dtype) for leaf in leaves) and _name(node) in {"view", "view_copy"}:
        message = "the graph reads the bits of numbers as another dtype"
        raise NoReferenceError(message)
    node.args = torch.fx.node.map_aggregate(node.args, _wider_dtype)
    node.kwargs = torch.fx.node.map_aggregate(node.kwargs, _wider_dtype)
    if node.op == "call_method" and node.target in _CASTING_METHODS:
        node.target = "double"


def _name(node: Untyped) -> str:
    """Return what a node calls, without where it is and which overload it is."""
    name = getattr(node.target, "_opname", None) or getattr(node.target, "__name__", None)
    return str(name or node.target)


def _wider_dtype(leaf: Untyped) -> Untyped:
    return _WIDER.get(leaf, leaf) if isinstance(leaf, torch.dtype) else leaf


def _wider(value: Untyped) -> Untyped:
    if not isinstance(value, torch.Tensor) or not (value.is_floating_point() or value.is_complex()):
        return value
    wide = torch.complex128 if value.is_complex() else torch.float64
    return value.detach().to(wide).requires_grad_(value.requires_grad)


def _is_wide(value: Untyped) -> bool:
    return isinstance(value, torch.Tensor) and value.dtype in {torch.float64, torch.complex128}


def _is_exact(value: Untyped) -> bool:
    return isinstance(value, torch.Tensor) and not (value.is_floating_point() or value.is_complex())


@contextlib.contextmanager
def _default_in_double() -> Iterator[None]:
    """Let what the graph makes without naming a dtype be wide as well."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        with warnings.catch_warnings():
            # Autocast says that it leaves float64 alone, which is what is wanted.
            warnings.simplefilter("ignore")
            yield
    finally:
        torch.set_default_dtype(before)
