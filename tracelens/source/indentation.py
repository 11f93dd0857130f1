"""Put lines back to the margin that they were printed at.

Markdown indents code by four, pip what its children said by six, pytest marks
what was raised with an ``E``; all of it comes off where a traceback or a
compiler message shows what the margin was. Where a page lost all indentation,
the frames of a traceback get theirs back.
"""

from __future__ import annotations

import re
from functools import cache

from tracelens.expressions import expression
from tracelens.source.rows import Rows
from tracelens.source.signs import FENCE, NEVER_INDENTED, is_all_moved, may_be_indented

_MIN_ROWS = 3
_FRAME_INDENT = 2
#: pip indents what it relays by so much more than the line that announces it.
_RELAY_INDENT = 4
#: What a paragraph ends at, but for an empty line; and the tab that stands before, or behind, the blanks of Markdown.
_FENCE = expression(FENCE)
_TAB = expression(r"(?:    )?\t")


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    return (
        expression(rf"[ \t]+(?={NEVER_INDENTED})|(?= *╰─> \[\d+ lines? of output\])"),
        # The gutter of an exception group stands where its frames would.
        expression(r'[ \t]*File "[^"]+", line \d+|  [|+](?:[ -]|$)'),
        # Lines that programs print at the margin.
        expression(
            r"(?:Traceback \(most|[VDIWEC]\d{4} \d\d:|\[\d{4}-\d\d-\d\d |[\w.]+(?:Error|Exception)(?::|$)"
            r"|In file included from|[^\s:]+:\d+(?::\d+)?: (?:fatal )?(?:error|warning|note):|\[\d+/\d+\] "
            r"|FAILED: |(?:INFO|WARNING|ERROR)\b"
            r"|\[(?:rank|default)\d+\]:|\(\w+ pid=|\d{4}-\d\d-\d\d[T ]|[╭┌] ?[─━]{3})"
        ),
        expression(r"[\w.]+(?:Error|Exception|Interrupt|Warning|Exit)\b|\[|During handling|The above"),
    )


def mend_indentation(rows: Rows) -> Rows | None:
    """Take off indentation that all lines of a region or of a traceback have, or give back what was lost."""
    if not may_be_indented(rows.text) and not is_all_moved(rows.text):
        return None
    for mend in (_unmark_raised, _dedent_all, _dedent_tabbed, _dedent_fenced, _dedent_tracebacks, _indent_frames):
        texts = mend(rows.texts)
        if texts is not None:
            return rows.with_texts(texts)
    return None


def _unmark_raised(texts: list[str]) -> list[str] | None:
    """Take off pytest's ``E`` and the indentation of the code that it stands in."""
    result: list[str] | None = None
    i = 0
    while i < len(texts):
        end = i
        while end < len(texts) and (texts[end].startswith("E   ") or (texts[end] == "E" and end > i)):
            end += 1
        if end == i:
            i += 1
            continue
        marked = [text[1:] for text in texts[i:end]]
        margin = min((_indent(text) for text in marked if text.strip()), default=0)
        result = result or list(texts)
        result[i:end] = [text[margin:] for text in marked]
        i = end
    return result


def _dedent_all(texts: list[str]) -> list[str] | None:
    """Take off what every line is indented by, if it is not the indentation of a traceback's middle."""
    _head, frame, margin, *_others = _patterns()
    filled = [text for text in texts if text.strip()]
    indent = min(map(_indent, filled), default=0)
    if not indent:
        return None
    # A line or two of source may well stand indented; what is printed at the margin may not.
    if len(filled) < _MIN_ROWS and not any(margin.match(text, indent) for text in filled):
        return None
    frames = [_margin_of_frame(text) for text in filled if frame.match(text)]
    if frames and not any(margin.match(text, indent) for text in filled):
        indent = min(indent, *frames)
    return _dedented(texts, indent) if indent > 0 else None


def _dedent_tabbed(texts: list[str]) -> list[str] | None:
    """Take off the tab that a whole paragraph begins with: a tool indents parts of one, an editor all of it."""
    result: list[str] | None = None
    start = 0
    for end, text in enumerate([*texts, ""]):
        if text and not _FENCE.match(text):
            continue
        tabs = [tab.end() for line in texts[start:end] if (tab := _TAB.match(line))]
        if tabs and len(tabs) == end - start:
            result = result or list(texts)
            result[start:end] = _dedented(texts[start:end], min(tabs))
        start = end + 1
    return result


def _dedent_fenced(texts: list[str]) -> list[str] | None:
    """Take off what all lines between two fences are indented by, as of a text that is all there is."""
    fences = [i for i, text in enumerate(texts) if _FENCE.match(text)]
    result: list[str] | None = None
    for opening, closing in zip(fences[::2], fences[1::2], strict=False):
        block = _dedent_all(texts[opening + 1 : closing])
        if block is not None:
            result = result or list(texts)
            result[opening + 1 : closing] = block
    return result


def _dedent_tracebacks(texts: list[str]) -> list[str] | None:
    """Take off the indentation of each traceback or record, and of what stands around it at its depth."""
    head = _patterns()[0]
    result: list[str] | None = None
    done = 0
    for i, text in enumerate(texts):
        match = head.match(text) if i >= done else None
        if match is None:
            continue
        start, indent = (i, match.end()) if match.end() else (i + 1, _indent(text) + _RELAY_INDENT)
        while start > done and match.end() and _belongs(texts[start - 1], indent):
            start -= 1
        done = i + 1
        while done < len(texts) and _belongs(texts[done], indent):
            done += 1
        result = result or list(texts)
        result[start:done] = _dedented(texts[start:done], indent)
    return result


def _indent_frames(texts: list[str]) -> list[str] | None:
    """Indent frames and their source lines again, where a page lost all indentation."""
    _head, frame, _margin, ends = _patterns()
    places = [i for i, text in enumerate(texts) if text.startswith('File "') and frame.match(text) is not None]
    if len(places) < 2 and not (places and places[0] and texts[places[0] - 1].startswith("Traceback (most")):
        return None
    result = list(texts)
    for i in places:
        result[i] = " " * _FRAME_INDENT + texts[i]
        source = i + 1
        if source < len(texts) and texts[source] and texts[source][0] not in " \t" and not ends.match(texts[source]):
            if texts[source].startswith('File "'):
                continue
            result[source] = " " * 2 * _FRAME_INDENT + texts[source]
            below = source + 1
            if below < len(texts) and texts[below] and not texts[below].strip("^~ "):
                result[below] = " " * 2 * _FRAME_INDENT + texts[below]
    return result


def _margin_of_frame(text: str) -> int:
    """Return what stands before the two blanks, or the tab, by which a frame is indented."""
    indent = _indent(text)
    return indent - (1 if text[:indent].endswith("\t") else _FRAME_INDENT)


def _belongs(text: str, indent: int) -> bool:
    return not text.strip() or _indent(text) >= indent


def _dedented(texts: list[str], indent: int) -> list[str]:
    return [text[indent:] if text.strip() else "" for text in texts]


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip(" \t"))
