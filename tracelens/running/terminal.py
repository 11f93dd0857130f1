"""The terminal of a command: its own where it had one, and given back afterwards.

On a terminal the command gets a pseudo-terminal, whose size follows ours, and
ours hands every key through. Elsewhere the command is a process group of its
own in front of the terminal, as a shell would have it, so that Ctrl-C and
Ctrl-Z reach it once and not us.
"""

from __future__ import annotations

import fcntl
import os
import signal
import struct
import termios
import tty
from contextlib import suppress

_SIZE = struct.Struct("HHHH")


class Terminal:
    """The terminal that we run on, as far as there is one."""

    def __init__(self) -> None:
        """Look at standard input, output and error."""
        self.is_terminal = tuple(os.isatty(number) for number in range(3))
        self._in_front = next((number for number in range(3) if self.is_terminal[number] and _is_ours(number)), None)
        self._settings = termios.tcgetattr(0) if self.is_terminal[0] else None

    @property
    def shows_output(self) -> bool:
        """Tell whether output goes to a terminal, so that the command needs one."""
        return self.is_terminal[1] or self.is_terminal[2]

    @property
    def takes_keys(self) -> bool:
        """Tell whether keys have to be handed through to a pseudo-terminal: not while we are in the background."""
        return self.is_terminal[0] and self.shows_output and _is_ours(0)

    def copy_size(self, pseudo: int) -> None:
        """Give a pseudo-terminal the size of ours."""
        source = next((number for number in (1, 2, 0) if self.is_terminal[number]), None)
        if source is not None:
            with suppress(OSError):
                fcntl.ioctl(pseudo, termios.TIOCSWINSZ, fcntl.ioctl(source, termios.TIOCGWINSZ, _SIZE.pack(0, 0, 0, 0)))

    def copy_settings(self, pseudo: int) -> None:
        """Give a pseudo-terminal the settings of ours: echo, special keys, translation of newlines."""
        source = next((number for number in (1, 2, 0) if self.is_terminal[number]), None)
        if source is None:
            return
        with suppress(termios.error):
            settings = termios.tcgetattr(source)
            if not self.takes_keys:
                settings[1] &= ~termios.OPOST  # ours still translates what it is given
            termios.tcsetattr(pseudo, termios.TCSANOW, settings)

    def hand_keys_through(self) -> bool:
        """Let every key reach the pseudo-terminal, which then acts on it; tell whether keys are taken at all."""
        if not self.takes_keys:
            return False
        tty.setraw(0, termios.TCSADRAIN)
        return True

    def bring_to_front(self, group: int) -> None:
        """Let a process group read from the terminal and get its signals."""
        number = self._in_front
        if number is None:
            return
        # Whoever is not in front is stopped for this, unless it ignores the signal.
        before = signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        try:
            with suppress(OSError):
                os.tcsetpgrp(number, group)
        finally:
            signal.signal(signal.SIGTTOU, before)

    def restore(self) -> None:
        """Take the terminal back, with the settings that it had."""
        self.bring_to_front(os.getpgrp())
        if self._settings is not None:
            with suppress(termios.error):
                termios.tcsetattr(0, termios.TCSADRAIN, self._settings)


def suspend_key(pseudo: int) -> bytes:
    """Return the key that stops what runs on a pseudo-terminal, nothing while it takes keys as they are."""
    try:
        settings = termios.tcgetattr(pseudo)
    except termios.error:
        return b""
    key: bytes = settings[6][termios.VSUSP]
    return key.strip(b"\0") if settings[3] & termios.ISIG else b""


def _is_ours(number: int) -> bool:
    """Tell whether we are in front of a terminal that is our controlling one."""
    try:
        return os.tcgetpgrp(number) == os.getpgrp()
    except OSError:
        return False
