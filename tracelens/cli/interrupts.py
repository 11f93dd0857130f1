"""Ctrl-C ends the command without a traceback, however early it comes."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


class EndedBySignal(KeyboardInterrupt):
    """A polite end, as by a scheduler, which tidies up like Ctrl-C does; ``number`` is that of the signal."""

    def __init__(self, number: int = signal.SIGINT) -> None:
        """Take the number; without one it was Ctrl-C."""
        super().__init__(number)
        self.number = number


@contextmanager
def plain_interrupts() -> Iterator[None]:
    """Let Ctrl-C end the process at once, while there is nothing to tidy up; an ignored one stays ignored."""
    handler = signal.getsignal(signal.SIGINT)
    if handler is not signal.default_int_handler:
        yield
        return
    try:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    except ValueError:  # only the main thread may
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
