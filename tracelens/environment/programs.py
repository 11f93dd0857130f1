"""Programs run for a look at the machine: bounded in time and in what they may print."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from tracelens.record import Record

_MOST_BYTES = 256 * 1024


class Ran(Record):
    """How a program ended: ``code`` is ``None`` where it was stopped or could not be started."""

    code: int | None
    output: str
    #: Why there is no code, in words.
    problem: str | None = None

    @property
    def is_good(self) -> bool:
        """Tell whether it ended with 0."""
        return self.code == 0

    @property
    def first_line(self) -> str:
        """Return the first line that says something."""
        return next((line.strip() for line in self.output.splitlines() if line.strip()), "")


def run_program(
    arguments: Sequence[str | Path], environ: Mapping[str, str], seconds: float, folder: Path | None = None
) -> Ran:
    """Run a program with everything that it starts, and keep the first of what it prints."""
    with _scratch_file() as output:
        try:
            child = subprocess.Popen(  # noqa: S603 - programs that torch would run as well
                [str(argument) for argument in arguments],
                env=dict(environ),
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            return Ran(code=None, output="", problem=f"{arguments[0]}: {error.strerror or error}")
        try:
            code: int | None = child.wait(seconds)
            problem = None
        except subprocess.TimeoutExpired:
            code, problem = None, f"{arguments[0]}: stopped after {seconds:.0f} s"
        finally:
            with suppress(OSError, AttributeError):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()
        output.seek(0)
        return Ran(code=code, output=output.read(_MOST_BYTES).decode("utf-8", "replace"), problem=problem)


def _scratch_file() -> IO[bytes]:
    """Return a file for what is printed: in memory where that can be, since no folder may be fit to be written to."""
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("tracelens"), "w+b")
    return tempfile.TemporaryFile()
