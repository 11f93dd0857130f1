"""Values of the IR to objects of Python and torch."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from .refusal import RefusalCode, RefusedError
from .resolving import resolve_operator
from .untyped import Json, Untyped
from .values import DEVICE, DTYPES, LAYOUTS, MEMORY_FORMATS

_DEVICE_KIND = re.compile(r"[a-z]+")
_LITERALS: dict[str, Callable[[Json], Untyped]] = {
    "float": float,
    "complex": lambda parts: complex(float(parts[0]), float(parts[1])),
    "string": str,
    "ellipsis": lambda _: Ellipsis,
    "operator": resolve_operator,
}
_TORCH_CONSTANTS = {"dtype": DTYPES, "layout": LAYOUTS, "memory_format": MEMORY_FORMATS}


class Objects:
    """Makes objects; knows the nodes of one graph and where devices are sent."""

    def __init__(self, devices: Mapping[str, str]) -> None:
        """Send each kind of device (``cuda``) to another, or leave it."""
        self._devices = devices
        #: Whether any device was sent elsewhere.
        self.moved = False

    def device(self, device: str) -> str:
        """Return where a tensor of this device is made."""
        kind = _DEVICE_KIND.match(device)
        if not DEVICE.match(device) or kind is None:
            raise RefusedError(RefusalCode.CONSTRUCT, f"device {device[:40]}")
        to = self._devices.get(kind[0]) or _here(kind[0], device)
        self.moved = self.moved or to != device
        return to

    def make(self, value: Json, nodes: Sequence[Any] = ()) -> Json:  # noqa: PLR0911 - one for each kind of value
        """Return the object for a value; ``nodes`` are those made so far."""
        if value is None or isinstance(value, bool | int):
            return value
        ((kind, content),) = value.items()
        if kind == "node":
            return nodes[content]
        if kind in {"list", "tuple", "slice"}:
            items = [self.make(item, nodes) for item in content]
            return items if kind == "list" else slice(*items) if kind == "slice" else tuple(items)
        if kind == "dict":
            return {self.make(key): self.make(item, nodes) for key, item in content}
        if kind == "device":
            return torch.device(self.device(content))
        if kind in _TORCH_CONSTANTS and content in _TORCH_CONSTANTS[kind]:
            return getattr(torch, content)
        if kind in _LITERALS:
            return _LITERALS[kind](content)
        raise RefusedError(RefusalCode.CONSTRUCT, f"{kind} {content}")


def _here(kind: str, device: str) -> str:
    """Return a device that this machine has; what ran on the fourth of its kind can run on the first."""
    if kind in {"cpu", "meta"}:
        return device
    module = getattr(torch, kind, None)
    if module is None or not module.is_available():
        raise RefusedError(RefusalCode.INPUT, f"no {kind} device is here")
    index = int(device.partition(":")[2] or 0)
    return device if index < module.device_count() else kind


def dtype_of(name: str) -> Untyped:
    """Return a dtype, unless this torch has none of that name."""
    if name not in DTYPES or not hasattr(torch, name):
        raise RefusedError(RefusalCode.INPUT, f"dtype {name} is not in torch {torch.__version__}")
    return getattr(torch, name)
