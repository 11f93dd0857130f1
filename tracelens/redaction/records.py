"""Redacts everything that a record holds, whichever field it stands in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeVar

from tracelens.findings import Replacement
from tracelens.record import Record, field_names, replace
from tracelens.redaction.redactor import Redactor

_T = TypeVar("_T")
#: Fields that rules fill, and no log.
_OF_RULES = frozenset({"code", "label", "explanation", "not_helpful", "references"})


def redact_record(record: _T) -> tuple[_T, tuple[Replacement, ...]]:
    """Return the record without what is private in any of its texts, and what was replaced.

    A name has the same placeholder in all of them.
    """
    redactor = Redactor(dict.fromkeys(_texts(record)))
    return _redacted(record, redactor, {}), redactor.replacements


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Record):
        for name in _private_fields(value):
            yield from _texts(getattr(value, name))
    elif isinstance(value, tuple):
        for item in value:
            yield from _texts(item)


def _redacted(value: _T, redactor: Redactor, known: dict[str, str]) -> _T:
    changed: Any = value
    if isinstance(value, str):
        changed = known.get(value)
        if changed is None:
            changed = known[value] = redactor.redact(value)
    elif isinstance(value, Record):
        fields = {name: _redacted(getattr(value, name), redactor, known) for name in _private_fields(value)}
        changed = replace(value, **fields)
    elif isinstance(value, tuple):
        changed = tuple(_redacted(item, redactor, known) for item in value)
    result: _T = changed
    return result


def _private_fields(record: Record) -> list[str]:
    return [name for name in field_names(type(record)) if name not in _OF_RULES]
