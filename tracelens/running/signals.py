"""Signals that we get and the command is meant to have.

Each is written into a pipe as it comes and acted upon by the loop that also
reads output. A signal that was ignored stays ignored, for the command as well.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

#: What a command that is started by a shell may be sent.
_FORWARDED = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGCONT")
#: What tells us of our own: the command has ended or stopped, and the window has another size.
_OURS = ("SIGCHLD", "SIGWINCH")


class SignalPipe:
    """Use it in a ``with`` block; ``descriptor`` is readable when a signal came."""

    def __init__(self) -> None:
        """Change nothing yet."""
        self.descriptor, self._writer = os.pipe()
        os.set_blocking(self.descriptor, False)
        os.set_blocking(self._writer, False)
        self._before: dict[int, object] = {}
        self._wakeup = -1

    def __enter__(self) -> SignalPipe:  # noqa: PYI034  # Self is not in Python 3.10
        """Begin to take signals."""
        self._wakeup = signal.set_wakeup_fd(self._writer, warn_on_full_buffer=False)
        for name in (*_FORWARDED, *_OURS):
            number = getattr(signal, name)
            handler = signal.getsignal(number)
            if handler is not signal.SIG_IGN or name in _OURS:
                self._before[number] = handler
                signal.signal(number, _only_wake_up)
        return self

    def __exit__(self, *_: object) -> None:
        """Put everything back as it was."""
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type] # it came from getsignal
        signal.set_wakeup_fd(self._wakeup)
        os.close(self.descriptor)
        os.close(self._writer)

    def came(self) -> Iterator[int]:
        """Yield the signals that came since the last call."""
        while True:
            try:
                numbers = os.read(self.descriptor, 512)
            except BlockingIOError:
                return
            yield from numbers
            if len(numbers) < 512:
                return


def is_forwarded(number: int) -> bool:
    """Tell whether a signal is for the command."""
    return any(getattr(signal, name) == number for name in _FORWARDED)


def _only_wake_up(_number: int, _frame: object) -> None:
    """Do nothing: the number is in the pipe already."""
