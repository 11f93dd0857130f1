"""Chromium events at the end of a trace: which step had begun and not ended."""

from __future__ import annotations

import re
from functools import cache

from tracelens.expressions import expression

_MAX_DEPTH = 1000


@cache
def _event() -> re.Pattern[bytes]:
    # The payload of one event, in the order in which torch writes it.
    return expression(
        rb'\n\t"name": "(?P<name>[^"\n]{1,200})",\n\t"ts": [^\n]{1,40},\n\t"args": \{(?P<args>[^}]{0,4000}?)\n?\t?\},'
        rb'\n\t"ph": "(?P<kind>[BE])"'
    )


def innermost_open(tail: bytes, compile_id: str) -> str | None:
    """Return the innermost step of a compilation that has begun in ``tail`` and not ended."""
    mark = f'"compile_id": "{compile_id}"'.encode()
    steps: list[str] = []
    for match in _event().finditer(tail):
        if mark not in match["args"]:
            continue
        name = match["name"].decode("utf-8", "replace")
        if match["kind"] == b"B":
            if len(steps) < _MAX_DEPTH:
                steps.append(name)
        elif name in steps:
            del steps[len(steps) - 1 - steps[::-1].index(name) :]
    return steps[-1] if steps else None
