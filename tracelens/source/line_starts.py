"""What lines begin with when they begin something.

Shared by the steps that look at neighbouring lines: a line that begins like
this is no continuation of the one above it.
"""

from __future__ import annotations

import re
from functools import cache

from tracelens.expressions import expression
from tracelens.source.codes import is_clean
from tracelens.source.controls import rows_of


@cache
def _begins() -> re.Pattern[str]:
    return expression(
        r'\s*(?:File "|Traceback \(most|[VDIWEC]\d{4} \d\d:|\[\d{4}-\d\d-\d\d |\[(?:rank|default)\d|\(\w+ pid=)'
        r"|\d{4}-\d\d-\d\d[T ]\d\d:|(?:During handling of|The above exception)"
        r"| {4,}(?:return|raise|self\.|with |for |if )\b|(?:[A-Z]|\w+\.)[\w.]*(?:Error|Exception): "
        r"|\[\d+/\d+\] (?:\S*/|c\+\+|cc |cl |\w*g\+\+|\w*gcc|nvcc|[A-Z])"
        r'|\{"\w+": '
        r"|In file included from|compilation terminated|FAILED: |(?:INFO|WARNING|ERROR)\b"
    )


@cache
def _begins_surely() -> re.Pattern[str]:
    return expression(
        r'\s*(?:File "[^"]+", line|Traceback \(most recent|[VDIWEC]\d{4} \d\d:\d\d|\[(?:rank|default)\d+\]:'
        r"|\(\w+ pid=\d)|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d|During handling of the above|The above exception was"
        r'|\{"\w+": '
    )


def begins_something(text: str) -> bool:
    """Tell whether a line looks like the beginning of a record, a frame or a message."""
    return _begins().match(text) is not None


def begins_surely(text: str) -> bool:
    """Tell whether a line cannot be the rest of another, even of one that was cut."""
    return _begins_surely().match(text) is not None


def cleaned(text: str) -> str:
    """Take off the codes that came together where pieces of a line did."""
    if "[" not in text and is_clean(text):
        return text
    return " ".join(rows_of(text, 0).texts)
