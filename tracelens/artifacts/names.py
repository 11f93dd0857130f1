"""File names of a trace, which stand in it once and are numbered from then on."""

from __future__ import annotations

from typing import Any

from tracelens.artifacts.metrics import text_of, whole_of

_MAX_NAMES = 100_000
_LONGEST = 1000


class StackNames:
    """The names that a trace has introduced so far."""

    def __init__(self) -> None:
        """Know none."""
        self._names: dict[int, str] = {}

    def add(self, pair: object) -> None:
        """Take the pair of a ``str`` record: a name and its number."""
        if not isinstance(pair, list) or len(pair) != 2 or len(self._names) >= _MAX_NAMES:
            return
        name, number = text_of(pair[0], _LONGEST), whole_of(pair[1])
        if name is not None and number is not None:
            self._names[number] = name

    def innermost(self, header: dict[str, Any]) -> tuple[str | None, str | None]:
        """Return function and ``file:line`` of the frame that a ``dynamo_start`` is about."""
        start = header.get("dynamo_start")
        stack = start.get("stack") if isinstance(start, dict) else None
        frame = stack[-1] if isinstance(stack, list) and stack else None
        if not isinstance(frame, dict):
            return None, None
        name = self._names.get(number) if (number := whole_of(frame.get("filename"))) is not None else None
        line = whole_of(frame.get("line"))
        return text_of(frame.get("name"), 200), f"{name}:{line}" if name and line is not None else None
