"""``tracelens run`` as a user types it, on programs that end in every way."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.command import CORPUS, Run, run_tracelens

CRASH = CORPUS / "lab" / "2.13.0" / "inductor-no-gxx" / "input.log"


def run_python(program: str, *options: str, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> Run:
    """Run a Python program below ``tracelens run``."""
    return run_tracelens("run", *options, "--", sys.executable, "-c", program, stdin=stdin, env=env, timeout=40)


def caches_in(folder: Path) -> dict[str, str]:
    """Return an environment whose caches are all below a folder."""
    own = {name: value for name, value in os.environ.items() if not name.startswith(("TORCH", "TRITON", "XDG", "VLLM"))}
    return {**own, "HOME": str(folder), "TMPDIR": str(folder), "USER": "me"}


def answer_in(file: Path) -> dict[str, Any]:
    """Read a diagnosis that was written to a file."""
    answer: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return answer
