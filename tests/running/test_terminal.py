"""On a terminal the command has a terminal, with its size, its keys and its colours."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time

import pytest

from tests.command import COMMAND


class OnTerminal:
    """A program below ``tracelens run`` on a terminal that we are the user of."""

    def __init__(self, program: str) -> None:
        self.user, theirs = pty.openpty()
        fcntl.ioctl(self.user, termios.TIOCSWINSZ, struct.pack("HHHH", 33, 111, 0, 0))
        self.settings = termios.tcgetattr(theirs)
        self.child = subprocess.Popen(
            [COMMAND, "run", "--", sys.executable, "-u", "-c", program],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            preexec_fn=_lead_a_session,  # noqa: PLW1509 - there are no threads here
        )
        self.theirs = theirs
        self.seen = b""

    def expect(self, text: bytes) -> None:
        deadline = time.monotonic() + 20
        while text not in self.seen:
            assert time.monotonic() < deadline, self.seen
            if select.select([self.user], [], [], 0.5)[0]:
                self.seen += os.read(self.user, 65536)

    def type(self, keys: bytes) -> None:
        os.write(self.user, keys)

    def end(self) -> int:
        code = self.child.wait(20)
        while select.select([self.user], [], [], 0.1)[0]:
            self.seen += os.read(self.user, 65536)
        settings = termios.tcgetattr(self.theirs)
        os.close(self.user)
        os.close(self.theirs)
        assert settings == self.settings, "the terminal was not given back as it was"
        return code


def _lead_a_session() -> None:
    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def test_command_has_a_terminal_of_our_size():
    on = OnTerminal("import os, sys; print([os.isatty(n) for n in range(3)], os.get_terminal_size())")
    on.expect(b"[True, True, True] os.terminal_size(columns=111, lines=33)\r\n")
    assert on.end() == 0


def test_size_follows_ours():
    on = OnTerminal("""
import os, time
print("ready")
while os.get_terminal_size().columns == 111:
    time.sleep(0.05)
print(os.get_terminal_size())
""")
    on.expect(b"ready")
    fcntl.ioctl(on.user, termios.TIOCSWINSZ, struct.pack("HHHH", 20, 70, 0, 0))
    on.expect(b"columns=70, lines=20")
    assert on.end() == 0


def test_keys_reach_the_command_and_are_echoed_once():
    on = OnTerminal("print('got', input('name? '))")
    on.expect(b"name? ")
    on.type(b"me\r")
    on.expect(b"got me\r\n")
    assert on.end() == 0
    assert on.seen.count(b"me\r\n") == 2


def test_ctrl_c_interrupts_the_command_and_the_diagnosis_follows():
    on = OnTerminal("import time; print('ready'); time.sleep(60)")
    on.expect(b"ready")
    on.type(b"\x03")
    on.expect(b"KeyboardInterrupt")
    assert on.end() == 128 + signal.SIGINT
    assert b"outside/interrupted" in on.seen


def test_ctrl_z_stops_us_and_continue_goes_on():
    on = OnTerminal("import time; print('ready'); input(); print('on')")
    on.expect(b"ready")
    on.type(b"\x1a")
    deadline = time.monotonic() + 10
    while _state(on.child.pid) != "T":
        assert time.monotonic() < deadline
        time.sleep(0.05)
    os.kill(on.child.pid, signal.SIGCONT)
    time.sleep(0.3)
    on.type(b"\r")
    on.expect(b"\r\non\r\n")
    assert on.end() == 0


@pytest.mark.parametrize("sign", [b"\x1b[31m", "\u2717".encode()])
def test_colours_and_characters_pass_through(sign):
    on = OnTerminal(f"import os; os.write(1, {sign!r})")
    on.expect(sign)
    assert on.end() == 0


def test_a_flood_is_not_held_up():
    started = time.monotonic()
    on = OnTerminal("for number in range(40_000): print('a line of some length', number)\nprint('end')")
    on.expect(b"\r\nend\r\n")
    assert on.end() == 0
    assert on.seen.count(b"\r\n") == 40_001
    assert time.monotonic() - started < 15


def _state(pid: int) -> str:
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:  # noqa: PTH123 - a line of /proc
        return file.read().rpartition(")")[2].split()[0]
