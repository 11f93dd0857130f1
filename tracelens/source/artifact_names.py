"""Which inputs are artifacts of torch rather than logs, told by name and first bytes alone."""

from __future__ import annotations

_SCRIPTS = ("minifier_launcher.py", "repro.py", "fx_graph_runnable.py")
_TRACE = "dedicated_log_torch_trace"


def is_artifact_name(name: str) -> bool:
    """Tell whether the name of a file is one that torch gives to artifacts."""
    path = name.replace("\\", "/")
    return _TRACE in path or "torch_compile_debug/" in path or path.endswith(_SCRIPTS) or "/torchinductor/" in path


def is_trace_head(head: bytes) -> bool:
    """Tell whether a file that begins like this is a structured trace: a glog header, then JSON."""
    line = head.partition(b"\n")[0]
    return line[:1] == b"V" and b'] {"' in line and line[1:5].isdigit()
