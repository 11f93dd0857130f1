"""Traces made by hand, in the form in which torch writes them."""

from __future__ import annotations

import json
from typing import Any

from tracelens.artifacts import ArtifactReading
from tracelens.events import Event
from tracelens.source import Input
from tracelens.text import Region

NO_COMPILER = "InvalidCxxCompiler: No working C++ compiler found in torch._inductor.config.cpp.cxx: (None, 'g++')"
TRACEBACK = f"""\
Traceback (most recent call last):
  File "/opt/venv/lib/python3.11/site-packages/torch/_inductor/cpp_builder.py", line 108, in cpp_compiler_search
    raise exc.InvalidCxxCompiler
torch._inductor.exc.InductorError: {NO_COMPILER}
"""


class Bytes:
    """A source of bytes that gives as many at a time as it was told."""

    def __init__(self, content: bytes, step: int = 1 << 16) -> None:
        self._content = content
        self._step = step

    def readinto(self, view: memoryview, /) -> int:
        count = min(len(view), self._step, len(self._content))
        view[:count] = self._content[:count]
        self._content = self._content[count:]
        return count

    def close(self) -> None:
        self._content = b""


def record(name: str, metadata: object, payload: str | None = None, *, pid: int = 7, **context: Any) -> str:
    """Spell one record as torch does."""
    header = json.dumps({name: metadata, **context, **({"has_payload": "0"} if payload is not None else {})})
    lines = "" if payload is None else "".join(f"\n\t{line}" for line in payload.split("\n"))
    return f"V1201 02:50:30.444000 {pid} torch/_dynamo/utils.py:2350] {header}{lines}\n"


def artifact(name: str, payload: str, frame: int = 0, again: int = 0, **context: Any) -> str:
    return record("artifact", {"name": name}, payload, frame_id=frame, frame_compile_id=again, attempt=0, **context)


def start(frame: int = 0, again: int = 0) -> str:
    stack = [{"line": 3, "name": "step", "filename": 1}]
    return record("dynamo_start", {"stack": stack}, frame_id=frame, frame_compile_id=again, attempt=0)


def metrics(frame: int = 0, again: int = 0, **fields: object) -> str:
    found = {"co_name": "step", "co_filename": "/app/train.py", "co_firstlineno": 3, "start_time": 100.0, **fields}
    return record("compilation_metrics", found, frame_id=frame, frame_compile_id=again, attempt=0)


def trace_input(text: str | bytes, name: str = "t/dedicated_log_torch_trace_x.log") -> Input:
    content = text if isinstance(text, bytes) else text.encode()
    return Input(name=name, size=len(content), opener=lambda: Bytes(content))


def read(*inputs: Input) -> tuple[list[Event], ArtifactReading, list[Region]]:
    kept: list[Region] = []
    reading = ArtifactReading(0, kept.append)
    return list(reading.read(inputs)), reading, kept
