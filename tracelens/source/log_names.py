"""Which files of a directory are logs, told by name, and by first bytes where the name does not tell.

A run directory holds configurations, scripts and data beside its logs. A file
that somebody names is read whatever it is; this is about those that nobody named.
"""

from __future__ import annotations

from tracelens.source.artifact_names import is_artifact_name, is_trace_head
from tracelens.source.magic import recognise

# fmt: off
#: Files that hold no log, and that nobody would take for one.
DATA = frozenset({
    ".so", ".pyd", ".dll", ".dylib", ".a", ".o", ".obj", ".lib", ".exe", ".bin", ".pyc", ".pyo", ".whl", ".egg",
    ".jar", ".class", ".cubin", ".hsaco", ".ptx", ".fatbin", ".gch", ".pch", ".pt", ".pth", ".ckpt", ".safetensors",
    ".onnx", ".gguf", ".npy", ".npz", ".h5", ".hdf5", ".pb", ".pkl", ".pickle", ".parquet", ".arrow", ".db",
    ".sqlite", ".sqlite3", ".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp", ".ico", ".svg", ".pdf", ".mp3", ".mp4",
    ".avi", ".mov", ".wav", ".ttf", ".woff", ".woff2", ".zip", ".7z", ".rar", ".lz4", ".tfevents", ".nsys-rep",
    ".qdrep", ".ncu-rep", ".core", ".lock",
})
#: Texts that are no logs, unless their first lines are those of one.
_TEXTS = frozenset({
    ".py", ".pyi", ".ipynb", ".yml", ".yaml", ".json", ".toml", ".ini", ".cfg", ".conf", ".xml", ".html", ".htm",
    ".css", ".js", ".ts", ".md", ".rst", ".csv", ".tsv", ".c", ".cc", ".cpp", ".cu", ".cuh", ".h", ".hpp", ".sh",
})
#: These say that they are logs.
_LOGS = frozenset({".log", ".txt", ".out", ".err", ".jsonl", ".gz", ".zst", ".xz", ".bz2", ".tar", ".tgz"})
# fmt: on
#: What torch writes of one graph, which stands beside other artifacts.
_GRAPHS = ("output_code.py", "fx_graph_readable.py", "fx_graph_transformed.py")
#: What programs that fail print, and what structured logs consist of.
_SIGNS = (b"Traceback (most recent call last)", b": error: ", b"] [__")
_FIELDS = (b'"log":', b'"message":', b'"msg":')
_WIDE = (b"\xff\xfe", b"\xfe\xff")


def needs_a_look(path: str, suffix: str) -> bool:
    """Tell whether the name of a file does not say that it is a log."""
    return suffix not in _LOGS and not is_artifact_name(path) and not path.endswith(_GRAPHS)


def is_log_head(head: bytes, suffix: str) -> bool:
    """Tell whether a file of such a name that begins like this can be a log."""
    if is_trace_head(head) or recognise(head) is not None or head.startswith(_WIDE):
        return True
    if suffix in _TEXTS:
        first = head.partition(b"\n")[0].strip()
        structured = first[:1] == b"{" and first[-1:] == b"}" and any(field in first for field in _FIELDS)
        # Source text quotes messages; only what a program prints of them begins a line.
        return structured or (suffix not in {".py", ".md", ".rst", ".ipynb"} and any(sign in head for sign in _SIGNS))
    return b"\0" not in head[:1024] or head[257:262] == b"ustar"
