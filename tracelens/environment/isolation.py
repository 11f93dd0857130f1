"""Looks at the machine, each in a child process with a time limit, all at once.

A network file system that hangs or a library that crashes takes its own look
with it and no other; that look is then named as not run. None outlives us, nor
does a program that it started.
"""

from __future__ import annotations

import os
import pickle
import select
import selectors
import signal
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TypeAlias

from tracelens.findings import Check, CheckStatus
from tracelens.record import Record

#: How long a look that is stopped may take to end its programs and to remove its files, in seconds.
_MERCY = 2.0

#: One look may see several things.
Look: TypeAlias = Callable[[], Sequence[Check]]


class Probe(Record):
    """A look, what to call it if it fails, and how many seconds it may take."""

    name: str
    look: Look
    seconds: float = 20.0


class _Running:
    """A probe in its child process."""

    def __init__(self, probe: Probe) -> None:
        self.probe = probe
        self.deadline = time.monotonic() + probe.seconds
        self.answer = b""
        self.reader, writer = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self.reader)
            _answer(probe, writer)
        os.close(writer)

    def read(self) -> bool:
        """Take what came; tell whether more will."""
        chunk = os.read(self.reader, 1 << 16)
        self.answer += chunk
        return bool(chunk)

    def stop(self) -> None:
        """Have a look that is not over end what it has started; the other end of the pipe tells when it is gone."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGTERM)
        limit = time.monotonic() + _MERCY
        while select.select([self.reader], [], [], max(0.0, limit - time.monotonic()))[0] and self.read():
            pass

    def end(self) -> Sequence[Check]:
        """Return what it saw, or why it saw nothing."""
        os.close(self.reader)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        _, status = os.waitpid(self.pid, 0)
        if self.answer:
            with suppress(EOFError, pickle.UnpicklingError):
                checks: Sequence[Check] = pickle.loads(self.answer)  # noqa: S301 - our own child wrote it
                return checks
        late = time.monotonic() >= self.deadline
        why = f"took longer than {self.probe.seconds:.0f} s" if late else f"crashed ({_in_words(status)})"
        return (Check(name=self.probe.name, status=CheckStatus.NOT_RUN, detail=why),)


def run_probes(probes: Sequence[Probe]) -> tuple[Check, ...]:
    """Run every probe and return what they saw, in their order."""
    if not hasattr(os, "fork"):
        return tuple(check for probe in probes for check in _look(probe))
    running: list[_Running] = []
    try:
        running += map(_Running, probes)
        _read_all(running)
    except BaseException:  # Ctrl-C reaches us alone: each look leads a session of its own
        for one in running:
            one.stop()
        raise
    finally:
        seen = [one.end() for one in running]
    return tuple(check for checks in seen for check in checks)


def _read_all(running: Sequence[_Running]) -> None:
    """Take what comes from every look until it has come to its end or its time is up."""
    with selectors.DefaultSelector() as selector:
        for one in running:
            selector.register(one.reader, selectors.EVENT_READ, one)
        while selector.get_map():
            nearest = min(key.data.deadline for key in selector.get_map().values())
            for key, _ in selector.select(max(0.0, nearest - time.monotonic())):
                if not key.data.read():
                    selector.unregister(key.fd)
            for key in list(selector.get_map().values()):
                if time.monotonic() >= key.data.deadline:
                    selector.unregister(key.fd)
                    key.data.stop()


def _answer(probe: Probe, writer: int) -> None:
    """Look, hand back what was seen, and end without any of the parent's tidying up."""
    try:
        os.setsid()
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.signal(signal.SIGTERM, lambda *_: sys.exit())
        with os.fdopen(writer, "wb") as answer:
            pickle.dump(tuple(_look(probe)), answer)
    finally:
        os._exit(0)


def _look(probe: Probe) -> Sequence[Check]:
    try:
        return probe.look()
    except Exception as error:  # noqa: BLE001 - whatever a machine answers, the other looks go on
        detail = f"{type(error).__name__}: {error}"
        return (Check(name=probe.name, status=CheckStatus.NOT_RUN, detail=detail),)


def _in_words(status: int) -> str:
    if os.WIFSIGNALED(status):
        return signal.strsignal(os.WTERMSIG(status)) or "a signal"
    return f"exit code {os.WEXITSTATUS(status)}"
