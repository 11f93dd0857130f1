"""Names of the IR to objects of torch; every name is checked once more, whoever wrote the IR.

Operators are allowed by the shape of their schema: tensors go in or come out, and
neither files nor streams nor storages do.
"""

from __future__ import annotations

import builtins
import importlib
import math
import operator
from collections.abc import Callable
from typing import Any

import torch

from .functions import BUILTIN, checked_function
from .operators import checked_operator
from .refusal import RefusalCode, RefusedError
from .untyped import Untyped

#: Modules of torch that register the operators of a namespace when they are imported.
_REGISTERED_BY = {
    "quantized_decomposed": ("torch.ao.quantization.fx._decomposed",),
    "prims": ("torch._prims", "torch._inductor.inductor_prims"),
    "rngprims": ("torch._prims.rng_prims",),
    "higher_order": (
        "torch._higher_order_ops",
        "torch._higher_order_ops.associative_scan",
        "torch._higher_order_ops.map",
        "torch._higher_order_ops.scan",
        "torch._higher_order_ops.wrap",
        "torch._prims.rng_prims",
    ),
}
#: Operators without a tensor that check or bound a size.
_SIZE_CHECKS = frozenset(
    {"_assert_scalar", "_functional_assert_scalar", "sym_constrain_range", "sym_constrain_range_for_size"}
)
_OPAQUE_TYPES = frozenset({"Storage", "Stream", "QScheme"})
_PYTHON = {name: getattr(builtins, name) for name in BUILTIN}
_ROOTS = {"torch": torch, "operator": operator, "_operator": operator, "math": math}


def resolve_operator(name: str, line: int | None = None) -> Callable[..., Any]:
    """Return the operator, its overload where the name has one."""
    checked_operator(name, line)
    namespace, *path = name.split(".")[2:]
    for module in _REGISTERED_BY.get(namespace, ()):
        _import_if_there(module)
    found: Any = getattr(torch.ops, namespace)
    for part in path:
        found = getattr(found, part, None)
    if found is None:
        raise RefusedError(RefusalCode.OPERATOR, f"operator {name} is not in torch {torch.__version__}", line)
    if not isinstance(found, torch._ops.OpOverloadPacket):
        _check_schema(found, name, line)
        return found  # type: ignore[no-any-return] # torch is not typed here
    # Without the name of an overload torch picks one by the arguments; those on lists and strings must be no choice.
    overloads = [getattr(found, overload) for overload in found.overloads()]
    with_tensors = [overload for overload in overloads if _has_tensor(overload._schema)]
    found = with_tensors[0] if len(with_tensors) == 1 else found
    for overload in with_tensors if len(with_tensors) == 1 else overloads:
        _check_schema(overload, name, line)
    return found  # type: ignore[no-any-return] # torch is not typed here


def _import_if_there(module: str) -> None:
    try:
        importlib.import_module(module)
    except ImportError:
        # Another release keeps it elsewhere; what is missing is told when the operator is looked up.
        return


def _check_schema(overload: Untyped, name: str, line: int | None) -> None:
    if isinstance(overload, torch._ops.HigherOrderOperator):
        return
    if not isinstance(overload, torch._ops.OpOverload):
        raise RefusedError(RefusalCode.OPERATOR, f"{name} is no operator", line)
    schema = overload._schema
    types = [(argument.name, str(argument.type)) for argument in schema.arguments]
    # TorchScript's operators on lists and strings allocate whatever they are told to.
    if not _has_tensor(schema) and name.split(".")[3] not in _SIZE_CHECKS:
        raise RefusedError(RefusalCode.OPERATOR, f"operator {name} without a tensor", line)
    for argument, kind in types:
        if kind in _OPAQUE_TYPES or (kind == "str" and argument in {"filename", "path"}):
            raise RefusedError(RefusalCode.OPERATOR, f"operator {name} with a {kind} argument", line)


def _has_tensor(schema: Untyped) -> bool:
    return any("Tensor" in str(value.type) for value in (*schema.arguments, *schema.returns))


def resolve_function(name: str, line: int | None = None) -> Callable[..., Any]:
    """Return a function of torch, ``operator``, ``math`` or the few builtins."""
    if name == "getattr":
        return getattr
    checked_function(name, line)
    root, *path = name.removeprefix("builtins.").split(".")
    if not path:
        return _PYTHON[root]  # type: ignore[no-any-return] # builtins
    found: Any = _ROOTS[root]
    for part in path:
        found = getattr(found, part, None)
    if not callable(found):
        raise RefusedError(RefusalCode.FUNCTION, f"function {name} is not in torch {torch.__version__}", line)
    return found  # type: ignore[no-any-return] # torch is not typed here


def is_random(target: Untyped, args: tuple[Untyped, ...]) -> bool:
    """Tell whether an operator or function draws random numbers."""
    name = getattr(target, "__name__", str(target))
    if "scaled_dot_product" in str(target):
        return any(isinstance(argument, float) and 0 < argument <= 1 for argument in args[3:6])
    if isinstance(target, torch._ops.OpOverload):
        seeded = getattr(torch.Tag, "nondeterministic_seeded", None)
        if seeded is not None and seeded in target.tags:
            return True
    return any(word in name for word in _RANDOM_WORDS)


_RANDOM_WORDS = (
    "rand", "dropout", "bernoulli", "normal_", "multinomial", "poisson", "inductor_seed", "inductor_lookup", "philox",
    "uniform", "exponential", "rrelu", "gumbel", "geometric", "fractional_max_pool", "binomial", "rng_state",
)  # fmt: skip
