"""Machines to look at: folders of programs that stand for a PATH, and what they say."""

from __future__ import annotations

import os
from pathlib import Path

from tracelens.api import analyze_checks
from tracelens.environment.torch_facts import Python, Torch
from tracelens.findings import Check, Diagnosis
from tracelens.ruleset.bundled import load_ruleset

CUDA_TORCH = Torch(
    home="/opt/venv/lib/python3.11/site-packages/torch",
    version="2.11.0+cu130",
    cuda="13.0",
    hip=None,
    standard="c++20",
    asks_openssl=True,
    triton_pin="3.6.0",
    triton="3.6.0",
)


def path_without(folder: Path, *names: str) -> str:
    """Return a PATH that has every program of ours but those."""
    folder.mkdir()
    for place in os.environ["PATH"].split(":"):
        for program in Path(place).glob("*"):
            link = folder / program.name
            if not link.is_symlink() and not any(program.match(name) for name in names):
                link.symlink_to(program)
    return str(folder)


def program(folder: Path, name: str, says: str, code: int = 0) -> Path:
    """Make a program that prints and ends."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / name
    file.write_text(f"#!/bin/sh\n/bin/cat <<'END'\n{says}\nEND\nexit {code}\n", encoding="utf-8")
    file.chmod(0o755)
    return file


def a_python(torch: Torch | None = None, path: str = "/usr/bin/python3", **environ: str) -> Python:
    """Return a Python, with the environment of a process that has only these variables."""
    return Python(
        path=path, version="3.11.7", include="/usr/include", packages=("setuptools",), torch=torch, environ=environ
    )


def read(*checks: Check) -> Diagnosis:
    """Let the rules read looks at a machine."""
    return analyze_checks(checks, load_ruleset(), source="this machine")


def labels(*checks: Check) -> list[tuple[str, str]]:
    """Return the label and the code of each finding."""
    return [(finding.label, finding.code) for finding in read(*checks).findings]
