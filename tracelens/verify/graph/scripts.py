"""Graphs in files of their own: the scripts that torch writes to reproduce a failure, and printed graphs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tracelens.verify.graph.found import FoundGraph, GraphKind, Origin

_SCRIPT = re.compile(r"^class Repro\(", re.MULTILINE)
_AFTER_DYNAMO = re.compile(
    r"^[ \t]+from torch\._dynamo\.repro\.after_dynamo import run_repro|^import torch\._dynamo$", re.MULTILINE
)
_AFTER_AOT = re.compile(r"^[ \t]+from torch\._dynamo\.repro\.after_aot import run_repro", re.MULTILINE)
_PRINTED = re.compile(r"^\s*(?:\S+ )?class (?:<lambda>|\w+)\((?:torch\.)?nn\.Module\)")
_CUT_BEFORE_CLASS = re.compile(r"^.*?(?=class (?:<lambda>|\w+)\((?:torch\.)?nn\.Module\):)")


def find_script(text: str, file: Path) -> Iterator[FoundGraph]:
    """Yield the graph of one file, if it is one that torch writes."""
    kind = _kind(text, file.name)
    if kind is None:
        return
    if not kind.is_script:
        text = without_path(text)
    folder = any(part.startswith(("torch_compile_debug", "run_")) for part in file.parts)
    yield FoundGraph(
        kind=kind,
        origin=Origin.DEBUG_FOLDER if folder else Origin.FILE,
        source=str(file),
        text=text,
        lines=range(1, text.count("\n") + 2),
        title=file.parent.name if folder else "",
    )


def without_path(text: str) -> str:
    """Cut the path of a Python file that torch prints before ``class``."""
    first, newline, rest = text.partition("\n")
    return _CUT_BEFORE_CLASS.sub("", first, count=1) + newline + rest


def _kind(text: str, name: str) -> GraphKind | None:
    if _SCRIPT.search(text):
        if _AFTER_AOT.search(text):
            return GraphKind.FX_GRAPH_RUNNABLE if "runnable" in name else GraphKind.MINIFIER_AOT
        if _AFTER_DYNAMO.search(text):
            return GraphKind.MINIFIER_DYNAMO
        return GraphKind.FX_GRAPH_RUNNABLE
    if _PRINTED.match(text):
        return GraphKind.TRANSFORMED if "transformed" in name else GraphKind.READABLE
    return None
