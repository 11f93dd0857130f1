"""A graph that was built: its inputs, and its runs in eager."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import torch
import torch.fx

from .adapting import in_eager
from .double import NoReferenceError, leave_in_double
from .leaving import Left, State, flat, go_backward, leave_behind
from .making_inputs import Dimensions, Fill, InputMaker
from .refusal import RefusalCode, RefusedError
from .resolving import is_random
from .untyped import Untyped
from .unwinding import unwound

#: For the inputs, and for one node of the graph.
MEMORY_LIMIT = 2 << 30
_MANY_NAN = 0.5


class EagerRun(NamedTuple):
    """What the graph leaves behind without the compiler.

    ``unstable`` names what differs between two runs with the same inputs and seed, from
    memory that nobody wrote: it cannot be compared with anything.
    """

    fill: Fill
    left: Left
    unstable: frozenset[str]

    @property
    def outputs(self) -> list[Any]:
        """Return the outputs alone, flat."""
        return [value for name, value in self.left.items() if name.startswith("output ")]


class BuiltGraph:
    """A graph that can be run, and how to make its inputs."""

    def __init__(self, module: Untyped, inputs: InputMaker, ir: dict[str, Untyped]) -> None:
        """Keep what was built."""
        self.module = module
        #: The same, for eager.
        self.eager = in_eager(module)
        self.level: str = ir["level"]
        self.symbolic = any(value["kind"] != "tensor" for value in ir["inputs"]["values"])
        self.symbols: dict[str, Any] = ir["symbols"]
        self.random_operators = tuple(sorted(_random_operators(module)))
        self.with_grad = ir["level"] == "dynamo"
        self.notes = list(_notes(ir, self.random_operators))
        self._inputs = inputs
        self._backward = self.with_grad
        self._state = State(module)

    def train(self, *, trained: bool | None) -> None:
        """Say whether the program went backward through the graph; ``None`` leaves it to the inputs of the text.

        A printed graph does not say what requires a gradient; parameters do.
        """
        if trained is False:
            self.with_grad = self._backward = False
        elif trained and self.with_grad:
            self._inputs.require_gradients()

    def make_inputs(
        self,
        fill: Fill = Fill.NORMAL,
        *,
        seed: int = 0,
        symbols: Mapping[str, int] | None = None,
        dimensions: Dimensions | None = None,
    ) -> list[Any]:
        """Return new inputs; equal arguments give equal inputs.

        ``symbols`` replaces values of size symbols; ``dimensions`` sizes by parameter and
        index, together with the symbol where the size is one.
        """
        return self._inputs.make(fill, seed=seed, symbols=symbols, dimensions=dimensions)

    @contextlib.contextmanager
    def grad_mode(self) -> Iterator[None]:
        """Run what is inside as the graph was meant to be: those after AOTAutograd record nothing."""
        with torch.set_grad_enabled(self.with_grad):
            yield

    def begin(self) -> None:
        """Take back what runs have changed in the module, and seed random numbers."""
        self._state.begin()

    def run_once(self, inputs: list[Any]) -> list[Any]:
        """Run the graph forward without the compiler and return its outputs, flat."""
        self.begin()
        with self.grad_mode(), unwound():
            return flat(self.eager(*inputs))

    def leave(self, call: Callable[..., Any], inputs: Sequence[Any]) -> Left:
        """Return what a run of this or of compiled code leaves behind, the gradients included."""
        return leave_behind(call, self._named(inputs), self._state, grad=self.with_grad, backward=self._backward)

    def step(self, call: Callable[..., Any], inputs: Sequence[Any]) -> None:
        """Run once, backward as well, and keep nothing."""
        for value in (*inputs, *self.module.parameters()):
            if isinstance(value, torch.Tensor):
                value.grad = None
        with self.grad_mode():
            outputs = flat(call(*inputs))
            if self._backward:
                go_backward(outputs)

    def run_eager(self) -> EagerRun:
        """Run the graph on the first kind of inputs that it can take.

        Where it takes none, that is refused: inputs that we made prove nothing.
        """
        problem = "they give no numbers"
        for fill in Fill:
            try:
                left, again = self._left(fill), self._left(fill)
            except (IndexError, RuntimeError, ValueError) as error:
                problem = f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}"
                continue
            if fill is Fill.NORMAL and _share_of_nan(left) > _MANY_NAN:
                continue
            unstable = frozenset(name for name in left if name not in again or not same(left[name], again[name]))
            return EagerRun(fill=fill, left=left, unstable=unstable)
        raise RefusedError(RefusalCode.INPUT, f"none of our inputs fit in eager: {problem}")

    def leave_in_double(self, fill: Fill) -> Left:
        """Return what a run in float64 leaves behind; raises ``NoReferenceError`` where there is no such thing."""
        if self._inputs.share_memory():
            message = "inputs share memory"
            raise NoReferenceError(message)
        named = self._named(self.make_inputs(fill))
        return leave_in_double(self.module, named, grad=self.with_grad, backward=self._backward)

    def check_memory(self, limit: int = MEMORY_LIMIT) -> int:
        """Return the bytes of all intermediate results, or refuse before any is allocated."""
        from .memory import bytes_of_results

        return bytes_of_results(self.module, self._inputs, limit)

    def _named(self, inputs: Sequence[Any]) -> dict[str, Any]:
        return dict(zip(self._inputs.names, inputs, strict=True))

    def _left(self, fill: Fill) -> Left:
        try:
            return self.leave(self.eager, self.make_inputs(fill))
        except RuntimeError as error:
            # An optimizer writes to its parameters, which were no leaves for the graph.
            if self.with_grad and "leaf Variable" in str(error):
                self.with_grad = self._backward = False
                self.notes.append("run without recording gradients: the graph writes to its parameters")
            elif self._backward and self._runs_forward(fill):
                self._backward = False
                self.notes.append("run without the backward pass, which does not work with inputs made by us")
            else:
                raise
            return self.leave(self.eager, self.make_inputs(fill))

    def _runs_forward(self, fill: Fill) -> bool:
        try:
            self.run_once(self.make_inputs(fill))
        except RuntimeError:
            return False
        return True


def same(one: Untyped, other: Untyped) -> bool:
    """Tell whether two outputs are equal, bit by bit but for the kind of NaN."""
    if not isinstance(one, torch.Tensor) or not isinstance(other, torch.Tensor):
        return type(one) is type(other) and bool(one == other or (one != one and other != other))  # noqa: PLR0124 - NaN
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    if one.is_meta and other.is_meta:
        return True
    if one.dtype.is_floating_point and one.dtype.itemsize > 1:
        return bool(((one == other) | (one.isnan() & other.isnan())).all())
    if one.dtype.is_floating_point:
        return same(one.float(), other.float())
    return bool(torch.equal(one, other))


def _random_operators(module: Untyped) -> set[str]:
    return {
        str(getattr(node.target, "__name__", node.target))
        for inner in module.modules()
        if isinstance(inner, torch.fx.GraphModule)
        for node in inner.graph.nodes
        if node.op in {"call_function", "call_method"} and is_random(node.target, node.args)
    }


def _notes(ir: dict[str, Any], random_operators: tuple[str, ...]) -> Iterator[str]:
    if random_operators:
        yield f"values not compared: random numbers from {', '.join(random_operators[:4])}"
    if ir["chosen_symbols"]:
        values = ", ".join(f"{name}={ir['symbols'][name]}" for name in ir["chosen_symbols"][:4])
        yield f"sizes chosen by us: {values}"
    if any(constant["make"] != "tensor" for constant in ir["graph"]["constants"].values()):
        yield "constants of the graph filled by us: the text has only their sizes"
    if not all(value.get("device_known", True) for value in ir["inputs"]["values"]):
        yield "the text does not name the device of the inputs; cpu assumed"


def _share_of_nan(left: Left) -> float:
    shares = [
        float(value.float().isnan().float().mean())
        for name, value in left.items()
        if name.startswith("output ")
        and isinstance(value, torch.Tensor)
        and not value.is_meta
        and value.is_floating_point()
        and value.numel()
    ]
    return max(shares, default=0.0)
