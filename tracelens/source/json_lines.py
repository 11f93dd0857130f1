"""Take messages out of log lines that a collector wrapped in JSON.

One object a line, as docker, fluentd, Cloud Logging and the JSON formatters
of Python's logging write them. The message comes back with its own line ends;
an object without one is content and stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

from tracelens.expressions import expression
from tracelens.source.codes import has_hidden_codes, is_clean
from tracelens.source.controls import ends_in_bar, rows_of
from tracelens.source.identity import Owner, merge
from tracelens.source.rows import Rows
from tracelens.source.signs import may_unwrap

#: Where the text is, best first.
_MESSAGES = (
    "message",
    "msg",
    "log",
    "textPayload",
    "line",
    "event",
    "_raw",
    "body",
    "Body",
    "MESSAGE",
    "@message",
    "text",
)
#: Objects inside the object that hold the text instead.
_NESTED = ("jsonPayload", "fields", "record", "result", "_source", "data")
#: Texts beside the message that belong under it.
_TRACES = (
    "exc_info",
    "exc_text",
    "exception",
    "stack_trace",
    "stacktrace",
    "stack_info",
    "traceback",
    "exception.stacktrace",
    "error.stack",
    "error.stack_trace",
)
#: Objects inside the object that may hold such a text: of OpenTelemetry, of ECS.
_TOLD_BESIDE = ("attributes", "error")
_HEADER_KEYS = frozenset({"levelname", "level", *_TRACES, *_TOLD_BESIDE})
_OWNER_KEYS = frozenset({"resource", "kubernetes", "pod_name", "rank", "global_rank"})
_LEVELS = frozenset({"DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"})
_LINK = "\n\nDuring handling of the above exception, another exception occurred:\n\n"
#: Docker cuts a longer line into several objects, each but the last without a line end.
_DOCKER_LIMIT = 16_000

_CUT = expression(r'"(?:message|msg|log|textPayload)"\s*:\s*"((?:[^"\\]|\\.)*)')
_HAS_HEADER = expression(r"[VDIWEC]\d{4} \d\d:|.{0,60}\b(?:DEBUG|INFO|WARNING|ERROR|CRITICAL)\b")


def unwrap_json(rows: Rows) -> Rows | None:
    """Replace each wrapped row by the rows of its message."""
    if not may_unwrap(rows.text):
        return None
    pieces: list[list[str] | None] = [None] * len(rows.texts)
    owners: dict[int, Owner] = {}
    unfinished: int | None = None
    changed = False
    for i, text in enumerate(rows.texts):
        found = _message_of(text)
        if found is None:
            unfinished = None
            continue
        changed = True
        message, owner, is_cut = found
        if owner is not None:
            owners[i] = owner
        lines = _lines_of(message)
        if not lines:
            pieces[i] = []
            continue
        if unfinished is not None and (head := pieces[unfinished]):
            head[-1] += lines[0]
            pieces[i] = lines[1:]
        else:
            pieces[i] = lines
        unfinished = (i if pieces[i] else unfinished) if is_cut else None
    if not changed:
        return None
    return _spread(rows, pieces, owners)


def _spread(rows: Rows, pieces: list[list[str] | None], owners: dict[int, Owner]) -> Rows:
    if owners:
        old: list[Owner | None] = [None] * len(rows.texts) if rows.owners is None else rows.owners
        named = [merge(owner, owners.get(i)) for i, owner in enumerate(old)]
        rows = Rows(rows.texts, rows.numbers, ends=rows.ends, owners=named)
    return rows.spread(pieces)


@cache
def _decoder() -> Callable[[str], object]:
    from json import JSONDecoder

    return JSONDecoder(strict=False).decode


def _message_of(text: str) -> tuple[str, Owner | None, bool] | None:
    """Return the text of a wrapped row, who printed it, and whether more of the same line follows."""
    start = text.lstrip()
    if start[:1] != "{":
        return None
    try:
        record = _decoder()(start.rstrip(" \t,"))
    except (ValueError, RecursionError):
        return _message_of_cut(start)
    if not isinstance(record, dict):
        return None
    holder, message = _find(record)
    raised = _raised(record)
    if raised is not None:
        return raised, None, False
    if message is None:
        return None
    is_cut = "log" in record and len(message) >= _DOCKER_LIMIT and not message.endswith("\n")
    if not holder.keys().isdisjoint(_HEADER_KEYS):
        message = _with_header(holder, message)
    return message, None if record.keys().isdisjoint(_OWNER_KEYS) else _owner_in(record), is_cut


def _message_of_cut(text: str) -> tuple[str, Owner | None, bool] | None:
    """Read the message of an object that was cut off."""
    match = _CUT.search(text)
    if match is None:
        return None
    raw = match.group(1)
    try:
        message = _decoder()(f'"{raw}"')
    except ValueError:  # cut within an escape sequence
        message = raw
    return str(message), None, False


def _find(record: dict[str, object]) -> tuple[dict[str, object], str | None]:
    """Return the object that holds the message, and the message."""
    for key in _MESSAGES:
        value = record.get(key)
        if isinstance(value, str):
            return record, value
    for key in _NESTED:
        nested = record.get(key)
        if isinstance(nested, dict):
            for inner in _MESSAGES:
                value = nested.get(inner)
                if isinstance(value, str):
                    return nested, value
    return record, None


def _raised(record: dict[str, object]) -> str | None:
    """Return as a traceback what AWS Lambda's runtime or structlog reports as fields of an object."""
    chain = record.get("exception")
    if isinstance(chain, list):
        # The last one raised comes first.
        told = [text for link in reversed(chain) if isinstance(link, dict) and (text := _told_by_structlog(link))]
        return _LINK.join(told) or None
    return _traceback(record.get("errorType"), record.get("errorMessage"), record.get("stackTrace"))


def _told_by_structlog(link: dict[str, object]) -> str | None:
    frames = link.get("frames")
    places = [
        f'  File "{frame.get("filename")}", line {frame.get("lineno")}, in {frame.get("name")}'
        for frame in (frames if isinstance(frames, list) else ())
        if isinstance(frame, dict)
    ]
    return _traceback(link.get("exc_type"), link.get("exc_value"), places)


def _traceback(name: object, message: object, stack: object) -> str | None:
    if not (isinstance(name, str) and isinstance(message, str) and isinstance(stack, list)):
        return None
    frames = "".join(f"{frame.rstrip()}\n" for frame in stack if isinstance(frame, str))
    return f"Traceback (most recent call last):\n{frames}{name}: {message}"


def _with_header(record: dict[str, object], message: str) -> str:
    """Add what a logging formatter would have printed around the message: level, logger, traceback."""
    level = str(record.get("levelname") or record.get("level") or "").upper()
    level = "WARNING" if level == "WARN" else level
    logger = record.get("name") or record.get("logger") or record.get("logger_name")
    if level in _LEVELS and isinstance(logger, str) and not _HAS_HEADER.match(message):
        message = f"{level}:{logger}:{message}"
    for holder in (record, *(record.get(key) for key in _TOLD_BESIDE)):
        for trace in _traces_in(holder) if isinstance(holder, dict) else ():
            if trace not in message:
                message = f"{message}\n{trace}"
    return message


def _traces_in(holder: dict[str, object]) -> Iterator[str]:
    for key in _TRACES:
        trace = holder.get(key)
        if isinstance(trace, str) and trace.strip():
            # ECS gives the frames alone, and beside them what was raised.
            frames = trace.split("\n") if trace.lstrip().startswith('File "') else None
            yield _traceback(holder.get("type"), holder.get("message"), frames) or trace


def _owner_in(record: dict[str, object]) -> Owner | None:
    """Return the pod and rank that the object names."""
    places: list[str] = []
    resource = record.get("resource")
    labels = resource.get("labels") if isinstance(resource, dict) else None
    for holder in (record.get("kubernetes"), labels, record):
        pod = holder.get("pod_name") if isinstance(holder, dict) else None
        if isinstance(pod, str) and pod not in places:
            places.append(pod)
    rank = record.get("rank", record.get("global_rank"))
    number = rank if isinstance(rank, int) and not isinstance(rank, bool) and rank >= 0 else None
    return Owner(places=tuple(places), rank=number) if places or number is not None else None


def _lines_of(message: str) -> list[str]:
    """Cut a message into rows, none if it was all bars; the line end behind it is the collector's."""
    message = message.rstrip("\r\n")
    if "\n" not in message and is_clean(message) and not has_hidden_codes(message):
        return [message]
    texts = rows_of(message, 0).texts
    return [] if texts == [""] and ends_in_bar(message) else texts
