"""Builds graphs, runs them, and compares them with their own text, executed by Python.

Only texts that were written here a moment ago are executed, and only to judge the
reader by them. One fork for each graph: hostile numbers make some operators crash.
"""

from __future__ import annotations

import json
import math
import os
import re
import signal
import sys
import time
from typing import Any

import torch
import torch._subclasses.fake_tensor

from tracelens.verify.child.compare import compare_named
from tracelens.verify.child.result import Result
from tracelens.verify.graph.standalone.building import (
    BuiltGraph,
    EagerRun,
    NoReferenceError,
    RefusedError,
    build_graph,
    flat,
    same,
)
from tracelens.verify.graph.standalone.resolving import resolve_operator

_CLASS = re.compile(r"^( *)class <lambda>\(", re.MULTILINE)
_SECONDS = 60


def main() -> None:
    """Answer each line of JSON on standard input with one on standard output."""
    torch.set_num_threads(1)
    # What each fork would import for itself.
    for operator in ("prims.inductor_seeds", "higher_order.cond", "quantized_decomposed.quantize_per_tensor.default"):
        resolve_operator(f"torch.ops.{operator}")
    for line in sys.stdin:
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            with os.fdopen(writing, "w") as answer:
                json.dump(_answer(json.loads(line)), answer)
            os._exit(0)
        os.close(writing)
        print(_wait(child, reading), flush=True)


def _wait(child: int, reading: int) -> str:
    signal.signal(signal.SIGALRM, lambda *_: os.kill(child, signal.SIGKILL))
    signal.alarm(_SECONDS)
    with os.fdopen(reading) as answer:
        text = answer.read()
    _, status = os.waitpid(child, 0)
    signal.alarm(0)
    return text or json.dumps({"outcome": "died", "reason": f"signal {os.WTERMSIG(status)}"})


def _answer(task: dict[str, Any]) -> dict[str, Any]:
    started = time.process_time()
    try:
        built = build_graph(task["ir"], devices={} if torch.cuda.is_available() else {"cuda": "cpu"})
        built.check_memory()
        run = built.run_eager()
    except RefusedError as refused:
        return {"outcome": "refused", "reason": f"{refused.code.value}: {refused.construct}"}
    except Exception as error:  # noqa: BLE001 - the graph's own
        return {"outcome": "failed", "reason": _said(error)}
    facts = {"fill": run.fill.value, "notes": built.notes, "seconds": time.process_time() - started}
    if not built.random_operators:
        facts["in_double"] = _in_double(built, run)
    try:
        reference = _reference(task["text"], built.module)
        first, second = built.make_inputs(run.fill), built.make_inputs(run.fill)
        ours = built.run_once(first)
        built.begin()
        with built.grad_mode():
            theirs = flat(reference(*second))
    except Exception as error:  # noqa: BLE001 - some texts are no Python
        return {"outcome": "ran", "reason": f"text: {_said(error)}", **facts}
    stable = [index for index in range(len(ours)) if f"output {index}" not in run.unstable]
    equal = len(ours) == len(theirs) and all(same(ours[index], theirs[index]) for index in stable)
    equal = equal and all(same(one, other) for one, other in zip(first, second, strict=True))
    return {"outcome": "equal" if equal else "differs", "reason": "", **facts}


def _in_double(built: BuiltGraph, run: EagerRun) -> str:
    """Say whether float64 gives something to measure compiled code against, and eager is right by it."""
    try:
        precise = built.leave_in_double(run.fill)
    except NoReferenceError as error:
        return f"none: {error}"
    result = Result(-1)
    compare_named(run.left, run.left, precise, result)
    return "; ".join(result.facts["wrong"]) or "measured"


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {(str(error).splitlines() or [''])[0][:120]}"


def _reference(text: str, module: Any) -> Any:  # noqa: ANN401 - torch is not typed here
    scope: dict[str, Any] = {"torch": torch, "inf": math.inf, "nan": math.nan, "device": torch.device}
    scope |= {name: value for name, value in vars(torch.nn).items() if isinstance(value, type)}
    scope |= {"tensor": torch.tensor, "builtins": __builtins__, "math": math}
    start = text.find("class Repro(")
    source = text[start : text.index("\ndef load_args(")] if start >= 0 else text
    source = _CLASS.sub(r"\1class _lambda_(", source)
    exec(source, scope)  # noqa: S102 - our own text, see above
    name = re.search(r"^class (\w+)\(", source, re.MULTILINE)
    assert name  # noqa: S101 - every graph is a class
    return _instance(scope[name[1]], module)


def _instance(graph_class: Any, module: Any) -> Any:  # noqa: ANN401 - torch is not typed here
    made = graph_class()
    for name, inner in list(vars(graph_class).items()):
        if isinstance(inner, type):
            # An attribute of the class would be found before that of the object.
            delattr(graph_class, name)
            setattr(made, name, _instance(inner, getattr(module, name)))
    # Constants of which the text has only the size are ours.
    for name, value in (*module.named_buffers(recurse=False), *module.named_parameters(recurse=False)):
        setattr(made, name, value)
    return made


if __name__ == "__main__":
    main()
