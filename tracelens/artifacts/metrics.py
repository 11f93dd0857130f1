"""The JSON of trace headers, and the numbers in ``compilation_metrics``.

A header of recent torch carries its whole configuration as JSON inside strings,
forty kilobytes that hold no fact wanted here; they are left out before parsing.
Whatever does not parse, or has another type than torch writes, is left out too.
"""

from __future__ import annotations

import json
from math import isfinite
from typing import Any

from tracelens.timeline import Phase, PhaseName

_SMALL = 4096
_MICROSECONDS = 1e-6
_MILLISECONDS = 1e-3
#: No compilation takes longer; a number beyond it is no duration.
_LONGEST = 1e9
_LONGEST_TEXT = 20_000


def read_header(header: bytes) -> dict[str, Any]:
    """Return the JSON object of a header; empty where it is none."""
    if len(header) > _SMALL:
        found = _loaded(_without_settings(header))
        if found:
            return found
    return _loaded(header)


def _loaded(header: bytes) -> dict[str, Any]:
    try:
        found = json.loads(header.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _without_settings(header: bytes) -> bytes:
    """Empty the strings in which whole configurations stand."""
    parts = []
    start = 0
    while (at := header.find(b'_config": "{', start)) >= 0:
        end = header.find(b"}", at)
        # Quotes in the string are escaped, so a brace before a plain one is its end.
        while end >= 0 and header[end + 1 : end + 2] != b'"':
            end = header.find(b"}", end + 1)
        if end < 0:
            break
        parts.append(header[start : at + 11])
        start = end + 1
    return b"".join((*parts, header[start:]))


def text_of(value: object, longest: int = _LONGEST_TEXT) -> str | None:
    """Return a text that is not empty, cut to a length."""
    return value[:longest] if isinstance(value, str) and value else None


def whole_of(value: object) -> int | None:
    """Return a whole number that is not negative."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def seconds_of(metrics: dict[str, Any], name: str) -> float | None:
    """Return a duration, in the spelling of old and of new torch releases."""
    milliseconds = metrics.get(f"{name}_ms")
    if isinstance(milliseconds, int | float) and 0 <= milliseconds * _MILLISECONDS < _LONGEST:
        return milliseconds * _MILLISECONDS
    return _seconds(metrics, f"{name}_us", f"{name}_s")


def start_of(metrics: dict[str, Any]) -> float | None:
    """Return when a compilation began, in seconds of the clock."""
    value = metrics.get("start_time")
    return float(value) if isinstance(value, int | float) and abs(value) < 1e12 and isfinite(value) else None


def total_of(metrics: dict[str, Any]) -> float | None:
    """Return how long a compilation took altogether, backward not included."""
    total = _seconds(metrics, *_TOTAL)
    return seconds_of(metrics, "duration") if total is None else total


def phases_of(metrics: dict[str, Any]) -> tuple[Phase, ...]:
    """Return the seconds that each phase took by itself; torch counts those of later phases in."""
    known = []
    total = total_of(metrics)
    if total is not None:
        known.append((PhaseName.DYNAMO, total))
    for name, *keys in _NESTED:
        seconds = _seconds(metrics, *keys)
        if seconds is not None:
            known.append((name, seconds))
    within = [*(seconds for _, seconds in known[1:]), 0.0]
    return tuple(
        Phase(name=name, seconds=max(0.0, seconds - within[number])) for number, (name, seconds) in enumerate(known)
    )


#: A time in microseconds since torch 2.6, and in seconds before; each holds the times of those below it.
_TOTAL = ("dynamo_cumulative_compile_time_us", "entire_frame_compile_time_s")
_NESTED = (
    (PhaseName.AOT_AUTOGRAD, "aot_autograd_cumulative_compile_time_us", "backend_compile_time_s"),
    (PhaseName.INDUCTOR, "inductor_cumulative_compile_time_us", "inductor_compile_time_s"),
    (PhaseName.CODE, "inductor_code_gen_cumulative_compile_time_us", "code_gen_time_s"),
)


def _seconds(metrics: dict[str, Any], microseconds: str, seconds: str) -> float | None:
    for key, factor in ((microseconds, _MICROSECONDS), (seconds, 1.0)):
        value = metrics.get(key)
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value * factor < _LONGEST:
            return value * factor
    return None
