"""One child process: started in a group and, where possible, a network of its own; bounded; ended for certain."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from tracelens.record import Record
from tracelens.verify.child.result import Reached

_START = Path(__file__).with_name("child") / "start.py"
#: The beginning and the end of what a child printed are kept.
_KEPT_BYTES = 1_000_000
#: What a child that ran out of time gets to say where it stood.
_LAST_WORDS_SECONDS = 5.0
_SIGNAL_WORDS: dict[int, str] = {
    signal.SIGSEGV: "Segmentation fault (core dumped)",
    signal.SIGBUS: "Bus error (core dumped)",
    signal.SIGABRT: "Aborted (core dumped)",
    signal.SIGILL: "Illegal instruction (core dumped)",
    signal.SIGFPE: "Floating point exception (core dumped)",
    signal.SIGKILL: "Killed",
}


class ChildRun(Record):
    """How a child ended; ``exit_code`` is ``None`` where it ran out of time.

    ``log`` is what a terminal would show, ``facts`` what the child reported of itself.
    """

    exit_code: int | None
    seconds: float
    log: str
    facts: dict[str, Any]

    @property
    def stage(self) -> Reached:
        """Return how far the child came, by its own word."""
        said = self.facts.get("stage")
        return next((stage for stage in Reached if stage.value == said), Reached.START)


def run_child(
    python: str, job: Mapping[str, Any], environ: Mapping[str, str], folder: Path, seconds: float
) -> ChildRun:
    """Do a job in a child and wait for it, at most so many seconds.

    An interrupt of this process ends the child as well.
    """
    reader, writer = os.pipe()
    try:
        command = [*own_network(), python, str(_START), str(writer)]
        output, exit_code, elapsed = run_bounded(
            command, environ, folder, seconds, given=json.dumps(job).encode(), inherited=(writer,)
        )
        os.close(writer)
        writer = -1
        told = os.read(reader, 1 << 20)
    finally:
        for descriptor in (reader, writer):
            with suppress(OSError):
                os.close(descriptor)
    facts: dict[str, Any] = {}
    with suppress(ValueError):
        facts = json.loads(told)
    return ChildRun(exit_code=exit_code, seconds=elapsed, log=output, facts=facts)


def run_bounded(  # noqa: PLR0913 - what a process is
    command: Sequence[str],
    environ: Mapping[str, str],
    folder: Path,
    seconds: float,
    *,
    given: bytes = b"",
    inherited: tuple[int, ...] = (),
) -> tuple[str, int | None, float]:
    """Run a command in a process group of its own; return its output, exit code and time."""
    started = time.monotonic()
    process = subprocess.Popen(  # noqa: S603 - a Python and a program of ours, or what the user named
        command,
        env=dict(environ),
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        pass_fds=inherited,
        start_new_session=True,
    )
    heard = _Listener(process)
    try:
        with suppress(BrokenPipeError):
            _stream(process.stdin).write(given)
            _stream(process.stdin).close()
        exit_code = _wait(process, seconds)
    finally:
        _end(process)
    text = heard.text()
    if exit_code is not None and exit_code < 0:
        # As a shell prints it, for that is how a user would see it.
        text += "\n" + _SIGNAL_WORDS.get(-exit_code, f"signal {-exit_code}") + "\n"
    return text, exit_code, time.monotonic() - started


def _wait(process: subprocess.Popen[bytes], seconds: float) -> int | None:
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        # As by Ctrl-C: Python then prints where it waited, which says what for.
        _signal_group(process, signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_LAST_WORDS_SECONDS)
        return None


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill what is left of the group, compilers included."""
    _signal_group(process, signal.SIGKILL)
    process.wait()


def _signal_group(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


def _stream(stream: Any) -> Any:  # noqa: ANN401 - a pipe that Popen was told to make
    return stream


class _Listener:
    """Reads what a process prints as it comes, so that the process never waits for a reader."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._head = bytearray()
        self._tail = bytearray()
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def text(self) -> str:
        """Return what was printed; long output without its middle."""
        self._thread.join(_LAST_WORDS_SECONDS)
        # A process that left the group may still hold the other end.
        if not self._thread.is_alive():
            _stream(self._process.stdout).close()
        middle = b"\n[...]\n" if len(self._tail) >= _KEPT_BYTES // 2 else b""
        return (bytes(self._head) + middle + bytes(self._tail)).decode("utf-8", "replace")

    def _listen(self) -> None:
        stream = _stream(self._process.stdout)
        with suppress(ValueError, OSError):
            while chunk := stream.read1(1 << 16):
                room = _KEPT_BYTES // 2 - len(self._head)
                self._head += chunk[:room] if room > 0 else b""
                self._tail += chunk[max(room, 0) :]
                del self._tail[: -_KEPT_BYTES // 2]


@cache
def own_network() -> tuple[str, ...]:
    """Return the command that gives a child a network with nothing in it, or nothing where that is forbidden."""
    program = shutil.which("unshare") or "/usr/bin/unshare"
    # root stays root: in a namespace of users the files of others would be out of its reach.
    ways = [("--net",)] if os.geteuid() == 0 else [("--map-current-user", "--net"), ("--map-root-user", "--net")]
    for way in ways:
        command = (program, *way, "--")
        with suppress(OSError, subprocess.TimeoutExpired):
            done = subprocess.run([*command, "/bin/true"], capture_output=True, check=False, timeout=10)  # noqa: S603 - a probe
            if done.returncode == 0:
                return command
    return ()
