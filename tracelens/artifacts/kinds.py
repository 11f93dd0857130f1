"""What kind of artifact a file is, by its name and its first bytes."""

from __future__ import annotations

import re
from pathlib import PurePath

from tracelens.typed import Enum

_TRACE_HEAD = re.compile(rb"[VDIWEC]\d{4} \d\d:\d\d:\d\d\.\d{1,9} +\d{1,19} [^\n\]]{1,300}\] \{\"")
_SCRIPTS = frozenset({"minifier_launcher.py", "repro.py", "fx_graph_runnable.py"})
#: Files of a debug folder of one graph; what they say is in the trace or the script as well.
_GRAPH_FILES = frozenset({
    "output_code.py", "fx_graph_readable.py", "fx_graph_transformed.py", "ir_pre_fusion.txt", "ir_post_fusion.txt",
})  # fmt: skip
_NO_TEXT = frozenset({".json", ".svg", ".dot", ".html", ".css", ".js", ".cpp", ".py", ".h", ".mlir", ".ttir", ".ttgir"})


class ArtifactKind(Enum):
    """How an artifact is read."""

    TRACE = "structured trace"
    SCRIPT = "script that reproduces a graph"
    GRAPH_FILE = "debug file of one graph"
    TEXT = "text, such as the output of collect_env"


def kind_of(name: str, head: bytes) -> ArtifactKind:
    """Return what a file is."""
    path = PurePath(name)
    if _TRACE_HEAD.match(head):
        return ArtifactKind.TRACE
    if path.name in _SCRIPTS:
        return ArtifactKind.SCRIPT
    if path.name in _GRAPH_FILES or path.suffix in _NO_TEXT:
        return ArtifactKind.GRAPH_FILE
    return ArtifactKind.TEXT
