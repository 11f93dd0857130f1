"""The guards that a trace gives as the reasons of a recompile, newest code first."""

from __future__ import annotations

import json
from functools import lru_cache

from tracelens.artifacts.records import TraceRecord
from tracelens.events import GuardFailure
from tracelens.parsing.guards import read_guard
from tracelens.record import Record, replace
from tracelens.text import Process, Span

#: Each older version of the code has a reason of its own, and they are much alike.
_MAX_REASONS = 8
_LONGEST = 4000


class Reasons(Record):
    """Where the reasons stand, and the guards."""

    span: Span
    guards: tuple[GuardFailure, ...]


def read_reasons(record: TraceRecord, base: int, process: Process | None) -> Reasons:
    """Read a ``recompile_reasons`` record: one guard as text, or a list of them with each on a line."""
    lines = record.payload.split(b"\n", _MAX_REASONS + 2)
    first = base + record.line + 1
    guards = []
    if lines[0].strip() == b"[":
        for number, line in enumerate(lines[1 : _MAX_REASONS + 1], start=1):
            text = _unquoted(line)
            if text:
                guards.append(_placed(text, first + number, process))
    else:
        text = lines[0].decode("utf-8", "replace")
        if text.strip():
            guards.append(_placed(text.strip(), first, process))
    last = guards[-1].span.line if guards else first
    return Reasons(span=Span(line=base + record.line, end_line=last), guards=tuple(guards))


def _unquoted(line: bytes) -> str | None:
    text = line.strip().removesuffix(b",")
    if not text.startswith(b'"') or len(text) > 64 * _LONGEST:
        return None
    try:
        found = json.loads(text)
    except ValueError:
        return None
    return found.partition("\n")[0].strip() if isinstance(found, str) else None


def _placed(text: str, line: int, process: Process | None) -> GuardFailure:
    return replace(_guard(text[:_LONGEST]), span=Span(line=line, end_line=line), process=process)


@lru_cache(maxsize=4096)
def _guard(text: str) -> GuardFailure:
    return read_guard(text, Span(line=1, end_line=1), None, None)
