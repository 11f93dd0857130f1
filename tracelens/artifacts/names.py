"""File names of a trace, which stand in it once and are numbered from then on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tracelens.artifacts.metrics import read_header, text_of, whole_of


def innermost_frame(start: dict[str, Any], names: Sequence[bytes]) -> tuple[str | None, str | None]:
    """Return function and ``file:line`` of the frame that a ``dynamo_start`` is about.

    ``names`` are the headers of the ``str`` records before it.
    """
    details = start.get("dynamo_start")
    stack = details.get("stack") if isinstance(details, dict) else None
    frame = stack[-1] if isinstance(stack, list) and stack else None
    if not isinstance(frame, dict):
        return None, None
    number, line = whole_of(frame.get("filename")), whole_of(frame.get("line"))
    name = None if number is None else _name(number, names)
    return text_of(frame.get("name"), 200), f"{name}:{line}" if name and line is not None else None


def _name(number: int, names: Sequence[bytes]) -> str | None:
    """Return the name that has a number; the latest, as another process of the same file counts anew."""
    for header in reversed(names):
        pair = read_header(header).get("str")
        if isinstance(pair, list) and len(pair) == 2 and pair[1] == number:
            return text_of(pair[0])
    return None
