"""Reads the text of a graph in a child process: bare Python without site packages, under limits."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tracelens.verify.graph.found import FoundGraph, GraphIr, Refusal
from tracelens.verify.graph.standalone.limits import MAX_TEXT_BYTES, READER_WALL_SECONDS
from tracelens.verify.graph.standalone.refusal import RefusalCode

#: The folder that a child puts on its path to import ``standalone``.
STANDALONE_PATH = str(Path(__file__).parent)

#: Without these some builds of Python do not find their own libraries.
_NEEDED_TO_START = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT")
_CHILD = "import sys; sys.path.insert(0, sys.argv[1]); from standalone.reading import main; main()"


def read_graph(found: FoundGraph, hints: Mapping[str, int] | None = None) -> GraphIr | Refusal:
    """Read one text; ``hints`` are values of size symbols, known from another graph of the same compile."""
    if len(found.text) > MAX_TEXT_BYTES:
        return Refusal(
            found=found, code=RefusalCode.TOO_LARGE, construct=f"text of more than {MAX_TEXT_BYTES} bytes", line=None
        )
    request = {
        "text": found.text,
        "is_script": found.kind.is_script,
        "level": found.level.value,
        "hints": dict(hints or {}),
    }
    answer = _ask_child(json.dumps(request))
    if "ir" not in answer:
        line = found.source_line(answer["line"])
        return Refusal(found=found, code=RefusalCode(answer["code"]), construct=answer["construct"], line=line)
    ir = answer["ir"]
    return GraphIr(
        found=found,
        json=json.dumps(ir),
        operators=ir["operators"],
        symbols=tuple(sorted(ir["symbols"].items())),
        chosen_symbols=tuple(ir["chosen_symbols"]),
        filled_constants=tuple(ir["filled_constants"]),
    )


def _ask_child(request: str) -> dict[str, Any]:
    # -I: no environment, no user site; -S: no site packages; -B: no files written.
    command = [sys.executable, "-I", "-S", "-B", "-W", "ignore", "-c", _CHILD, STANDALONE_PATH]
    environment = {name: os.environ[name] for name in _NEEDED_TO_START if name in os.environ}
    try:
        child = subprocess.run(  # noqa: S603 - our own code on our own Python; the text goes to its standard input
            command,
            input=request.encode(),
            capture_output=True,
            timeout=READER_WALL_SECONDS,
            check=False,
            env=environment,
        )
    except subprocess.TimeoutExpired:
        return _stopped(f"reading it took more than {READER_WALL_SECONDS} s")
    if child.returncode != 0:
        return _stopped("reading it went beyond the limits of time, memory or depth")
    answer: dict[str, Any] = json.loads(child.stdout)
    return answer


def _stopped(reason: str) -> dict[str, Any]:
    return {"code": RefusalCode.TOO_LARGE.value, "construct": reason, "line": None}
