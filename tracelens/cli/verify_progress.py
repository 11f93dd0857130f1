"""What a verification is doing, on standard error: a spinner on a terminal, else a line for each run."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from tracelens.cli.output import write_errors
from tracelens.report.harmless import harmless_line

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


class VerifyProgress:
    """Tells of runs as they begin; use it in a ``with`` block."""

    def __init__(self, *, quiet: bool) -> None:
        """Draw where there is a terminal to draw on."""
        self._quiet = quiet
        self._started = time.monotonic()
        self._progress: Progress | None = None
        self._task: TaskID | None = None
        if quiet or not sys.stderr.isatty():
            return
        from rich.console import Console
        from rich.progress import Progress as Bar
        from rich.progress import SpinnerColumn, TimeElapsedColumn

        columns = (SpinnerColumn(), "{task.description}", TimeElapsedColumn())
        self._progress = Bar(*columns, console=Console(stderr=True), transient=True)
        self._task = self._progress.add_task("verifying", total=None)

    def tell(self, what: str) -> None:
        """Say what runs now."""
        words = harmless_line(f"running {what}")
        if self._progress is not None and self._task is not None:
            from rich.markup import escape

            self._progress.update(self._task, description=escape(words))
        elif not self._quiet:
            write_errors(f"tracelens: [{time.monotonic() - self._started:4.0f} s] {words}\n")

    def __enter__(self) -> VerifyProgress:  # noqa: PYI034  # Self is not in Python 3.10
        """Begin to draw."""
        if self._progress is not None:
            self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Take the spinner away."""
        if self._progress is not None:
            self._progress.stop()
