"""A record, such as a timeline or a verification, as plain values for JSON; the keys are the fields' names."""

from __future__ import annotations

from typing import Any

from tracelens.record import Record, field_names
from tracelens.report.harmless import whole_characters
from tracelens.typed import Enum

_DIGITS = 6


def record_values(record: Record | None) -> Any:  # noqa: ANN401 - what JSON holds
    """Return a record as objects, lists, texts and numbers; nothing stays nothing."""
    return _value(record)


def _value(value: object) -> Any:  # noqa: ANN401 - what JSON holds
    kind = type(value)
    if value is None or kind is int:
        return value
    if isinstance(value, str):
        return value if value.isascii() else whole_characters(value)
    if isinstance(value, float):
        return round(value, _DIGITS)
    if isinstance(value, tuple):
        return [_value(item) for item in value]
    if isinstance(value, Record):
        return {name: _value(getattr(value, name)) for name in field_names(type(value))}
    return value.value if isinstance(value, Enum) else value
