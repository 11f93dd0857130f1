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


def _loaded(text: bytes) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _without_settings(header: bytes) -> bytes:
    """Empty the strings in which whole configurations stand."""
    parts = []
    start = 0
    while (at := header.find(b'_config": "{', start)) >= 0:
        # Quotes in the string are escaped, so this cannot stand within it.
        end = header.find(b'}", "', at)
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
    for key, factor in ((f"{name}_us", _MICROSECONDS), (f"{name}_ms", _MILLISECONDS), (f"{name}_s", 1.0)):
        value = metrics.get(key)
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value * factor < _LONGEST:
            return value * factor
    return None


def start_of(metrics: dict[str, Any]) -> float | None:
    """Return when a compilation began, in seconds of the clock."""
    value = metrics.get("start_time")
    return float(value) if isinstance(value, int | float) and abs(value) < 1e12 and isfinite(value) else None


def total_of(metrics: dict[str, Any]) -> float | None:
    """Return how long a compilation took altogether, backward not included."""
    names = ("dynamo_cumulative_compile_time", "entire_frame_compile_time", "duration")
    return next((found for name in names if (found := seconds_of(metrics, name)) is not None), None)


def phases_of(metrics: dict[str, Any]) -> tuple[Phase, ...]:
    """Return the seconds that each phase took by itself; torch counts those of later phases in."""
    total = total_of(metrics)
    backend = _first(metrics, "aot_autograd_cumulative_compile_time", "backend_compile_time")
    inductor = _first(metrics, "inductor_cumulative_compile_time", "inductor_compile_time")
    code = _first(metrics, "inductor_code_gen_cumulative_compile_time", "code_gen_time")
    nested = (
        (PhaseName.DYNAMO, total),
        (PhaseName.AOT_AUTOGRAD, backend),
        (PhaseName.INDUCTOR, inductor),
        (PhaseName.CODE, code),
    )
    known = [(name, seconds) for name, seconds in nested if seconds is not None]
    within = [*(seconds for _, seconds in known[1:]), 0.0]
    return tuple(
        Phase(name=name, seconds=max(0.0, seconds - within[number])) for number, (name, seconds) in enumerate(known)
    )


def _first(metrics: dict[str, Any], *names: str) -> float | None:
    return next((found for name in names if (found := seconds_of(metrics, name)) is not None), None)
