"""The installed command, run as a user runs it, with its CPU time taken."""

from __future__ import annotations

import resource
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

COMMAND = Path(sys.executable).with_name("tracelens")
REPOSITORY = Path(__file__).resolve().parent.parent
CORPUS = REPOSITORY / "corpus"


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What one run of a command gave."""

    code: int
    output: bytes
    errors: str
    cpu_seconds: float


def run_tracelens(
    *arguments: str | Path,
    stdin: bytes = b"",
    env: Mapping[str, str] | None = None,
    timeout: float = 120,
    cwd: Path = REPOSITORY,
) -> Run:
    """Run the installed command; a hang fails the test after ``timeout`` seconds."""
    return run_command(COMMAND, *arguments, stdin=stdin, env=env, timeout=timeout, cwd=cwd)


def run_command(
    *command: str | Path,
    stdin: bytes = b"",
    env: Mapping[str, str] | None = None,
    timeout: float = 120,
    cwd: Path = REPOSITORY,
) -> Run:
    """Run a command to its end, in the repository unless told where."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, input=stdin, capture_output=True, cwd=cwd, env=env, timeout=timeout, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Run(
        code=done.returncode,
        output=done.stdout,
        errors=done.stderr.decode(errors="replace"),
        cpu_seconds=after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
    )
