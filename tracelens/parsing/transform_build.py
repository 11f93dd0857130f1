"""Compilers and ninja: diagnostics, commands and builds become events."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from tracelens.events import NinjaBuild
from tracelens.expressions import expression
from tracelens.parsing.blocks import dedented
from tracelens.parsing.diagnostics import read_diagnostic, read_invocation
from tracelens.parsing.exceptions import capped
from tracelens.parsing.machine import Token
from tracelens.parsing.reading import Reading
from tracelens.record import replace

_QUOTED_SOURCE = frozenset({"DIAGNOSTIC_SOURCE", "INDENTED"})


def read_diagnostic_group(reading: Reading, tokens: Sequence[Token]) -> None:
    """Read a diagnostic with the lines that lead to it and the source it quotes."""
    lead = [token for token in tokens if reading.kind(token) == "DIAGNOSTIC_LEAD"]
    head = next(token for token in tokens if reading.kind(token) == "DIAGNOSTIC")
    below = [token for token in tokens if reading.kind(token) in _QUOTED_SOURCE]
    span = reading.span(head, below[-1] if below else None)
    context = "\n".join([reading.source(token) for token in (*lead, *below)])
    event = read_diagnostic(
        capped(reading.source(head)), span, reading.process, reading.record, capped(context) or None
    )
    if event is not None and not event.message and below:
        # CMake tells what is wrong on the lines below.
        text = dedented([line for line, _span in reading.lines(below)])
        event = replace(event, message=capped(text.strip()))
    reading.keep(event, tokens)


def read_command(reading: Reading, token: Token, line: str | None = None) -> None:
    """Read a command line of a compiler; ``line`` is the part of the token that holds it, if not all."""
    text = capped(reading.source(token) if line is None else line)
    reading.keep(read_invocation(text, reading.span(token), reading.process, reading.record), [token])


@cache
def _failed_edge() -> re.Pattern[str]:
    return expression(r"\s*FAILED: (?:\[code=-?\d+\] )?(.*?)(?: \[code=-?\d+\])?\s*$")


@cache
def _ninja_says() -> re.Pattern[str]:
    return expression(r"\s*ninja: (?:build stopped: (?P<stopped>.*?)\.?|(?P<message>.*))\s*$")


def read_ninja(reading: Reading, token: Token) -> None:
    """Read a step, a failed edge or the end of a ninja build."""
    kind, line = reading.kind(token), reading.source(token)
    span = reading.span(token)
    if kind == "NINJA_STEP":
        read_command(reading, token)
        return
    if kind == "NINJA_FAILED":
        edge = _failed_edge().match(line)
        outputs = tuple((edge.group(1) if edge else "").split())
        build = NinjaBuild(
            span=span, process=reading.process, record=reading.record, outputs=outputs, message=line.strip()
        )
    else:
        says = _ninja_says().match(line)
        stopped = says["stopped"] if says else None
        build = NinjaBuild(
            span=span, process=reading.process, record=reading.record, stopped=stopped, message=line.strip()
        )
    reading.events.append(build)


@cache
def _launched() -> re.Pattern[str]:
    """The command of a launcher: it runs the user's program and no compiler."""
    return expression(
        r"Command '\[?'?(?:[^'\s]*[\\/])?(?:python[\d.]*|torchrun|accelerate|deepspeed|bash|sh|mpirun|srun)\b"
    )


@cache
def _step_in_message() -> re.Pattern[str]:
    return expression(r": (\[\d+/\d+\] [^\n]*)")


def read_reported(reading: Reading, tokens: Sequence[Token]) -> None:
    """Read what an exception's message quotes from compilers and ninja."""
    index = 0
    while index < len(tokens):
        token = tokens[index]
        kind = reading.kind(token)
        index += 1
        if kind == "DIAGNOSTIC":
            group = [tokens[index - 2]] if index > 1 and reading.kind(tokens[index - 2]) == "DIAGNOSTIC_LEAD" else []
            group.append(token)
            while index < len(tokens) and reading.kind(tokens[index]) in _QUOTED_SOURCE:
                group.append(tokens[index])
                index += 1
            read_diagnostic_group(reading, group)
        elif kind == "INVOCATION":
            read_command(reading, token)
        elif kind.startswith("NINJA_"):
            read_ninja(reading, token)
        elif kind.startswith("EXCEPTION"):
            _read_exception_line(reading, token)


def _read_exception_line(reading: Reading, token: Token) -> None:
    """Find a command inside an exception line: CalledProcessError, Error building extension."""
    line = reading.source(token)
    failed = "returned non-zero exit status" in line or "died with" in line
    if failed and "Command " in line and not _launched().search(line):
        read_command(reading, token)
    step = _step_in_message().search(line) if "Error building extension" in line else None
    if step is not None:
        read_command(reading, token, step.group(1))
