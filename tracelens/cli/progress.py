"""A progress bar on standard error, for big inputs on a terminal only."""

from __future__ import annotations

import sys

from tracelens.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from tracelens.findings import Diagnostic
    from tracelens.source import Feed, Input


class WatchedFeed:
    """A feed that shows how much of its input was read; use it in a ``with`` block.

    Where none can be shown, it is read without.
    """

    def __init__(self, entry: Input, feed: Feed) -> None:
        """Show a bar when standard error is a terminal."""
        self._feed = feed
        self._progress: Progress | None = None
        self._task: TaskID | None = None
        if not sys.stderr.isatty():
            return
        # rich costs as much to import as a small log to analyse.
        from rich.console import Console
        from rich.markup import escape
        from rich.progress import BarColumn, DownloadColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        from tracelens.report.harmless import harmless_line

        columns = ("{task.description}", BarColumn(), DownloadColumn(), TimeRemainingColumn())
        self._progress = Bar(*columns, console=Console(stderr=True), transient=True)
        self._task = self._progress.add_task(escape(harmless_line(entry.name)), total=entry.size)

    @property
    def remarks(self) -> tuple[Diagnostic, ...]:
        """Return what the feed has to say of its input."""
        return self._feed.remarks

    def readinto(self, view: memoryview, /) -> int:
        """Read as the feed does, and advance the bar by what that took of the stored input."""
        count = self._feed.readinto(view)
        if self._progress is not None and self._task is not None:
            self._progress.update(self._task, completed=self._feed.consumed)
        return count

    def __enter__(self) -> WatchedFeed:  # noqa: PYI034  # Self is not in Python 3.10
        """Begin to draw."""
        if self._progress is not None:
            self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Take the bar away."""
        if self._progress is not None:
            self._progress.stop()
