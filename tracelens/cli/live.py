"""Name a failure while its log is still being written.

A process that dies may leave others that hang, or a shell that goes on. So
whenever a pipe or a followed file falls silent below something suspicious,
its last lines are analysed by themselves, and what surely ended the run is
told on standard error. The report comes at the end all the same.
"""

from __future__ import annotations

import os
import select
import stat
import sys
import time
from collections import deque
from typing import BinaryIO

from tracelens.api import analyze_text
from tracelens.cli.output import write_errors
from tracelens.errors import InputError
from tracelens.findings import Diagnosis, Outcome, Severity
from tracelens.record import replace
from tracelens.report.harmless import harmless_line
from tracelens.ruleset.compiled import RuleSet
from tracelens.source import Input
from tracelens.source.bytesources import ByteSource, FileSource

#: Silence this long, in seconds, is a pause.
_PAUSE = 0.25
#: One that talks on is listened to so often.
_LISTEN = 1.0
#: A followed file of a failed run has ended when nothing comes for so long.
_ENDED = 5.0
#: What is analysed at a pause.
_TAIL = 256 << 10
#: Who reads so much between two looks reads what was written before, and waits for nothing but its end.
_FLOOD = 4 << 20
#: So much is told of a line; an object of a JSON log is one.
_SAID = 400
_SUSPICIOUS = (b"rror", b"xception", b"Traceback", b"atal", b"illed", b"ault", b"bort", b"ignal", b"SIG", b"xit")


class Lookout:
    """Remembers the last of what was read, and tells what it means."""

    def __init__(self, ruleset: RuleSet) -> None:
        """Know the rules; nothing was heard yet."""
        self._ruleset = ruleset
        self._pieces: deque[bytes] = deque()
        self._size = 0
        self._is_due = False
        self._fresh = 0
        self._looked = time.monotonic()
        self._told: set[str] = set()

    @property
    def has_told(self) -> bool:
        """Tell whether a failure was named."""
        return bool(self._told)

    def hear(self, data: bytes) -> None:
        """Take what was read."""
        self._pieces.append(data)
        self._size += len(data)
        while self._size - len(self._pieces[0]) > _TAIL:
            self._size -= len(self._pieces.popleft())
        self._fresh += len(data)
        if time.monotonic() - self._looked > _LISTEN:
            self._look(is_pause=False)

    def pause(self) -> None:
        """Look at what was heard, if there is anything new in it."""
        if self._fresh or self._is_due:
            self._look(is_pause=True)

    def _look(self, *, is_pause: bool) -> None:
        self._looked = time.monotonic()
        fresh, self._fresh = self._fresh, 0
        if not is_pause and fresh > _FLOOD:
            return
        kept = b"".join(self._pieces)[-_TAIL:]
        if not self._is_due and not any(sign in kept[-fresh:] for sign in _SUSPICIOUS):
            return
        self._is_due = not is_pause  # in the middle of a message, its end may tell more
        tail = kept.decode("utf-8", "replace")
        answer = analyze_text(tail, self._ruleset)
        if _is_fatal(answer) and answer.label not in self._told:
            self._told.add(str(answer.label))
            write_errors(f"tracelens: {_verdict(answer)}\n")


def _is_fatal(answer: Diagnosis) -> bool:
    known = answer.outcome in (Outcome.DIAGNOSED, Outcome.OUTSIDE)
    return known and answer.findings[0].severity is Severity.FATAL


def _verdict(answer: Diagnosis) -> str:
    finding = answer.findings[0]
    root = finding.root.text.strip().partition("\n")[0] if finding.root else ""
    root = root if len(root) <= _SAID else f"{root[:_SAID]}…"
    said = f": {root}" if root else ""
    return harmless_line(f"failed: {finding.title} ({finding.label}, {finding.confidence.value}){said}; still reading")


class _Pipe:
    """A pipe that is listened to."""

    def __init__(self, file: BinaryIO, lookout: Lookout) -> None:
        self._source = FileSource(file, keep_open=True)
        self._descriptor = file.fileno()
        self._lookout = lookout

    def readinto(self, view: memoryview, /) -> int:
        if not select.select([self._descriptor], [], [], _PAUSE)[0]:
            self._lookout.pause()
        count = self._source.readinto(view)
        if count:
            self._lookout.hear(bytes(view[:count]))
        return count

    def close(self) -> None:
        self._source.close()


class _Growing:
    """A file that is read as it grows, until Ctrl-C, or until a run that has failed says no more."""

    def __init__(self, path: str, lookout: Lookout) -> None:
        self._path = path
        self._file = open(path, "rb", buffering=0)  # noqa: PTH123, SIM115  # closed below
        self._lookout = lookout
        self._read = 0

    def readinto(self, view: memoryview, /) -> int:
        silent = 0.0
        try:
            while not (count := self._file.readinto(view) or 0):
                if (self._lookout.has_told and silent > _ENDED) or self._is_gone():
                    return 0
                time.sleep(_PAUSE)
                silent += _PAUSE
                self._lookout.pause()
        except KeyboardInterrupt:
            return 0
        self._read += count
        self._lookout.hear(bytes(view[:count]))
        return count

    def close(self) -> None:
        self._file.close()

    def _is_gone(self) -> bool:
        """Tell whether the file was cut off, taken away or replaced."""
        try:
            status = os.stat(self._path)  # noqa: PTH116  # a string everywhere else
        except OSError:
            return True
        own = os.fstat(self._file.fileno())
        return (status.st_ino, status.st_dev) != (own.st_ino, own.st_dev) or status.st_size < self._read


def listened_to(entry: Input, ruleset: RuleSet) -> Input:
    """Return standard input as one that names failures while it lasts, where it can be waited for."""

    def opened() -> ByteSource:
        raw = getattr(getattr(sys.stdin, "buffer", None), "raw", None)
        try:
            if sys.platform != "win32" and raw is not None and stat.S_ISFIFO(os.fstat(raw.fileno()).st_mode):
                return _Pipe(raw, Lookout(ruleset))
        except (OSError, ValueError):  # not a real file, as in a notebook
            pass
        return entry.opener()

    return replace(entry, opener=opened)


def followed(entry: Input, ruleset: RuleSet) -> Input:
    """Return a file that is read as it grows; raises ``InputError`` for what is no plain file."""
    if entry.size is None:
        raise InputError(entry.name, "only a plain file can be followed; a pipe is read as it comes anyway")

    def opened() -> ByteSource:
        return _Growing(entry.name, Lookout(ruleset))

    return replace(entry, opener=opened, size=None)
