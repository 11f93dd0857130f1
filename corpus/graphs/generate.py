"""Writes what torch leaves behind of each program: scripts for both minifiers, a trace, a log.

Torch's own functions write all of it. Only the last part of the compiler is left out:
the inner compiler runs the graph as it is, so that a program takes a moment and not half
a minute.
"""

from __future__ import annotations

import importlib
import io
import logging
import os
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FunctionType
from typing import Any

import torch
import torch._dynamo
from torch._dynamo import debug_utils
from torch._dynamo.repro.after_aot import save_graph_repro
from torch._dynamo.repro.after_dynamo import generate_dynamo_fx_repro_string
from torch._functorch._aot_autograd.utils import make_boxed_func
from torch._inductor.compile_fx import compile_fx
from torch._logging import set_logs

Program = Callable[[Callable[..., Any]], None]

#: Raised where torch writes no script, for a graph with graphs inside; older releases write one that is no Python.
_NO_SCRIPT = getattr(debug_utils, "UnsupportedNNModuleError", None)

MODULES = ("functions", "shapes", "networks", "attention", "higher_order", "training")


def programs() -> dict[str, Program]:
    """Return every program by name, in the order they are written down."""
    found: dict[str, Program] = {}
    for name in MODULES:
        module = importlib.import_module(f"corpus.graphs.models.{name}")
        found |= {
            member: value
            for member, value in vars(module).items()
            if isinstance(value, FunctionType) and value.__module__ == module.__name__ and not member.startswith("_")
        }
    return found


class Recorder:
    """A compiler that writes down what it is given, and gives it back as it is."""

    def __init__(self, folder: Path) -> None:
        """Write into a folder of its own."""
        self._folder = folder
        self._counts = {"dynamo": 0, "aot": 0}

    def backend(self, module: Any, inputs: Any) -> Any:  # noqa: ANN401 - torch is not typed here
        """Write the graph of Dynamo and send it on to AOTAutograd, as Inductor does."""
        with suppress(*([_NO_SCRIPT] if _NO_SCRIPT else [])):
            self._write("dynamo", generate_dynamo_fx_repro_string(module, inputs, "inductor"))
        return compile_fx(module, inputs, inner_compile=self._inner)

    def _inner(self, module: Any, inputs: Any, **_: object) -> Any:  # noqa: ANN401 - torch is not typed here
        script = io.StringIO()
        save_graph_repro(script, module, inputs, "inductor")
        self._write("aot", script.getvalue())
        return make_boxed_func(module.forward)

    def _write(self, kind: str, text: str) -> None:
        folder = self._folder / f"{kind}_{self._counts[kind]}"
        self._counts[kind] += 1
        folder.mkdir(parents=True)
        (folder / "minifier_launcher.py").write_text(text, encoding="utf-8")


@contextmanager
def _log_to(path: Path) -> Iterator[None]:
    """Send what torch logs to a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    kept = os.dup(2)
    with path.open("w", encoding="utf-8") as log:
        os.dup2(log.fileno(), 2)
        try:
            yield
        finally:
            sys.stderr.flush()
            os.dup2(kept, 2)
            os.close(kept)


def generate(folder: Path, only: frozenset[str]) -> list[str]:
    """Run all programs, or those named; return the problems of those that torch could not compile."""
    os.environ.pop("TORCH_LOGS", None)
    set_logs(graph_code=True, aot_graphs=True)
    logging.getLogger("torch").propagate = False
    problems = []
    for name, program in programs().items():
        if only and name not in only:
            continue
        torch.manual_seed(0)
        torch.compiler.reset()
        recorder = Recorder(folder / name)

        def compiled(function: Any, recorder: Recorder = recorder, **options: Any) -> Any:  # noqa: ANN401 - as torch.compile
            return torch.compile(function, backend=recorder.backend, **options)

        with _log_to(folder / name / "log.txt"):
            try:
                program(compiled)
            except Exception as error:  # noqa: BLE001 - a program that fails in torch leaves what it leaves
                traceback.print_exc()
                problems.append(f"{name}: {type(error).__name__}: {(str(error).splitlines() or [''])[0][:120]}")
    return problems
