"""Are the outputs of compiled code right? Judged against float64 where that can be had.

Both eager and compiled code round. Where the same computation can be had in float64,
compiled code is right if it is about as near to that as eager is; where not, if it is
near to eager, by a tolerance of the dtype.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .result import Result

#: Relative tolerance by the name of the dtype; scaled by the size of the output.
_TOLERANCES = {"torch.float16": 1e-2, "torch.bfloat16": 3e-2, "torch.float64": 1e-7, "torch.complex128": 1e-7}
_USUAL = 1e-4
#: Roundings of the dtype that are no matter where the result is near 0.
_STEPS = 10
_FEW = 16
#: How much worse than eager compiled code may be, measured against float64.
_ALLOWED_ERROR = 3.0


def tensors_in(value: Any) -> list[Any]:  # noqa: ANN401 - any output of a model
    """Return the leaves of nested outputs, in order."""
    from torch.utils._pytree import tree_leaves

    return [leaf for leaf in tree_leaves(value) if leaf is not None]


def compare(expected: Sequence[Any], got: Sequence[Any], precise: Sequence[Any] | None, result: Result) -> None:
    """Compare outputs by their place; ``precise`` are those computed in float64, or ``None``."""
    compare_named(_by_place(expected), _by_place(got), _by_place(precise or ()), result)


def _by_place(outputs: Sequence[Any]) -> dict[str, Any]:
    return {f"output {number}": value for number, value in enumerate(outputs)}


def compare_named(
    expected: Mapping[str, Any], got: Mapping[str, Any], precise: Mapping[str, Any], result: Result
) -> None:
    """Put the largest error into the result, and each value that is wrong.

    ``precise`` has those that could be computed in float64.
    """
    wrong = result.facts.setdefault("wrong", [])
    wrong += [f"{name} is missing" for name in expected if name not in got]
    wrong += [f"{name} is there and is not in eager" for name in got if name not in expected]
    for name, want in expected.items():
        problem = _difference(want, got[name], precise.get(name), result) if name in got else None
        if problem:
            wrong.append(f"{name}: {problem}")


def _difference(want: Any, have: Any, precise: Any, result: Result) -> str | None:  # noqa: ANN401 - tensors or numbers
    import torch

    if not isinstance(want, torch.Tensor):
        return None if want == have or (want != want and have != have) else f"{have!r} in place of {want!r}"  # noqa: PLR0124 - NaN
    if not isinstance(have, torch.Tensor) or want.shape != have.shape or want.dtype != have.dtype:
        return f"{_kind_of(have)} in place of {_kind_of(want)}"
    tolerance = _TOLERANCES.get(str(want.dtype), _USUAL)
    exact = precise.detach().cpu() if precise is not None and precise.shape == want.shape else None
    want, have = want.detach().cpu(), have.detach().cpu()
    if not (want.is_floating_point() or want.is_complex()):
        return _other_places(want, have, exact)
    least = min(tolerance, _STEPS * torch.finfo(want.dtype).eps)
    if want.is_complex():
        # Infinity and NaN are a matter of each part.
        want, have = torch.view_as_real(want), torch.view_as_real(have)
        exact = None if exact is None else torch.view_as_real(exact)
    problem, error = _error(want.double(), have.double(), None if exact is None else exact.double(), tolerance, least)
    result.facts["max_abs_error"] = max(result.facts.get("max_abs_error", 0.0), error)
    return problem


def _kind_of(value: Any) -> str:  # noqa: ANN401 - whatever came out
    return f"{value.dtype}{list(value.shape)}" if hasattr(value, "shape") else repr(value)[:80]


def _other_places(want: Any, have: Any, exact: Any) -> str | None:  # noqa: ANN401 - tensors
    """Compare numbers that are not rounded; a comparison of rounded ones may go either way, so float64 decides."""
    other = want != have
    if exact is not None:
        other &= have != exact
    return f"differs in {int(other.sum())} of {want.numel()} places" if other.any() else None


def _error(want: Any, have: Any, exact: Any, tolerance: float, least: float) -> tuple[str | None, float]:  # noqa: ANN401 - tensors
    """Say how two tensors of real numbers differ, if by more than rounding; and by how much at most."""
    odd = ~((want == have) | (want.isnan() & have.isnan()) | (want.isfinite() & have.isfinite()))
    if exact is not None:
        # Where eager overflows, code that rounds less need not; it is compared with float64 below.
        odd &= ~(have.isfinite() & exact.isfinite())
    if odd.any():
        return f"NaN or infinity in {int(odd.sum())} other places", 0.0
    both = want.isfinite() & have.isfinite()
    error = _largest(want[both] - have[both])
    is_near = error <= tolerance * max(1.0, _largest(want[both]))
    if exact is None:
        return None if is_near else f"off by {error:.3g}", error
    # Of a few numbers one can be right by luck, and no measure for the others.
    if want.numel() < _FEW and is_near:
        return None, error
    usable = have.isfinite() & exact.isfinite()
    ours, theirs = _spread(have[usable] - exact[usable]), _spread(want[both & usable] - exact[both & usable])
    if ours <= _ALLOWED_ERROR * theirs + tolerance * _spread(exact[usable]) + least:
        return None, error
    return f"off by {error:.3g}, and from float64 by {ours:.3g} where eager is by {theirs:.3g}", error


def _largest(values: Any) -> float:  # noqa: ANN401 - a tensor
    return float(values.abs().max()) if values.numel() else 0.0


def _spread(values: Any) -> float:  # noqa: ANN401 - a tensor
    return float(values.square().mean().sqrt()) if values.numel() else 0.0
