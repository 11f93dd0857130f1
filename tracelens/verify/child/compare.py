"""Are the outputs of compiled code right? Judged against float64 where that can be had.

Tolerances follow the dtype. What differs from eager by more is still right if it
is about as near to the same computation in float64 as eager is, for both round.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .result import Result

#: Relative tolerance by the name of the dtype; scaled by the size of the output.
_TOLERANCES = {"torch.float16": 1e-2, "torch.bfloat16": 3e-2, "torch.float64": 1e-7, "torch.complex128": 1e-7}
_USUAL = 1e-4
#: How much worse than eager compiled code may be, measured against float64.
_ALLOWED_ERROR = 3.0


def tensors_in(value: Any) -> list[Any]:  # noqa: ANN401 - any output of a model
    """Return the leaves of nested outputs, in order."""
    from torch.utils._pytree import tree_leaves

    return [leaf for leaf in tree_leaves(value) if leaf is not None]


def compare(expected: Sequence[Any], got: Sequence[Any], precise: Sequence[Any] | None, result: Result) -> None:
    """Put the largest error into the result, and each output that is wrong.

    ``precise`` are the outputs computed in float64, or ``None``.
    """
    wrong = result.facts.setdefault("wrong", [])
    if len(expected) != len(got):
        wrong.append(f"{len(got)} outputs in place of {len(expected)}")
        return
    for number, (want, have) in enumerate(zip(expected, got, strict=True)):
        better = precise[number] if precise is not None and len(precise) == len(expected) else None
        problem = _difference(want, have, better, result)
        if problem:
            wrong.append(f"output {number}: {problem}")


def _difference(want: Any, have: Any, precise: Any, result: Result) -> str | None:  # noqa: ANN401 - tensors or numbers
    import torch

    if not isinstance(want, torch.Tensor):
        return None if want == have else f"{have!r} in place of {want!r}"
    if want.shape != have.shape or want.dtype != have.dtype:
        return f"{have.dtype}{list(have.shape)} in place of {want.dtype}{list(want.shape)}"
    want, have = want.detach().cpu(), have.detach().cpu()
    if not (want.is_floating_point() or want.is_complex()):
        return None if torch.equal(want, have) else f"differs in {int((want != have).sum())} of {want.numel()} places"
    return _error(want, have, precise, result)


def _error(want: Any, have: Any, precise: Any, result: Result) -> str | None:  # noqa: ANN401 - tensors
    import torch

    wide = torch.complex128 if want.is_complex() else torch.float64
    want_wide, have_wide = want.to(wide), have.to(wide)
    if not torch.equal(want_wide.isnan(), have_wide.isnan()):
        return "NaN in other places"
    error = _largest(want_wide - have_wide)
    result.facts["max_abs_error"] = max(result.facts.get("max_abs_error", 0.0), error)
    scale = max(1.0, _largest(want_wide))
    if error <= _TOLERANCES.get(str(want.dtype), _USUAL) * scale:
        return None
    if precise is not None and precise.shape == want.shape:
        exact = precise.detach().cpu().to(wide)
        if _spread(have_wide - exact) <= _ALLOWED_ERROR * _spread(want_wide - exact) + 1e-9 * scale:
            return None
    return f"off by {error:.3g}"


def _largest(values: Any) -> float:  # noqa: ANN401 - a tensor
    finite = values.abs().nan_to_num(nan=0.0, posinf=0.0)
    return float(finite.max()) if finite.numel() else 0.0


def _spread(values: Any) -> float:  # noqa: ANN401 - a tensor
    return float(values.abs().nan_to_num(nan=0.0, posinf=0.0).square().mean().sqrt())
