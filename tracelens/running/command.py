"""Starts a command, hands through whatever goes in and out, and sees it end."""

from __future__ import annotations

import fcntl
import math
import os
import selectors
import signal
import subprocess
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from tracelens.record import Record
from tracelens.running.copying import BoundedCopy
from tracelens.running.family import Family
from tracelens.running.signals import SignalPipe, is_forwarded
from tracelens.running.terminal import Terminal, suspend_key

_CHUNK = 256 * 1024
#: A larger pipe lets a chatty command go on while we sleep.
_PIPE_SIZE = 1024 * 1024
#: How long output may go on that others still hold open once the command itself has ended, in seconds.
_LINGER, _LINGER_AT_MOST = 0.3, 3.0
#: When to look at the processes, in seconds after the start; after the last one, so often.
_LOOKS = (0.3, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0)
#: How long a command that is ended may take for it, in seconds.
_MERCY = 5.0
#: Reads of less than this are worth a pause, so that the next one brings more; in bytes and seconds. A
#: pseudo-terminal holds too little for one.
_SMALL, _PAUSE = 16 * 1024, 0.01

#: Is asked after a silence; says whether the command has to be ended.
SilenceJudge = Callable[[Family], bool]


class Ended(Record):
    """How a command ended; ``exit_code`` is what a shell would report."""

    exit_code: int
    #: The number of the signal that ended it, ``None`` if it exited by itself.
    signal: int | None
    seconds: float
    #: Whether it hung, so that it was us who ended it.
    hung: bool


class Command:
    """One run of a command."""

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        settings: Mapping[str, str],
        silence: float | None = None,
        judge_silence: SilenceJudge | None = None,
    ) -> None:
        """Start nothing yet; ``settings`` are variables that it gets beside ours."""
        self.arguments = tuple(arguments)
        self.copy = BoundedCopy()
        self._settings = settings
        self._silence = silence
        self._judge_silence = judge_silence
        self._hung = False
        self._judged = -math.inf
        self._status: int | None = None
        self._selector = selectors.DefaultSelector()
        self._signals = SignalPipe()
        self._terminal = Terminal()
        self._pseudo: int | None = None

    def run(self) -> Ended:
        """Run it to its end; raises ``OSError`` where it cannot be started."""
        with self._signals:
            started = time.monotonic()
            try:
                self._process = self._start()
                self.family = Family(self._process.pid)
                self._selector.register(self._signals.descriptor, selectors.EVENT_READ)
                self._take_terminal()
                self._carry(started)
            finally:
                self._terminal.restore()
                self._close()
            status = self._wait(os.WNOHANG) or 0
            self.copy.finish()
        self._process.returncode = os.waitstatus_to_exitcode(status)
        ended_by = os.WTERMSIG(status) if os.WIFSIGNALED(status) else None
        code = 128 + ended_by if ended_by is not None else os.WEXITSTATUS(status)
        return Ended(exit_code=code, signal=ended_by, seconds=time.monotonic() - started, hung=self._hung)

    def _start(self) -> subprocess.Popen[bytes]:
        shown = self._terminal.is_terminal
        ends: list[int | None] = [None, None, None]
        pseudo_end = -1
        if self._terminal.shows_output:
            self._pseudo, pseudo_end = os.openpty()
            self._terminal.copy_settings(pseudo_end)
            self._terminal.copy_size(pseudo_end)
            self._selector.register(self._pseudo, selectors.EVENT_READ, 1 if shown[1] else 2)
            ends = [pseudo_end if is_terminal else None for is_terminal in shown]
        for number in (1, 2):
            if ends[number] is None:
                ours, ends[number] = _pipe()
                self._selector.register(ours, selectors.EVENT_READ, number)
        try:
            return subprocess.Popen(  # noqa: S603 - it is what the user asked for
                self.arguments,
                stdin=ends[0],
                stdout=ends[1],
                stderr=ends[2],
                env={**os.environ, **self._settings},
                preexec_fn=lambda: self._set_apart(pseudo_end),  # noqa: PLW1509 - there are no threads here
            )
        finally:
            for end in {end for end in ends if end is not None}:
                os.close(end)

    def _set_apart(self, pseudo_end: int) -> None:
        """Make the new process a group of its own, and where it has a pseudo-terminal a session as well."""
        if pseudo_end >= 0:
            os.setsid()
            fcntl.ioctl(pseudo_end, termios.TIOCSCTTY, 0)
        else:
            os.setpgid(0, 0)
            self._terminal.bring_to_front(os.getpid())

    def _take_terminal(self) -> None:
        if self._pseudo is None:
            self._terminal.bring_to_front(self._process.pid)
        elif self._terminal.hand_keys_through():
            with suppress(KeyError):
                self._selector.unregister(0)
            self._selector.register(0, selectors.EVENT_READ)

    def _carry(self, started: float) -> None:
        """Hand through until the command has ended and its output as well, or only others hold it open."""
        looks = iter(_LOOKS)
        next_look = started + next(looks)
        heard = started
        ended_at: float | None = None
        while self._outputs():
            now = time.monotonic()
            if self._status is not None:
                ended_at = now if ended_at is None else ended_at
                if now - max(heard, ended_at) > _LINGER or now - ended_at > _LINGER_AT_MOST:
                    return
            elif now >= next_look:
                self.family.look()
                next_look = now + next(looks, _LOOKS[-1])
            if self._hangs(now - heard):
                self._end_all()
                return
            size = self._hand_through(_LINGER if ended_at is not None else self._patience(now, next_look, heard))
            if size:
                heard = time.monotonic()
                if size < _SMALL and self._pseudo is None:
                    time.sleep(_PAUSE)
        while self._status is None:
            self._hand_through(self._patience(time.monotonic(), next_look, heard))
            if self._hangs(time.monotonic() - heard):
                self._end_all()

    def _outputs(self) -> bool:
        return any(key.data is not None for key in self._selector.get_map().values())

    def _patience(self, now: float, next_look: float, heard: float) -> float:
        times = [next_look] if self._silence is None else [next_look, max(heard, self._judged) + self._silence]
        return max(0.01, min(times) - now)

    def _hand_through(self, seconds: float) -> int:
        """Wait for something to come and hand it through; return how much the command said."""
        said = 0
        for key, _ in self._selector.select(seconds):
            if key.fd == self._signals.descriptor:
                for number in self._signals.came():
                    self._obey(number)
            elif key.data is None:
                self._hand_keys()
            else:
                said += self._hand_output(key.fd, key.data)
        return said

    def _hand_output(self, source: int, target: int) -> int:
        try:
            chunk = os.read(source, _CHUNK)
        except OSError:  # a pseudo-terminal that nobody holds open any more
            chunk = b""
        if chunk:
            if not self._hung:
                self.copy.add(target, chunk)
            if _write(target, chunk):
                return len(chunk)
        # Nobody reads on: the command has to notice, as it would without us.
        self._selector.unregister(source)
        os.close(source)
        if source == self._pseudo:
            self._pseudo = None
        return len(chunk)

    def _hand_keys(self) -> None:
        try:
            keys = os.read(0, 4096)
        except OSError:
            keys = b""
        if not keys or self._pseudo is None or not self._type(self._pseudo, keys):
            self._selector.unregister(0)

    def _type(self, pseudo: int, keys: bytes) -> bool:
        key = suspend_key(pseudo)
        if key and key in keys and os.tcgetpgrp(pseudo) == self._process.pid:
            # Nobody in its session would wake it up again, so the kernel lets this key stop no leader of one.
            os.killpg(self._process.pid, signal.SIGSTOP)
            keys = keys.replace(key, b"")
        return _write(pseudo, keys)

    def _obey(self, number: int) -> None:
        if number == signal.SIGCHLD:
            status = self._wait(os.WNOHANG | os.WUNTRACED)
            if status is not None and os.WIFSTOPPED(status):
                self._stop()
        elif number == signal.SIGWINCH:
            if self._pseudo is not None:
                self._terminal.copy_size(self._pseudo)
        elif is_forwarded(number) and self._status is None:
            os.kill(self._process.pid, number)

    def _stop(self) -> None:
        """Stop as the command did, and go on with it."""
        self._terminal.restore()
        os.kill(os.getpid(), signal.SIGSTOP)
        self._take_terminal()
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGCONT)

    def _wait(self, options: int) -> int | None:
        """Return the status of the command if it has ended or, where asked for, stopped."""
        if self._status is None:
            try:
                pid, status = os.waitpid(self._process.pid, options)
            except ChildProcessError:
                pid, status = self._process.pid, 0
            if not pid or os.WIFSTOPPED(status):
                return status if pid else None
            self._status = status
        return self._status

    def _hangs(self, silent: float) -> bool:
        now = time.monotonic()
        if self._silence is None or self._judge_silence is None or self._status is not None or silent < self._silence:
            return False
        if now - self._judged < self._silence:
            return False
        self.family.look()
        self._hung = self._judge_silence(self.family)
        self._judged = time.monotonic()
        return self._hung

    def _end_all(self) -> None:
        """End the command and everything that it started."""
        members = self.family.members()
        os.kill(self._process.pid, signal.SIGTERM)
        deadline = time.monotonic() + _MERCY
        while self._status is None and time.monotonic() < deadline:
            self._hand_through(0.1)
            self._wait(os.WNOHANG)
        for pid in {*members, *self.family.members()} if self._status is None else members[1:]:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        self._wait(0)

    def _close(self) -> None:
        for key in list(self._selector.get_map().values()):
            if key.data is not None:
                os.close(key.fd)
        self._selector.close()


def _pipe() -> tuple[int, int]:
    ours, theirs = os.pipe()
    with suppress(AttributeError, OSError):
        fcntl.fcntl(ours, fcntl.F_SETPIPE_SZ, _PIPE_SIZE)  # type: ignore[attr-defined,unused-ignore] # Linux alone
    return ours, theirs


def _write(target: int, data: bytes) -> bool:
    """Write everything; tell whether somebody still takes it."""
    view = memoryview(data)
    while view:
        written = _write_some(target, view)
        if written is None:
            return False
        view = view[written:]
    return True


def _write_some(target: int, view: memoryview) -> int | None:
    try:
        return os.write(target, view)
    except BlockingIOError:
        with selectors.DefaultSelector() as selector:
            selector.register(target, selectors.EVENT_WRITE)
            selector.select()
        return 0
    except OSError:
        return None
