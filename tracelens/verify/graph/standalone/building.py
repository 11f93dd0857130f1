"""Data (the IR) to a graph of FX, in a child process with the user's torch.

What comes out is code that FX makes from names that passed the allow lists, and
tensors that we filled. ``RefusedError`` says what this torch or this machine lacks.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import torch
import torch.fx

from .functions import checked_attribute, checked_method
from .making_inputs import Dimensions, Fill, InputMaker
from .members import MODULES
from .objects import Objects
from .refusal import RefusalCode, RefusedError
from .resolving import is_random, resolve_function, resolve_operator
from .untyped import Untyped
from .unwinding import unwound
from .values import IDENTIFIER

__all__ = ["BuiltGraph", "EagerRun", "Fill", "RefusedError", "build_graph"]

#: For the inputs, and for one node of the graph.
MEMORY_LIMIT = 2 << 30
_READ_OPAQUE_MEMORY = frozenset(
    {"aten.mkldnn_rnn_layer_backward", "aten._cudnn_rnn_backward", "aten.miopen_rnn_backward"}
)
_SEED = 1234
_MANY_NAN = 0.5


class EagerRun(NamedTuple):
    """What the graph gives without the compiler.

    ``unstable`` are the outputs that differ between two runs with the same inputs and
    seed, from memory that nobody wrote: they cannot be compared with anything.
    """

    fill: Fill
    outputs: list[Any]
    unstable: tuple[int, ...]


class BuiltGraph:
    """A graph that can be run, and how to make its inputs."""

    def __init__(self, module: Untyped, inputs: InputMaker, ir: dict[str, Untyped]) -> None:
        """Keep what was built."""
        self.module = module
        self.level: str = ir["level"]
        self.symbolic = any(value["kind"] != "tensor" for value in ir["inputs"]["values"])
        self.symbols: dict[str, Any] = ir["symbols"]
        self.random_operators = tuple(sorted(_random_operators(module)))
        self.with_grad = ir["level"] == "dynamo"
        self.notes = list(_notes(ir, self.random_operators))
        self._inputs = inputs

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

    def run_once(self, inputs: list[Any]) -> list[Any]:
        """Run the graph without the compiler and return its outputs, flat."""
        torch.manual_seed(_SEED)
        with self.grad_mode(), unwound():
            return flat(self.module(*inputs))

    def run_eager(self) -> EagerRun:
        """Run the graph on the first kind of inputs that it can take.

        Where it takes none, that is refused: inputs that we made prove nothing.
        """
        problem = "they give no numbers"
        for fill in Fill:
            try:
                outputs = self._outputs(fill)
            except (IndexError, RuntimeError, ValueError) as error:
                problem = f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}"
                continue
            if fill is Fill.NORMAL and _share_of_nan(outputs) > _MANY_NAN:
                continue
            again = self._outputs(fill)
            unstable = tuple(index for index, pair in enumerate(zip(outputs, again, strict=True)) if not same(*pair))
            return EagerRun(fill=fill, outputs=outputs, unstable=unstable)
        raise RefusedError(RefusalCode.INPUT, f"none of our inputs fit in eager: {problem}")

    def _outputs(self, fill: Fill) -> list[Any]:
        try:
            return self.run_once(self.make_inputs(fill))
        except RuntimeError as error:
            # An optimizer writes to its parameters, which were no leaves for the graph.
            if not self.with_grad or "leaf Variable" not in str(error):
                raise
            self.with_grad = False
            self.notes.append("run without recording gradients: the graph writes to its parameters")
            return self.run_once(self.make_inputs(fill))

    def check_memory(self, limit: int = MEMORY_LIMIT) -> int:
        """Return the bytes of all intermediate results, or refuse before any is allocated."""
        from .memory import bytes_of_results

        return bytes_of_results(self.module, self._inputs, limit)


def build_graph(
    ir: dict[str, Any], *, devices: Mapping[str, str] | None = None, memory_limit: int = MEMORY_LIMIT
) -> BuiltGraph:
    """Build the graph of an IR; ``devices`` sends one kind of device to another (``{"cuda": "cpu"}``)."""
    objects = Objects(devices or {})
    module = _build(ir["graph"], objects)
    inputs = InputMaker(ir["inputs"], ir["symbols"], objects, memory_limit)
    built = BuiltGraph(module, inputs, ir)
    if objects.moved or inputs.moves():
        built.notes.append("run on another device than the log's")
    return built


def flat(outputs: Untyped) -> list[Untyped]:
    """Return the leaves of nested outputs."""
    leaves: list[Any] = torch.utils._pytree.tree_flatten(outputs)[0]
    return leaves


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


def _build(graph: dict[str, Untyped], objects: Objects) -> Untyped:
    root, built = torch.nn.Module(), torch.fx.Graph()
    for name, constant in graph["constants"].items():
        _add_constant(root, _checked_name(name), constant, objects)
    for name, module in graph["modules"].items():
        setattr(root, _checked_name(name), _make_module(module, objects))
    for name, inner in graph["graphs"].items():
        setattr(root, _checked_name(name), _build(inner, objects))
    nodes: list[Any] = []
    for node in graph["nodes"]:
        nodes.append(_add_node(built, node, nodes, objects))
    module = torch.fx.GraphModule(root, built)
    module.graph.lint()
    _check_opaque(module)
    return module


def _check_opaque(module: Untyped) -> None:
    """Refuse operators that read memory which only their own forward pass can have written."""
    for node in module.graph.nodes:
        if node.op == "call_function" and str(node.target).partition(".default")[0] in _READ_OPAQUE_MEMORY:
            for argument in (*node.args, *node.kwargs.values()):
                if isinstance(argument, torch.fx.Node) and argument.op == "placeholder" and argument is node.args[-1]:
                    raise RefusedError(RefusalCode.INPUT, f"the workspace that {node.target} reads")


def _add_node(graph: Untyped, node: dict[str, Untyped], nodes: list[Untyped], objects: Objects) -> Untyped:
    line, kind, target = node["line"], node["kind"], node["target"]
    args = tuple(objects.make(value, nodes) for value in node["args"])
    kwargs = {_checked_name(name): objects.make(value, nodes) for name, value in node["kwargs"].items()}
    if kind == "output":
        return graph.output(args[0])
    if kind == "call_function":
        target, kwargs = _function(target, args, kwargs, line)
    elif kind == "call_method":
        checked_method(target, line)
    elif kind in {"placeholder", "call_module", "get_attr"}:
        for part in target.split("."):
            _checked_name(part)
    else:
        raise RefusedError(RefusalCode.CONSTRUCT, f"node {kind}", line)
    return graph.create_node(kind, target, args, kwargs, name=_checked_name(node["name"]))


def _function(
    target: dict[str, str], args: tuple[Any, ...], kwargs: dict[str, Any], line: int
) -> tuple[Any, dict[str, Any]]:
    if "operator" in target:
        # Pinned memory takes pages from the whole machine, and changes no result.
        kwargs = {name: value for name, value in kwargs.items() if name != "pin_memory"}
        return resolve_operator(target["operator"], line), kwargs
    if target["function"] == "getattr":
        checked_attribute(args[1], line)
    return resolve_function(target["function"], line), kwargs


def _add_constant(root: Untyped, name: str, constant: dict[str, Untyped], objects: Objects) -> None:
    kwargs = {key: objects.make(value) for key, value in constant["kwargs"].items()}
    args = [objects.make(value) for value in constant["args"]]
    requires_grad, size = kwargs.pop("requires_grad", False), kwargs.pop("size", None)
    if constant["make"] == "unknown":
        made = torch.zeros(*args, **kwargs)
        # Above 0, for an optimizer takes roots of what it keeps.
        made = made.uniform_(0.1, 1.0) if made.is_floating_point() else made
    elif constant["make"] in {"randint", "empty"}:
        # Of these the text has the shape alone; integers may be indices.
        made = torch.zeros(*args[:0] if size is not None else args, *([size] if size is not None else []), **kwargs)
    elif constant["make"] in {"tensor", "randn", "zeros", "ones"}:
        made = getattr(torch, constant["make"])(*args, **kwargs)
        made = made if size is None else made.reshape(size)
    else:
        raise RefusedError(RefusalCode.FUNCTION, f"{constant['make']} in __init__", constant["line"])
    if constant["on_gpu"]:
        made = made.to(objects.device("cuda"))
    if constant["is_parameter"]:
        root.register_parameter(name, torch.nn.Parameter(made, requires_grad=made.is_floating_point()))
    else:
        root.register_buffer(name, made.requires_grad_() if requires_grad else made)


def _make_module(module: dict[str, Untyped], objects: Objects) -> Untyped:
    if module["make"] not in MODULES:
        raise RefusedError(RefusalCode.MODULE, f"module {module['make']}", module["line"])
    args = [objects.make(value) for value in module["args"]]
    kwargs = {key: objects.make(value) for key, value in module["kwargs"].items()}
    made = getattr(torch.nn, module["make"])(*args, **kwargs)
    return made.to(objects.device("cuda")) if module["on_gpu"] else made


def _checked_name(name: str) -> str:
    if not IDENTIFIER.match(name) or name.startswith("__"):
        raise RefusedError(RefusalCode.CONSTRUCT, f"name {name[:80]}")
    return name


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


def _share_of_nan(outputs: list[Any]) -> float:
    shares = [
        float(output.float().isnan().float().mean())
        for output in outputs
        if isinstance(output, torch.Tensor) and not output.is_meta and output.is_floating_point() and output.numel()
    ]
    return max(shares, default=0.0)
