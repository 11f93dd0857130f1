"""What consoles of services, and programs that relay a log, make of it before somebody saves it."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from random import Random

from tests.disguise.disguise import Disguise, each_line

#: When the first line was printed, in milliseconds.
_START = 1_764_576_000_000
#: Docker cuts a line into objects of this length.
_PARTIAL = 16_384


def _stamp(number: int) -> str:
    return f"2026-03-24T{6 + number // 3600 % 18:02d}:{number // 60 % 60:02d}:{number % 60:02d}.{number % 1000:03d}Z"


def _rows(rows: Iterable[Sequence[object]]) -> list[str]:
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows(rows)
    return file.getvalue().split("\n")[:-1]


def _cloudwatch(lines: Sequence[str], _random: Random) -> list[str]:
    return ["timestamp,message", *_rows((_START + 7 * number, line) for number, line in enumerate(lines))]


def _log_insights(lines: Sequence[str], _random: Random) -> list[str]:
    """Export a query of CloudWatch, which quotes every field."""
    return [
        '"@timestamp","@message"',
        *(f'"{_stamp(n)}","{line.replace(chr(34), 2 * chr(34))}"' for n, line in enumerate(lines)),
    ]


def _newest_first(lines: Sequence[str], _random: Random) -> list[str]:
    return [f"{_stamp(number)} {line}" for number, line in enumerate(lines)][::-1]


def _newest_first_by_loki(lines: Sequence[str], _random: Random) -> list[str]:
    rows = [
        {"line": line, "timestamp": f"{_START + 7 * number}000000", "fields": {"pod": "trainer-0"}}
        for number, line in enumerate(lines)
    ]
    return json.dumps(rows[::-1], indent=2).split("\n")


def _one_object(lines: Sequence[str], _random: Random) -> list[str]:
    record = {"time": _stamp(0), "level": "ERROR", "logger": "train", "message": "\n".join(lines)}
    return [json.dumps({"level": "INFO", "message": "starting"}), json.dumps(record)]


def _list_of_python(lines: Sequence[str], _random: Random) -> list[str]:
    return [f"logs: {[f'{line}{chr(10)}' for line in lines]!r}"]


def _bytes_of_python(lines: Sequence[str], _random: Random) -> list[str]:
    return [f"stderr={chr(10).join(lines).encode('utf-8', 'surrogateescape')!r}"]


def _pretty_list(lines: Sequence[str], _random: Random) -> list[str]:
    return f"[{f',{chr(10)} '.join(map(repr, lines))}]".split("\n")


def _partial_objects(lines: Sequence[str], _random: Random) -> list[str]:
    """Have docker cut long lines, of which the last has the line end."""
    pieces = []
    for line in lines:
        whole = f"{line}\n"
        pieces += [whole[start : start + _PARTIAL] for start in range(0, len(whole), _PARTIAL)]
    return [json.dumps({"log": piece, "stream": "stderr", "time": _stamp(0)}) for piece in pieces]


def _entries(lines: Sequence[str], _random: Random) -> list[str]:
    """Print entries of Cloud Logging as gcloud does: one array of objects over many lines."""
    entries = [
        {"insertId": f"x{number}", "textPayload": line, "severity": "ERROR"} for number, line in enumerate(lines)
    ]
    return json.dumps(entries, indent=2).split("\n")


DISGUISES: tuple[Disguise, ...] = (
    Disguise(name="CSV of CloudWatch", change=_cloudwatch, least=4),
    Disguise(name="CSV of Logs Insights", change=_log_insights, least=4),
    Disguise(name="newest first", change=_newest_first, least=8, loses=True),
    Disguise(name="newest first, of Loki", change=_newest_first_by_loki, least=8, loses=True),
    Disguise(name="in one object", change=_one_object, loses=True),
    Disguise(name="list of Python", change=_list_of_python, loses=True),
    Disguise(name="bytes of Python", change=_bytes_of_python, loses=True),
    Disguise(name="pretty list of Python", change=_pretty_list, least=4, loses=True),
    Disguise(name="partial objects of docker", change=_partial_objects),
    Disguise(name="entries of Cloud Logging", change=_entries, least=2),
    each_line("kubectl with stamps and prefix", lambda i, line: f"[pod/x-0/main] {_stamp(i)} {line}"),
)
