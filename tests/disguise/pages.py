"""What pages, chats and terminals make of a log that somebody pastes or records."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from random import Random

from tests.disguise.disguise import Disguise, each_line

_WIDTH = 120


def _smart(line: str) -> str:
    """Curl the quotes, as word processors and chats do, and keep blanks by no-break spaces."""
    line = re.sub(r'(^|[\s(\[{=,])"', "\\1\u201c", line).replace('"', "\u201d")
    line = re.sub(r"(^|[\s(\[{=,])'", "\\1\u2018", line).replace("'", "\u2019")
    return re.sub(r"^ +", lambda m: "\xa0" * len(m[0]), line)


def _screen(lines: Sequence[str], _random: Random) -> list[str]:
    """Print what a pane of tmux shows: cut at its width, filled up with blanks."""
    return [line[i : i + _WIDTH].ljust(_WIDTH) for line in lines for i in range(0, max(1, len(line)), _WIDTH)]


def _typescript(lines: Sequence[str], random: Random) -> list[str]:
    """Record a session: a prompt with corrections and key codes, line ends of terminals."""
    typed = "python tz\b\x1b[Krain.py"
    recorded = [
        'Script started on 2026-03-24 06:51:07+00:00 [TERM="xterm-256color" TTY="/dev/pts/0" COLUMNS="120" LINES="30"]',
        f"\x1b]0;u@host: ~/work\x07\x1b[01;32mu@host\x1b[00m:\x1b[01;34m~/work\x1b[00m$ {typed}\r",
    ]
    for line in lines:
        words = line.split(" ")
        place = random.randrange(len(words))
        if words[place] and random.random() < 0.2:
            words[place] = f"{words[place]}#\b \b"
        recorded.append(" ".join(words) + "\r")
    return [*recorded, "", 'Script done on 2026-03-24 06:52:11+00:00 [COMMAND_EXIT_CODE="1"]']


def _overstruck(line: str) -> str:
    """Print words bold as printers and old pagers do: each letter twice."""
    return re.sub(r"\b[A-Z]\w+Error\b", lambda m: "".join(f"{each}\b{each}" for each in m[0]), line)


def _holes(lines: Sequence[str], random: Random) -> list[str]:
    """Leave the zero bytes of a file that was truncated while it was written to, and of a lost block."""
    torn = ["\0" * 600 + lines[0], *lines[1:]]
    return [f"{line}\0" if random.random() < 0.1 else line for line in torn]


DISGUISES: tuple[Disguise, ...] = (
    Disguise(
        name="entities of a page",
        change=lambda lines, _random: [html.escape(line) for line in lines],
        # Only a quote is spelled so nowhere else.
        unlike=re.compile(r"""\A[^"']*\Z"""),
    ),
    Disguise(
        name="smart quotes",
        change=lambda lines, _random: [_smart(line) for line in lines],
        # What compilers of other lands print has curled single quotes, too.
        unlike=re.compile(r'\A[^"]*\Z'),
    ),
    each_line("code quoted in Markdown", lambda _i, line: f">     {line}", least=4),
    each_line("overstruck", lambda _i, line: _overstruck(line)),
    Disguise(name="screen of tmux", change=_screen, least=8, loses=True),
    Disguise(name="typescript", change=_typescript),
    Disguise(name="zero bytes", change=_holes),
)
