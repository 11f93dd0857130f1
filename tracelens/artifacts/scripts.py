"""Scripts that torch writes to reproduce a graph: what they say of the machine.

They are read as text, line by line, and never run, imported or compiled.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from tracelens.events import EnvironmentReport, Event, GraphText, Unfinished
from tracelens.expressions import expression
from tracelens.text import Span

LAUNCHER = "minifier_launcher.py"
_MAX_LINES = 50_000
_LONGEST_VALUE = 1000
_NOTHING = frozenset({"None", "N/A", "''", '""'})


@cache
def _facts() -> tuple[tuple[str, re.Pattern[str]], ...]:
    version = r"(\d[\w.+-]{0,60})"
    return (
        ("torch", expression(rf"# torch version: {version}\s*$")),
        ("cuda", expression(rf"# torch cuda version: {version}\s*$")),
        ("cuda_toolkit", expression(rf"# Cuda compilation tools, release {version},")),
        ("gpu", expression(r"# (NVIDIA [^:\n]{1,80}?|AMD [^:\n]{1,80}?) ?: \d{1,3}\s*$")),
    )


@cache
def _setting() -> re.Pattern[str]:
    return expression(
        r"os\.environ\[['\"](?P<variable>(?:TORCH|TRITON|PYTORCH|CUDA|INDUCTOR)\w{0,100})['\"]\]"
        r" = (?P<value>.{1,1000})$"
        r"|(?P<option>torch\.(?:_inductor|_dynamo|_functorch|fx\.experimental\._)\.?config\.[\w.]{1,200})"
        r" = (?P<setting>.{1,1000})$"
    )


@cache
def _run() -> re.Pattern[str]:
    return expression(r"run_repro\([^\n]{0,400}?accuracy=(?P<accuracy>True|False|'[^']{0,40}')")


def read_script(name: str, text: str, base: int) -> Iterator[Event]:
    """Yield what a script tells; ``base`` is what its lines are counted from."""
    lines = text.split("\n", _MAX_LINES)[:_MAX_LINES]
    yield GraphText(
        span=Span(line=base + 1, end_line=base + max(1, len(lines))), kind="fx_graph_runnable", name=None, code=text
    )
    for number, line in enumerate(lines, start=base + 1):
        facts = tuple(_facts_in(line))
        if facts:
            yield EnvironmentReport(span=Span(line=number, end_line=number), facts=facts)
        found = _run().search(line) if name.endswith(LAUNCHER) else None
        if found:
            yield Unfinished(span=Span(line=number, end_line=number), message=_failure(found["accuracy"]))


def _facts_in(line: str) -> Iterator[tuple[str, str]]:
    if line.startswith("# "):
        for name, pattern in _facts():
            match = pattern.match(line)
            if match:
                yield name, match[1]
        return
    match = _setting().match(line.strip()) if "=" in line else None
    if match:
        name, value = match["variable"] or match["option"], match["value"] or match["setting"]
        if value not in _NOTHING:
            yield name, value.strip("'\"")[:_LONGEST_VALUE]


def _failure(accuracy: str) -> str:
    if accuracy == "False":
        return "torch wrote a minifier launcher, which it does when a graph has failed to compile or to run."
    return "torch wrote a minifier launcher, since a compiled graph gave other results than eager."
