"""Take messages out of log lines that a collector wrapped in JSON.

One object a line, as docker, fluentd, Cloud Logging and the JSON formatters
of Python's logging write them. The message comes back with its own line ends;
an object without one is content and stays.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from tracelens.expressions import expression
from tracelens.source.codes import has_hidden_codes, is_clean
from tracelens.source.controls import ends_in_bar, rows_of
from tracelens.source.identity import Owner, merge
from tracelens.source.rows import Rows
from tracelens.source.signs import has_escaped_traceback, may_be_spread, may_unwrap

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
_LEVEL_KEYS = ("levelname", "level", "lvl", "severity", "log.level", "log_level", "loglevel")
_LOGGER_KEYS = ("name", "logger", "logger_name", "log.logger")
#: An object without a message is one of a log if it has any of these.
_RECORD_KEYS = frozenset({*_LEVEL_KEYS, "ts", "time", "timestamp", "@timestamp", "asctime", "datetime", "errorType"})
_OWNER_KEYS = frozenset({"resource", "kubernetes", "pod_name", "rank", "global_rank"})
_LEVELS = frozenset({"DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"})
#: A record of these is no failure, whatever its fields quote; bunyan and pino count in tens.
_HARMLESS = expression(r"(?i:trace|debug|info\w*|notice|warn\w*|[1-3]0)")
#: What an object may hold beside its message; most do not.
_MAY_TELL = expression(
    r'Traceback \(most recent|"[^"\s]{0,60}(?i:err|exc|fail|fault|cause|throw|stack|trace|output)[^"\s]{0,40}"\s*:'
)
#: Docker cuts a longer line into several objects, each but the last without a line end.
_DOCKER_LIMIT = 16_000

_CUT = expression(r'"(?:message|msg|log|textPayload)"\s*:\s*"((?:[^"\\]|\\.)*)')
_HAS_HEADER = expression(r"[VDIWEC]\d{4} \d\d:|.{0,60}\b(?:DEBUG|INFO|WARNING|ERROR|CRITICAL)\b")


def unwrap_json(rows: Rows) -> Rows | None:
    """Replace each wrapped row by the rows of its message."""
    if not may_unwrap(rows.text):
        return None
    if may_be_spread(rows.text):
        from tracelens.source.json_spread import gather

        gathered = gather(rows)
        if gathered is not None:
            return gathered
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
    level = _level_of(holder) or _level_of(record)
    told: list[str] = []
    if _MAY_TELL.search(start) is not None and (message is not None or not record.keys().isdisjoint(_RECORD_KEYS)):
        from tracelens.source.json_failures import failures_in

        told = failures_in(record, is_error=_HARMLESS.fullmatch(level) is None)
    if message is None and not told:
        return None
    is_cut = message is not None and "log" in record and len(message) >= _DOCKER_LIMIT and not message.endswith("\n")
    text = _assembled(message or "", told, level, _logger_of(holder) or _logger_of(record))
    return text, None if record.keys().isdisjoint(_OWNER_KEYS) else _owner_in(record), is_cut


def _message_of_cut(text: str) -> tuple[str, Owner | None, bool] | None:
    """Read the message of an object that was cut off, unless a traceback, which comes out later, stands elsewhere."""
    match = _CUT.search(text)
    if match is None:
        return None
    raw = match.group(1)
    if has_escaped_traceback(text) and not has_escaped_traceback(raw):
        return None
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


def _level_of(record: dict[str, object]) -> str:
    for key in _LEVEL_KEYS:
        level = record.get(key)
        if isinstance(level, dict):
            level = level.get("name")
        if isinstance(level, (str, int)):
            return str(level).upper()
    return ""


def _logger_of(record: dict[str, object]) -> str | None:
    return next((logger for key in _LOGGER_KEYS if isinstance(logger := record.get(key), str)), None)


def _assembled(message: str, told: list[str], level: str, logger: str | None) -> str:
    """Add what a logging formatter would have printed around the message: level, logger, what was raised."""
    below = [text for text in told if text not in message]
    if any(text.endswith(message.strip()) for text in below):
        return "\n".join(below)
    level = "WARNING" if level == "WARN" else level
    if level in _LEVELS and logger is not None and not _HAS_HEADER.match(message):
        message = f"{level}:{logger}:{message}"
    return "\n".join([message, *below] if message else below)


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
