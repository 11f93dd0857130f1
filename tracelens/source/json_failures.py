"""Find what an object of a JSON log says was raised, under whatever name it says so.

Formatters agree neither on the names nor on the shape: a traceback as one text; its
type, message and frames as fields; a chain of links; a bare message. Names decide
where a text could be anything, and a text with a traceback speaks for itself, unless
it may be part of a request that was logged.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from tracelens.expressions import expression
from tracelens.record import Record
from tracelens.source.field_names import FAILURE, QUOTED

_HEAD = "Traceback (most recent call last):"
_LINK = "\n\nDuring handling of the above exception, another exception occurred:\n\n"
#: Type, then what was said: of an object that is a failure, and among other fields.
_TYPES = ("exc_type", "type", "errorType", "error_type", "kind", "class", "name", "typeName")
_VALUES = ("exc_value", "value", "message", "msg", "errorMessage", "error_message", "detail", "reason")
_PAIRS = (
    ("errorType", ("errorMessage",)),
    ("error_type", ("error_message", "error_msg", "error")),
    ("exc_type", ("exc_value", "exc_message", "exc_msg", "exc")),
    ("exception_type", ("exception_message", "exception_value", "exception")),
    ("exceptionType", ("exceptionMessage",)),
    ("error.type", ("error.message",)),
    ("error.kind", ("error.message",)),
    ("exception.type", ("exception.message",)),
)
_FRAMES = ("frames", "stackTrace", "stack_trace", "stacktrace", "stack", "traceback", "parsedStack")
_FILES = ("filename", "file", "fileName", "abs_path")
_NUMBERS = ("lineno", "line", "lineNumber")
_FUNCTIONS = ("name", "function", "method")
_CLASS = expression(r"(?:\w{1,60}\.){0,8}[A-Z]\w{0,80}")
#: So deep, and so many fields in all, are looked at.
_DEPTH, _MOST = 5, 400


class _Field(Record):
    """A field at or below the name of a failure, or elsewhere; ``says`` marks what may be a bare message."""

    value: object
    is_failure: bool
    says: bool


def failures_in(record: dict[str, object], *, is_error: bool) -> list[str]:
    """Return each failure that fields of ``record`` tell of, the fullest telling first and none twice.

    Of a record that is no error, only what its names call a failure is taken, and no bare message.
    """
    fields = list(islice(_fields(record, _DEPTH, is_failure=False), _MOST))
    texts = [text for field in fields if isinstance(text := field.value, str) and (field.is_failure or is_error)]
    tellings = [text for text in texts if _HEAD in text]
    tellings += _told_in(record, fields)
    if is_error:
        tellings += [field.value for field in fields if field.says and isinstance(field.value, str)]
    told: list[str] = []
    for text in tellings:
        said = text.rstrip().rpartition("\n")[2].strip()
        if said and not any(said in other for other in told):
            told.append(text.rstrip())
    return told


def _fields(holder: dict[str, object], depth: int, *, is_failure: bool) -> Iterator[_Field]:
    """Yield the fields of an object and of those below, but for what somebody sent."""
    for name, value in holder.items():
        named = FAILURE.fullmatch(name) is not None
        if depth and (named or QUOTED.fullmatch(name) is None):
            yield _Field(value=value, is_failure=named or is_failure, says=named or (is_failure and name in _VALUES))
            for below in value if isinstance(value, list) else [value]:
                if isinstance(below, dict):
                    yield from _fields(below, depth - 1, is_failure=named or is_failure)


def _told_in(record: dict[str, object], fields: list[_Field]) -> Iterator[str]:
    """Yield as tracebacks what is told as fields of the record, or of objects in it."""
    yield _pair_in(record)
    for field in fields:
        if isinstance(field.value, dict):
            yield _thrown(field.value) if field.is_failure else _pair_in(field.value)
        elif field.is_failure and isinstance(field.value, list):
            # structlog has the last one raised first.
            links = [_thrown(link) for link in reversed(field.value) if isinstance(link, dict)]
            yield _LINK.join(filter(None, links))


def _pair_in(holder: dict[str, object]) -> str:
    for type_name, value_names in _PAIRS:
        if type_name in holder:
            return _traceback(holder, (type_name,), value_names)
    return ""


def _thrown(link: dict[str, object]) -> str:
    return _traceback(link, _TYPES, _VALUES)


def _traceback(holder: dict[str, object], type_names: tuple[str, ...], value_names: tuple[str, ...]) -> str:
    name, value = _first(holder, type_names, str), _first(holder, value_names, str)
    if not isinstance(name, str) or _CLASS.fullmatch(name) is None or not isinstance(value, str) or _HEAD in value:
        return ""
    return f"{_HEAD}\n{_frames_in(holder)}{name}: {value}"


def _frames_in(holder: dict[str, object]) -> str:
    frames = _first(holder, _FRAMES, (str, list, dict))
    if isinstance(frames, dict):
        frames = _first(frames, _FRAMES, list)
    if isinstance(frames, str):
        return f"{frames.rstrip()}\n" if frames.lstrip().startswith('File "') else ""
    lines = (_frame(frame) for frame in (frames if isinstance(frames, list) else ()))
    return "".join(f"{line.rstrip()}\n" for line in lines if line)


def _frame(frame: object) -> str:
    """Return a frame as a traceback has it; empty where its place is not told."""
    if not isinstance(frame, dict):
        return frame if isinstance(frame, str) else ""
    file, number, function = _first(frame, _FILES, str), _first(frame, _NUMBERS, int), _first(frame, _FUNCTIONS, str)
    if file is None or number is None:
        return ""
    return f'  File "{file}", line {number}, in {function or "<unknown>"}'


def _first(holder: dict[str, object], names: tuple[str, ...], kind: type | tuple[type, ...]) -> object:
    """Return the first field of ``names`` that is of a kind."""
    return next((value for name in names if isinstance(value := holder.get(name), kind)), None)
