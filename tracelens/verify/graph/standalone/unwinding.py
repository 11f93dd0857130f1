"""Leaves the levels of ``torch.func`` that a graph entered and, for an error in between, did not leave."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def unwound() -> Iterator[None]:
    """Run what is inside; afterwards no level is open, so that the next run is not within one."""
    try:
        yield
    finally:
        functorch = torch._C._functorch
        # Releases before 2.1 have no stack to look at; a graph that fails there is not run again.
        look = getattr(functorch, "peek_interpreter_stack", None)
        while look is not None and look() is not None:
            functorch.pop_dynamic_layer_stack()
        enable = getattr(torch._C._autograd, "_saved_tensors_hooks_enable", None)
        if enable is not None:
            enable()
