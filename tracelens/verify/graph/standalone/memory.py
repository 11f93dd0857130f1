"""How much memory a graph needs, found out with fake tensors, which have sizes and no memory."""

from __future__ import annotations

import torch
import torch.fx
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.symbolic_shapes import ShapeEnv

from .making_inputs import InputMaker
from .refusal import RefusalCode, RefusedError
from .untyped import Untyped
from .unwinding import unwound

#: All results of a graph are never alive at once.
_RESULTS_ALIVE = 8


class _Meter(torch.fx.Interpreter):  # type: ignore[misc] # torch is not typed here
    def __init__(self, module: Untyped, limit: int) -> None:
        super().__init__(module)
        self.total = 0
        self._limit = limit

    def run_node(self, node: Untyped) -> Untyped:
        result = super().run_node(node)
        for leaf in torch.utils._pytree.tree_flatten(result)[0]:
            if isinstance(leaf, torch.Tensor):
                self._count(leaf, str(node.target))
        return result

    def _count(self, tensor: Untyped, name: str) -> None:
        # Strides can reach far beyond the number of elements, so ask the storage.
        size = tensor.untyped_storage().nbytes()
        size = size if isinstance(size, int) else 0
        self.total += size
        if size > self._limit or self.total > _RESULTS_ALIVE * self._limit:
            raise RefusedError(RefusalCode.TOO_LARGE, f"{name} needs more than {self._limit >> 20} MB")


def bytes_of_results(module: Untyped, inputs: InputMaker, limit: int) -> int:
    """Return the sum over all nodes; 0 where the sizes depend on data, and so on a real run."""
    mode = FakeTensorMode(allow_non_fake_inputs=True, shape_env=ShapeEnv())
    meter = _Meter(module, limit)
    with mode, torch.no_grad(), unwound():
        try:
            meter.run(*inputs.fakes())
        except RefusedError:
            raise
        except Exception:  # noqa: BLE001 - what eager thinks of the graph is found out by eager
            return meter.total
    return meter.total
