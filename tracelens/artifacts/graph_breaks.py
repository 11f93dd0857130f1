"""Graph breaks as traces spell them: the text that torch also logs, with more behind it."""

from __future__ import annotations

import re
from functools import cache

from tracelens.events import GraphBreak
from tracelens.expressions import expression
from tracelens.text import Span

#: What comes behind is a stack of torch's own frames.
_END = b"Traceback (most recent call last):"
_LONGEST = 8000
#: The beginning of a break after which the whole frame runs eagerly.
_SKIP = "Graph break: torch.compile cannot properly resume"


@cache
def _fields() -> re.Pattern[str]:
    return expression(
        r"^[ \t]*(?P<name>Explanation|Hint|Developer debug context)[ \t]*:[ \t]?(?P<value>[^\n]*)", re.MULTILINE
    )


@cache
def _reason() -> re.Pattern[str]:
    return expression(r"^(?:Graph Break )?Reason:[ \t]*(?P<reason>[^\n]+)", re.MULTILINE)


@cache
def _place() -> re.Pattern[str]:
    return expression(r"user code at\s+(?P<file>[^\n]{1,1000}?):(?P<line>\d{1,9})\s*$", re.MULTILINE)


@cache
def _frame() -> re.Pattern[str]:
    return expression(r"^[ \t]*File \"(?P<file>[^\"\n]{1,1000})\", line (?P<line>\d{1,9})", re.MULTILINE)


@cache
def _page() -> re.Pattern[str]:
    return expression(r"/gb/gb(\d{1,6})\.html")


def text_of_break(payload: bytes) -> str:
    """Return what is told of a graph break, without torch's own frames."""
    end = payload.find(_END)
    text = payload[: end if 0 <= end < _LONGEST else _LONGEST].decode("utf-8", "surrogateescape")
    return text.removeprefix("\t").replace("\n\t", "\n").rstrip()


def read_break(text: str, span: Span) -> GraphBreak:
    """Read one graph break; the reason is the line that torch names it by."""
    fields: dict[str, str] = {}
    hints = []
    for match in _fields().finditer(text):
        if match["name"] == "Hint":
            hints.append(match["value"].strip())
        else:
            fields.setdefault(match["name"], match["value"].strip())
    page = _page().search(text)
    return GraphBreak(
        span=span,
        gb_type=_type_of(text),
        context=fields.get("Developer debug context"),
        explanation=fields.get("Explanation"),
        hints=tuple(hints),
        message=text,
        gb_id=f"GB{int(page[1]):04d}" if page else None,
        location=_location(text),
    )


def skips_frame(graph_break: GraphBreak) -> bool:
    """Tell whether torch gave up the whole frame because of this break."""
    return graph_break.message.startswith(_SKIP)


def _type_of(text: str) -> str:
    """Return the line above the explanation; torch before 2.7 has a reason only."""
    head, found, _ = text.partition("\n  Explanation:")
    if found:
        line = head.rstrip().rpartition("\n")[2].strip()
        return line.removeprefix("Graph Break Reason:").strip() or line
    match = _reason().search(text)
    return (match["reason"] if match else text.partition("\n")[0]).strip()


def _location(text: str) -> str | None:
    match = _place().search(text)
    if match is None:
        frames = list(_frame().finditer(text))
        match = frames[-1] if frames else None
    return f"{match['file']}:{match['line']}" if match else None
