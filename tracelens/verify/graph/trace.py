"""Graphs in a TORCH_TRACE file: one line of JSON as the header, the payload behind it, a tab before each line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from tracelens.events import CompileId
from tracelens.verify.graph.found import FoundGraph, GraphKind, Origin
from tracelens.verify.graph.scripts import without_path
from tracelens.verify.graph.standalone.limits import MAX_TEXT_BYTES

_HEADER = re.compile(r"[VDIWEC]\d{4} \d\d:\d\d:\d\d\.\d+ \d+ \S+:\d+\] (?=\{)")
_KEYS = {
    "dynamo_output_graph": GraphKind.DYNAMO_OUTPUT,
    "aot_joint_graph": GraphKind.AOT_JOINT,
    "aot_forward_graph": GraphKind.AOT_FORWARD,
    "aot_backward_graph": GraphKind.AOT_BACKWARD,
    "aot_inference_graph": GraphKind.AOT_INFERENCE,
    "inductor_post_grad_graph": GraphKind.POST_GRAD,
}
_ARTIFACTS = {
    "fx_graph_runnable": GraphKind.FX_GRAPH_RUNNABLE,
    "before_pre_grad_graph": GraphKind.PRE_GRAD,
    "before_post_grad_graph": GraphKind.AOT_INFERENCE,
    "after_post_grad_graph": GraphKind.POST_GRAD,
    "inductor_post_grad_graph": GraphKind.POST_GRAD,
}


def is_trace(first_line: str) -> bool:
    """Tell a trace by its first line."""
    return _HEADER.match(first_line) is not None


def find_traced(lines: Iterable[str], source: str) -> Iterator[FoundGraph]:
    """Yield the graphs of one trace in its order; lines may end in newlines."""
    header: dict[str, Any] = {}
    kind: GraphKind | None = None
    payload: list[str] = []
    first, size = 0, 0
    for number, line in enumerate(lines, 1):
        if line.startswith("\t"):
            size += len(line)
            # What is too large to be read is not gathered either.
            if kind is not None and size <= MAX_TEXT_BYTES + 1:
                payload.append(line[1:].rstrip("\n"))
            continue
        if kind is not None and payload:
            yield _found(kind, header, payload, first, source)
        header = _read_header(line)
        kind, payload, first, size = _kind(header), [], number + 1, 0
    if kind is not None and payload:
        yield _found(kind, header, payload, first, source)


def _read_header(line: str) -> dict[str, Any]:
    start = _HEADER.match(line)
    if not start or '"has_payload"' not in line:
        return {}
    try:
        header = json.loads(line[start.end() :])
    except (ValueError, RecursionError):
        return {}
    return header if isinstance(header, dict) else {}


def _kind(header: dict[str, Any]) -> GraphKind | None:
    for key, kind in _KEYS.items():
        if key in header:
            return kind
    artifact = header.get("artifact")
    name = artifact.get("name") if isinstance(artifact, dict) else None
    return _ARTIFACTS.get(name) if isinstance(name, str) else None


def _found(kind: GraphKind, header: dict[str, Any], payload: list[str], first: int, source: str) -> FoundGraph:
    text = "\n".join(payload)
    return FoundGraph(
        kind=kind,
        origin=Origin.TRACE,
        source=source,
        text=text if kind.is_script else without_path(text),
        lines=range(first, first + len(payload)),
        compile_id=_compile_id(header),
    )


def _compile_id(header: dict[str, Any]) -> CompileId | None:
    frame, count = header.get("frame_id"), header.get("frame_compile_id")
    attempt, autograd = header.get("attempt", 0), header.get("compiled_autograd_id")
    if isinstance(frame, int) and isinstance(count, int) and isinstance(attempt, int):
        return CompileId(
            frame_id=frame,
            frame_compile_id=count,
            attempt=attempt,
            compiled_autograd_id=autograd if isinstance(autograd, int) else None,
        )
    return None
