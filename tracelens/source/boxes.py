"""Turn the tracebacks that rich draws in boxes into Python's own form.

Frames, their failing lines and the header come out as Python prints them, so
that one grammar reads both; the lines around a failing one go, as Python does
not print them. Boxes drawn in ASCII, on consoles that know nothing better, are
read likewise, and what rich wrapped below a box is joined again.
"""

from __future__ import annotations

import re
from functools import cache

from tracelens.expressions import expression
from tracelens.source.rows import Rows
from tracelens.source.signs import may_be_boxed

_TITLE = "Traceback (most recent call last):"
#: A place may be folded over this many rows of the box.
_MAX_FOLDS = 6
#: So many rows below a box can be the message of its exception and the line that leads to the next.
_MAX_BELOW = 40


_EDGES = "│┃|"


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    return (
        expression(r" *[╭┌┏+][─━-]{3,} Traceback \(most recent call last\) [─━-]{3,}[╮┐┓+]\s*$"),
        expression(r"[╭╰┌└┏┗+][─━-]+.*[╮╯┐┘┓┛+]\s*$"),
        expression(rf" *[{_EDGES}] ?(.*?) *[{_EDGES}]?\s*$"),
        expression(r"((?:[A-Za-z]:)?[^\s:][^:\n]{0,4000}):(\d{1,7}) in (\S.*)$"),
        expression(r"[/~<.]|[A-Za-z]:\\|\w[\w./\\-]*\.py"),
        # A line of source with its number, and the mark of the failing one.
        expression(r" *([❱>])? *\d{1,7}(?: (.*)|)$"),
    )


def unbox(rows: Rows) -> Rows | None:
    """Replace each boxed traceback by the rows of a plain one."""
    if not may_be_boxed(rows.text):
        return None
    wrapped = _wrapped_below(rows.texts)
    if wrapped:
        return rows.joined(wrapped)
    title, _border, edge, place, *_others = _patterns()
    pieces: list[list[str] | None] = [None] * len(rows.texts)
    i = 0
    changed = False
    while i < len(rows.texts):
        text = rows.texts[i]
        if title.match(text):
            pieces[i] = [_TITLE]
            i = _unbox_one(rows.texts, i + 1, pieces)
        # A box whose top was cut off.
        elif (inside := edge.match(text)) and text.rstrip()[-1] in _EDGES and place.match(inside.group(1)):
            i = _unbox_one(rows.texts, i, pieces)
        else:
            i += 1
            continue
        changed = True
    return rows.spread(pieces) if changed else None


def _unbox_one(texts: list[str], start: int, pieces: list[list[str] | None]) -> int:
    """Fill in the pieces of one box, from the row below its title; return the row below the box."""
    _title, border, edge, _place, *_others = _patterns()
    contents: list[str] = []
    end = start
    while end < len(texts):
        text = texts[end].lstrip(" ")
        if border.match(text):
            break
        inside = edge.match(text)
        if inside is None:
            break
        contents.append(_without_locals(inside.group(1)))
        end += 1
    _fill(contents, start, pieces)
    if end < len(texts) and border.match(texts[end].lstrip(" ")):
        pieces[end] = []
        end += 1
    return end


def _without_locals(content: str) -> str:
    """Cut off the box of local variables that stands beside or below a line of source."""
    text = content.rstrip()
    if text[-1:] not in set("│┃╮╯"):
        return content
    return text[: max(0, *(text.rfind(edge, 0, -1) for edge in "│┃╭╰"))]


def _fill(contents: list[str], start: int, pieces: list[list[str] | None]) -> None:
    i = 0
    while i < len(contents):
        frame = _frame_at(contents, i)
        if frame is not None:
            count, line = frame
            pieces[start + i] = [line]
            for folded in range(i + 1, i + count):
                pieces[start + folded] = []
            i += count
            continue
        pieces[start + i] = _plain(contents[i])
        i += 1


def _plain(content: str) -> list[str]:
    """Return the rows that a row of the box becomes: one for the failing line and for words, else none."""
    _title, border, _edge, _place, _begins, source = _patterns()
    line = source.match(content)
    if line is not None:
        mark, code = line.groups()
        # Guides of indentation are edges too.
        return ["    " + re.sub(rf"[{_EDGES[:2]}]", " ", code).strip()] if mark else []
    stripped = content.strip()
    if not stripped or border.match(stripped) or stripped[0] in _EDGES:
        return []
    return [f"    {stripped}"]


def _wrapped_below(texts: list[str]) -> list[tuple[int, int, str]]:
    """Return the rows below boxes that were one line before rich wrapped them: they end in the space it broke at."""
    border = _patterns()[1]
    groups: list[tuple[int, int, str]] = []
    i = 0
    while i < len(texts):
        bottom = texts[i].strip()
        if not (bottom and bottom[0] in "╰└┗" and border.match(bottom)):
            i += 1
            continue
        i += 1
        end = min(i + _MAX_BELOW, len(texts))
        while i < end and texts[i].strip()[:1] not in set("╭┌┏"):
            last = i
            while last + 1 < end and _breaks(texts[last], texts[last + 1], len(bottom)):
                last += 1
            if last > i:
                groups.append((i, last, "".join(texts[i : last + 1])))
            i = last + 1
    return groups


def _breaks(text: str, following: str, width: int) -> bool:
    words = following.split(None, 1)
    return text.endswith(" ") and bool(words) and following[0] != " " and len(text) + len(words[0]) > width


def _frame_at(contents: list[str], i: int) -> tuple[int, str] | None:
    """Return how many rows a frame takes from here, and the frame as Python prints it."""
    place, begins = _patterns()[3:5]
    text = contents[i]
    if not begins.match(text):
        return None
    for count in range(1, _MAX_FOLDS + 1):
        match = place.match(text)
        if match is not None:
            path, line, name = match.groups()
            return count, f'  File "{path}", line {line}, in {name}'
        if i + count >= len(contents) or not contents[i + count].strip() or contents[i + count][0] in " ❱":
            return None
        following = contents[i + count]
        # A path is cut anywhere, the name goes to a row of its own.
        text = f"{text} {following}" if re.search(r":\d{1,7}(?: in)?$", text) else text + following
    return None
