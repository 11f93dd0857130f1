"""Compilers and ninja: diagnostics, commands and builds become events."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from tracelens.alike import shape_of
from tracelens.events import CompilerDiagnostic, NinjaBuild
from tracelens.expressions import expression
from tracelens.parsing.blocks import Group, dedented
from tracelens.parsing.diagnostics import read_diagnostic, read_invocation
from tracelens.parsing.exceptions import capped
from tracelens.parsing.machine import Token
from tracelens.parsing.reading import Reading
from tracelens.parsing.repeats import Tally
from tracelens.parsing.stretches import Stretch, Stretches
from tracelens.record import replace
from tracelens.text import Span
from tracelens.typed import cache

_QUOTED_SOURCE = frozenset({"DIAGNOSTIC_SOURCE", "INDENTED"})


def read_diagnostic_group(reading: Reading, tokens: Sequence[Token]) -> None:
    """Read a diagnostic with the lines that lead to it and the source it quotes."""
    if reading.kind(tokens[0]) == "DIAGNOSTICS":
        read_diagnostics(reading, tokens[0])
        return
    lead = [token for token in tokens if reading.kind(token) == "DIAGNOSTIC_LEAD"]
    head = next(token for token in tokens if reading.kind(token) == "DIAGNOSTIC")
    below = [token for token in tokens if reading.kind(token) in _QUOTED_SOURCE]
    texts = ["\n".join(map(reading.source, part)) for part in (lead, [head], below)]
    said = _said(*texts)
    span = reading.span(head, below[-1] if below else None)
    reading.keep(_diagnostic(reading, said, span) if said else None, tokens)


def read_diagnostics(reading: Reading, token: Token) -> None:
    """Read many diagnostics that follow each other."""
    memory, line = reading.notes.memory, token[3]
    for start, stretch in reading.block.diagnostics[token[1]]:
        if stretch.tallies is None:
            _read_stretch(reading, stretch, start, line)
        else:
            stretch.times += 1
            stretch.latest = reading, start, line
            memory.stretches.counted[stretch] = None
        line += stretch.lines


def _read_stretch(reading: Reading, stretch: Stretch, start: int, line: int) -> None:
    """Read a stretch of diagnostics, as far as they have not been read often enough."""
    diagnosed, text = reading.notes.memory.diagnosed, stretch.text
    known, first = diagnosed.texts.get, diagnosed.first
    counts: dict[Tally, tuple[int, Group, int]] = {}
    below = 0
    is_known = True
    for group in stretch.groups:
        below += group[4]
        quoted = text[group[1] : group[3]]
        tally = known(quoted) or first(quoted, shape_of(quoted))
        if tally.room:
            tally.room -= 1
            is_known = False
            read_grouped(reading, _moved(group, start), line + below)
        else:
            tally.times += 1
            tally.latest = reading, _moved(group, start), line + below
        counts[tally] = counts[tally][0] + 1 if tally in counts else 1, group, below
        below += quoted.count("\n")
    if is_known:
        stretch.tallies = [(tally, *count) for tally, count in counts.items()]


def _moved(group: Group, by: int) -> Group:
    start, headline, source, end, leading = group
    return start + by, headline + by, source + by, end + by, leading


def count_stretches(stretches: Stretches) -> None:
    """Count the diagnostics of the stretches that were only counted as a whole."""
    for stretch in stretches.counted:
        if stretch.latest is None or stretch.tallies is None:
            continue
        reading, start, line = stretch.latest
        first_lines = reading.block.first_lines
        for tally, count, group, below in stretch.tallies:
            tally.times += count * stretch.times
            latest = tally.latest
            if latest is None or latest[0].block.first_lines[latest[2]] < first_lines[line + below]:
                tally.latest = reading, _moved(group, start), line + below
        stretch.times, stretch.latest = 0, None
    stretches.counted.clear()


def read_grouped(reading: Reading, group: Group, line: int) -> None:
    """Read one of many diagnostics; ``line`` is that of its headline."""
    start, headline, source, end, leading = group
    text = reading.text
    said = _said(*(part[:-1] for part in (text[start:headline], text[headline:source], text[source:end])))
    count = text.count("\n", headline, end)
    if said is None:
        reading.plain((reading.tables.numbers["DIAGNOSTICS"], start, end, line - leading, leading + count))
    else:
        reading.events.append(_diagnostic(reading, said, reading.block.span(line, count)))


def _diagnostic(reading: Reading, said: CompilerDiagnostic, span: Span) -> CompilerDiagnostic:
    """Return what was said as said in this block."""
    return CompilerDiagnostic(
        span=span,
        process=reading.process,
        record=reading.record,
        tool=said.tool,
        severity=said.severity,
        message=said.message,
        path=said.path,
        line=said.line,
        column=said.column,
        context=said.context,
    )


def _said(lead: str, head: str, below: str) -> CompilerDiagnostic | None:
    """Read the parts of a diagnostic, wherever it stood; builds repeat theirs, so the latest are remembered."""
    if len(lead) + len(head) + len(below) > _MEMORABLE:
        return _read_said(lead, head, below)
    return _remembered(lead, head, below)


def _read_said(lead: str, head: str, below: str) -> CompilerDiagnostic | None:
    context = "\n".join(part for part in (lead, below) if part)
    event = read_diagnostic(capped(head), _NOWHERE, None, None, capped(context) or None)
    if event is not None and not event.message and below:
        # CMake tells what is wrong on the lines below.
        event = replace(event, message=capped(dedented(below.split("\n")).strip()))
    return event


_NOWHERE = Span(line=0, end_line=0)
_MEMORABLE = 1500
_remembered = lru_cache(maxsize=2048)(_read_said)


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
        elif kind == "DIAGNOSTICS":
            read_diagnostics(reading, token)
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
