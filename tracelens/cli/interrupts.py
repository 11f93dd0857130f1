"""Ctrl-C ends the command without a traceback, however early it comes."""

from __future__ import annotations

# ``signal`` makes enums of all numbers as it is imported; these are the functions that it wraps.
from _signal import SIG_DFL, SIGINT, default_int_handler, getsignal, signal  # type: ignore[import-not-found]


class EndedBySignal(KeyboardInterrupt):
    """A polite end, as by a scheduler, which tidies up like Ctrl-C does; ``number`` is that of the signal."""

    def __init__(self, number: int = SIGINT) -> None:
        """Take the number; without one it was Ctrl-C."""
        super().__init__(number)
        self.number = number


class PlainInterrupts:
    """Lets Ctrl-C end the process at once, while there is nothing to tidy up; an ignored one stays ignored."""

    def __enter__(self) -> None:
        """Begin, in the main thread; no other may."""
        self._is_ours = False
        if getsignal(SIGINT) is default_int_handler:
            try:
                signal(SIGINT, SIG_DFL)
            except ValueError:
                return
            self._is_ours = True

    def __exit__(self, *_: object) -> None:
        """Let Ctrl-C raise ``KeyboardInterrupt`` again."""
        if self._is_ours:
            signal(SIGINT, default_int_handler)
