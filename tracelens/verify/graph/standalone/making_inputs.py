"""The inputs of a graph: tensors of the sizes, strides and shared memory that the text gives, filled by us."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from enum import Enum
from typing import Any

import torch

from .objects import Objects, dtype_of
from .refusal import RefusalCode, RefusedError
from .sizes import checked_dimension, evaluate
from .untyped import Untyped

Dimensions = Mapping[tuple[str, int], int]


class Fill(Enum):
    """What tensors hold: the milder ones are for graphs that cannot take the others."""

    #: Normal numbers; integers are 0 or 1, for most are indices.
    NORMAL = "normal"
    #: Numbers above 0, for logarithms, roots and variances.
    POSITIVE = "positive"
    #: Numbers above 0; integers count up, as offsets and permutations do.
    POSITIONS = "positions"
    #: Numbers above 0; integers are 0, which is an index into anything.
    ZERO_INDICES = "zero-indices"


class InputMaker:
    """Makes the inputs of one graph, as often as they are needed."""

    def __init__(
        self,
        inputs: dict[str, Any],
        symbols: Mapping[str, Any],
        objects: Objects,
        memory_limit: int,
        *,
        offsets: Collection[str] = (),
    ) -> None:
        """Take the inputs of the IR and the values of its symbols; ``offsets`` are inputs whose integers stay small."""
        self._inputs = inputs
        self._symbols = dict(symbols)
        self._objects = objects
        self._memory_limit = memory_limit
        self._offsets = frozenset(offsets)

    def make(
        self,
        fill: Fill,
        *,
        seed: int = 0,
        symbols: Mapping[str, int] | None = None,
        dimensions: Dimensions | None = None,
    ) -> list[Any]:
        """Return new inputs; equal arguments give equal inputs.

        ``symbols`` and ``dimensions`` (parameter and index of a dimension) replace sizes.
        """
        values = {**self._symbols, **(symbols or {})}
        resized = dict(dimensions or {})
        for (name, index), size in resized.items():
            self._resize_symbol(name, index, size, values)
        self._check_memory(values)
        generator = torch.Generator().manual_seed(seed)
        filler = _Filler(fill, generator, self._objects)
        storages: dict[int, Any] = {}
        return [self._make_one(value, values, resized, storages, filler) for value in self._inputs["values"]]

    @property
    def names(self) -> list[str]:
        """Return the names of the inputs, in their order."""
        return [value["name"] for value in self._inputs["values"]]

    def require_gradients(self) -> None:
        """Let the parameters of the user's modules require a gradient, and all numbers where there are none."""
        floating = [
            value
            for value in self._inputs["values"]
            if value["kind"] == "tensor" and dtype_of(value["dtype"]).is_floating_point
        ]
        parameters = [value for value in floating if "_parameters_" in value["name"]]
        if not any(value["requires_grad"] for value in floating):
            for value in parameters or floating:
                value["requires_grad"] = True

    def share_memory(self) -> bool:
        """Tell whether two inputs are views of the same memory."""
        storages = [value["storage"] for value in self._inputs["values"] if value["kind"] == "tensor"]
        shared = [storage for storage in storages if storage is not None]
        return len(shared) > len(set(shared))

    def moves(self) -> bool:
        """Tell whether any input is made on another device than the text says."""
        devices = [value["device"] for value in self._inputs["values"] if value["kind"] == "tensor"]
        return any(self._objects.device(device) != device for device in devices)

    def fakes(self) -> list[Any]:
        """Return tensors without memory; to be called under a fake tensor mode."""
        made = []
        for value in self._inputs["values"]:
            if value["kind"] != "tensor":
                made.append(self._number(value, self._symbols))
                continue
            sizes, strides, _ = self._layout(value, self._symbols, {})
            device = self._objects.device(value["device"])
            made.append(torch.empty_strided(sizes, strides, dtype=dtype_of(value["dtype"]), device=device))
        return made

    def _resize_symbol(self, name: str, index: int, size: int, values: dict[str, Any]) -> None:
        for value in self._inputs["values"]:
            if value["name"] == name and value["kind"] == "tensor" and index < len(value["sizes"]):
                old = value["sizes"][index]
                if isinstance(old, dict) and "symbol" in old:
                    values[old["symbol"]] = size

    def _check_memory(self, values: Mapping[str, Any]) -> None:
        needed = sum(evaluate(storage["bytes"], values, storage["line"]) for storage in self._inputs["storages"])
        for value in self._inputs["values"]:
            if value["kind"] == "tensor":
                needed += _elements(*self._layout(value, values, {})) * dtype_of(value["dtype"]).itemsize
        if needed > self._memory_limit:
            raise RefusedError(RefusalCode.TOO_LARGE, f"inputs of {needed >> 20} MB")

    def _number(self, value: dict[str, Any], values: Mapping[str, Any]) -> int | float:
        if value["kind"] == "float":
            return 0.5 if value["value"] is None else float(value["value"])
        return evaluate(value["size"], values, value["line"])

    def _layout(
        self, value: dict[str, Any], values: Mapping[str, Any], resized: Dimensions
    ) -> tuple[list[int], list[int], int]:
        line = value["line"]
        sizes = [
            checked_dimension(resized.get((value["name"], index), evaluate(size, values, line)), line)
            for index, size in enumerate(value["sizes"])
        ]
        given = value["strides"]
        is_resized = any(name == value["name"] for name, _ in resized)
        if given is None or (is_resized and not any(isinstance(stride, dict) for stride in given)):
            strides = [math.prod(max(size, 1) for size in sizes[index + 1 :]) for index in range(len(sizes))]
        else:
            strides = [evaluate(stride, values, line) for stride in given]
        offset = evaluate(value["offset"], values, line)
        if len(strides) != len(sizes) or offset < 0 or any(stride < 0 for stride in strides):
            raise RefusedError(RefusalCode.INPUT, "strides of an input", line)
        return sizes, strides, offset

    def _make_one(
        self,
        value: dict[str, Any],
        values: Mapping[str, Any],
        resized: Dimensions,
        storages: dict[int, Any],
        filler: _Filler,
    ) -> Untyped:
        if value["kind"] != "tensor":
            return self._number(value, values)
        sizes, strides, offset = self._layout(value, values, resized)
        dtype = dtype_of(value["dtype"])
        count = _elements(sizes, strides, offset)
        base = None
        if value["storage"] is not None:
            base = self._shared(value["storage"], values, storages, filler, dtype)
        if base is None or base.numel() < count:
            base = filler.fill(count, dtype, value["device"])
        if value["name"] in self._offsets:
            # In place, for it may be memory that other inputs view.
            base.remainder_(2)
        made = torch.as_strided(base, sizes, strides, offset)
        if value["requires_grad"] and (dtype.is_floating_point or dtype.is_complex):
            made = made.detach().requires_grad_()
        return made

    def _shared(
        self,
        index: int,
        values: Mapping[str, Any],
        storages: dict[int, Any],
        filler: _Filler,
        dtype: Untyped,
    ) -> Untyped:
        """Return the memory that several inputs may view, as this dtype."""
        storage = self._inputs["storages"][index]
        if index not in storages:
            own = dtype_of(storage["dtype"])
            count = evaluate(storage["bytes"], values, storage["line"]) // own.itemsize
            storages[index] = filler.fill(count, own, storage["device"])
        base = storages[index]
        if base.dtype == dtype:
            return base
        return base.view(dtype) if base.numel() * base.dtype.itemsize % dtype.itemsize == 0 else None


class _Filler:
    def __init__(self, fill: Fill, generator: Untyped, objects: Objects) -> None:
        self._fill = fill
        self._generator = generator
        self._objects = objects

    def fill(self, count: int, dtype: Untyped, device: str) -> Untyped:
        """Return a flat tensor; numbers are drawn on the CPU, so that they are the same on every device."""
        return self._numbers(count, dtype).to(self._objects.device(device))

    def _numbers(self, count: int, dtype: Untyped) -> Untyped:
        if dtype.is_complex:
            return torch.randn(count, generator=self._generator, dtype=torch.complex64).to(dtype)
        if dtype.is_floating_point:
            numbers = torch.randn(count, generator=self._generator)
            return (numbers if self._fill is Fill.NORMAL else numbers.abs() + 0.1).to(dtype)
        if dtype == torch.bool:
            return torch.rand(count, generator=self._generator) > 0.5
        if self._fill is Fill.ZERO_INDICES:
            return torch.zeros(count, dtype=dtype)
        if self._fill is Fill.POSITIONS:
            return torch.arange(count).to(dtype)
        low, high = (-8, 8) if dtype == torch.int8 else (0, 2)
        return torch.randint(low, high, (count,), generator=self._generator).to(dtype)


def _elements(sizes: list[int], strides: list[int], offset: int) -> int:
    """Return how many elements a view reaches over, from the start of its memory."""
    if any(size == 0 for size in sizes):
        return offset
    return offset + 1 + sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True))
