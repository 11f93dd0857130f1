"""Graphs in a TORCH_TRACE file, found without reading the rest of it."""

from __future__ import annotations

from collections.abc import Iterator

from tracelens.artifacts.headers import compile_id_of, payload_text
from tracelens.artifacts.metrics import read_header
from tracelens.artifacts.records import ByteFeed, TraceReader, TraceRecord
from tracelens.verify.graph.found import FoundGraph, GraphKind, Origin
from tracelens.verify.graph.scripts import without_path
from tracelens.verify.graph.standalone.limits import MAX_TEXT_BYTES

_KINDS = {
    "dynamo_output_graph": GraphKind.DYNAMO_OUTPUT,
    "aot_joint_graph": GraphKind.AOT_JOINT,
    "aot_forward_graph": GraphKind.AOT_FORWARD,
    "aot_backward_graph": GraphKind.AOT_BACKWARD,
    "aot_inference_graph": GraphKind.AOT_INFERENCE,
    "inductor_post_grad_graph": GraphKind.POST_GRAD,
    "fx_graph_runnable": GraphKind.FX_GRAPH_RUNNABLE,
    "before_pre_grad_graph": GraphKind.PRE_GRAD,
    "before_post_grad_graph": GraphKind.AOT_INFERENCE,
    "after_post_grad_graph": GraphKind.POST_GRAD,
}
_NAMES = "|".join(_KINDS)
_WANTED = rf'\] \{{"(?:artifact": \{{"name": "(?P<artifact>{_NAMES})"|(?P<name>{_NAMES})")'.encode()


def find_traced(feed: ByteFeed, source: str) -> Iterator[FoundGraph]:
    """Yield the graphs of one trace in its order."""
    for record in TraceReader(feed, _WANTED, payload_limit=MAX_TEXT_BYTES + 1).records():
        if record.payload:
            yield _found(record, source)


def _found(record: TraceRecord, source: str) -> FoundGraph:
    kind = _KINDS[record.name]
    text = payload_text(record)
    return FoundGraph(
        kind=kind,
        origin=Origin.TRACE,
        source=source,
        text=text if kind.is_script else without_path(text),
        lines=range(record.line + 1, record.line + 2 + text.count("\n")),
        compile_id=compile_id_of(read_header(record.header)),
    )
