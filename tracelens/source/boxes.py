"""Turn the tracebacks that rich draws in boxes into Python's own form.

Frames, source lines and the header come out as Python prints them, so that
one grammar reads both; the mark ``❱`` of the failing line stays. Boxes drawn
in ASCII, on consoles that know nothing better, are read likewise.
"""

from __future__ import annotations

import re
from functools import cache

from tracelens.source.rows import Rows

_TITLE = "Traceback (most recent call last):"
#: A place may be folded over this many rows of the box.
_MAX_FOLDS = 6


_EDGES = "│┃|"


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    return (
        re.compile(r" *[╭┌┏+][─━-]{3,} Traceback \(most recent call last\) [─━-]{3,}[╮┐┓+]\s*$"),
        re.compile(r"[╭╰┌└┏┗+][─━-]{3,}.*[╮╯┐┘┓┛+]\s*$"),
        re.compile(rf" *[{_EDGES}] ?(.*?) *[{_EDGES}]?\s*$"),
        re.compile(r"((?:[A-Za-z]:)?[^\s:][^:\n]{0,4000}):(\d{1,7}) in (\S.*)$"),
        re.compile(r"[/~<.]|[A-Za-z]:\\|\w[\w./\\-]*\.py"),
        re.compile(
            r"\n *(?:[╭┌┏+][─━-]{3,} Traceback \(most recent|[│┃|] [^\n]{1,400}:\d{1,7} in \S[^\n]{0,400}[│┃|]\s*\n)"
        ),
    )


def may_be_boxed(text: str) -> bool:
    """Tell whether a box with a traceback, or its middle, stands in ``text``."""
    return ("│" in text or "┃" in text or "+-" in text) and _patterns()[5].search(text) is not None


def unbox(rows: Rows) -> Rows | None:
    """Replace each boxed traceback by the rows of a plain one."""
    if not may_be_boxed(rows.text):
        return None
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
        contents.append(inside.group(1))
        end += 1
    _fill(contents, start, pieces)
    if end < len(texts) and border.match(texts[end].lstrip(" ")):
        pieces[end] = []
        end += 1
    return end


def _fill(contents: list[str], start: int, pieces: list[list[str] | None]) -> None:
    _title, border, edge, _place, *_others = _patterns()
    i = 0
    while i < len(contents):
        content = contents[i]
        frame = _frame_at(contents, i)
        if frame is not None:
            count, line = frame
            pieces[start + i] = [line]
            for folded in range(i + 1, i + count):
                pieces[start + folded] = []
            i += count
            continue
        if not content.strip() or border.match(content.lstrip(" ")):
            pieces[start + i] = []
        else:
            nested = edge.match(content) if content.lstrip(" ")[0] in _EDGES else None
            inner = content if nested is None else nested.group(1)
            # Guides of indentation are edges too.
            pieces[start + i] = ["    " + re.sub(rf"[{_EDGES[:2]}]", " ", inner)]
        i += 1


def _frame_at(contents: list[str], i: int) -> tuple[int, str] | None:
    """Return how many rows a frame takes from here, and the frame as Python prints it."""
    _title, _border, _edge, place, begins, *_others = _patterns()
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
