"""What a run of a graph leaves behind: outputs, inputs and buffers that it changed, gradients."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import torch
import torch.fx

from .untyped import Untyped
from .unwinding import unwound

#: Everything that a run leaves, by what it is, such as "output 0" or "gradient of x".
Left = dict[str, Untyped]

_SEED = 1234


class State:
    """The parameters and buffers of a module as they are now, to begin each run with."""

    def __init__(self, module: Untyped) -> None:
        """Keep them."""
        self._now = {**dict(module.named_parameters()), **dict(module.named_buffers())}
        self._kept = {name: value.detach().clone() for name, value in self._now.items()}

    def begin(self) -> None:
        """Take back what runs have changed, and seed random numbers, so that a run is like the one before."""
        torch.manual_seed(_SEED)
        for name, value in self._now.items():
            value.data.copy_(self._kept[name])
            value.grad = None

    def __iter__(self) -> Iterator[tuple[str, Untyped]]:
        """Yield names and the tensors themselves."""
        return iter(self._now.items())


def leave_behind(
    call: Callable[..., Untyped], inputs: Mapping[str, Untyped], state: State, *, grad: bool, backward: bool
) -> Left:
    """Run once from the state that was kept, and return all that can be compared."""
    state.begin()
    with torch.set_grad_enabled(grad), unwound():
        outputs = flat(call(*inputs.values()))
        if backward:
            go_backward(outputs)
    left: Left = {f"output {number}": _detached(output) for number, output in enumerate(outputs)}
    # The next run begins with writing to the module's own tensors.
    kept = {f"constant {name}": (value, value.detach().clone()) for name, value in state}
    given = {f"input {name}": (value, value.detach()) for name, value in inputs.items() if _is_tensor(value)}
    for name, (value, after) in {**given, **kept}.items():
        left[name] = after
        if backward and value.grad is not None:
            left[f"gradient of {name}"] = value.grad
    return left


def go_backward(outputs: Sequence[Untyped]) -> None:
    """Run the backward pass of all outputs that have one."""
    ends = [output for output in outputs if _is_tensor(output) and output.requires_grad]
    if ends:
        torch.autograd.backward(ends, [_tangent(end) for end in ends])


def flat(outputs: Untyped) -> list[Untyped]:
    """Return the leaves of nested outputs."""
    leaves: list[Untyped] = torch.utils._pytree.tree_flatten(outputs)[0]
    return leaves


def _detached(value: Untyped) -> Untyped:
    return value.detach() if _is_tensor(value) else value


def _is_tensor(value: Untyped) -> bool:
    return isinstance(value, torch.Tensor)


def _tangent(output: Untyped) -> Untyped:
    """Return numbers that every dtype holds exactly; were they equal, many gradients would be 0."""
    numbers = torch.arange(output.numel(), device=output.device) % 5 * 0.25 + 0.5
    return numbers.to(output.dtype).reshape(output.shape)
