"""Undo what terminals, mail programs and web pages did to the lines.

Lines that were cut at a fixed width are joined again, frames that were torn in
two are mended wherever they stand, and the empty line that was put after each
line goes. Each is done only where the text gives it away: many lines end at
exactly one width and go on in the middle of a word, or a frame cannot be one
without the line below it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from functools import cache
from itertools import pairwise

from tracelens.source.controls import is_clean, rows_of
from tracelens.source.rows import Rows

_MIN_WIDTH, _MAX_WIDTH = 60, 250
#: Words are wrapped by mail programs, which use narrow lines.
_MAX_WORD_WIDTH = 132
#: Different lines of exactly the width that there must be, and how much commoner it must be than those just below.
_MIN_FULL = 3
_NEAR = 8
#: So many widths are tried, and so many lines of one looked at for variety.
_MAX_WIDTHS = 6
_LOOK = 40
#: A frame is torn into this many lines at most.
_MAX_PIECES = 3
_MAX_FRAME = 4096
#: Rows in a row that an empty one follows, before the empty ones are taken for padding.
_MIN_PADDED = 8
_FEW_PADDED = 4


@cache
def _begins() -> re.Pattern[str]:
    """Return the pattern of lines that begin something, so that they continue nothing."""
    return re.compile(
        r'\s*(?:File "|Traceback \(most|[VDIWEC]\d{4} \d\d:|\[\d{4}-\d\d-\d\d |\[(?:rank|default)\d|\(\w+ pid='
        r"|[\^~]{3})|\d{4}-\d\d-\d\d[T ]\d\d:|(?:During handling of|The above exception)"
        r"| {4,}(?:return|raise|self\.|with |for |if )\b|[\w.]+(?:Error|Exception): |\[\d+/\d+\] "
        r"|In file included from|FAILED: |(?:INFO|WARNING|ERROR)\b"
    )


@cache
def _frame() -> re.Pattern[str]:
    return re.compile(r'\s*File "[^"]+", line \d+(?:, in \S.*)?$')


# A repeat is followed by a character that it cannot hold, which makes backing out of it cheap.
_TORN_FRAME = re.compile(r'\n[ \t]*File "(?:[^"\n]*\n|[^"\n]*",?(?: l?i?n?e?)?(?: \d{0,7},?(?: i?n?)?)? ?\n)(?=\S)')
_DIGIT = re.compile(r"\d")
_FRAME_HEAD = re.compile(r'\s*File "')
_PADDED = re.compile(r"\n\n(?:[^\n]+\n\n+){6}")
_PADDED_SHORT = re.compile(r"\n[^\n]+\n\n(?:[^\n]+\n\n+){2}")
#: Text that short may be padded as a whole with fewer lines.
_SHORT = 2048


def may_be_torn(text: str) -> bool:
    """Tell whether a frame breaks off at the end of a line."""
    return 'File "' in text and _TORN_FRAME.search(text) is not None


def mend_frames(rows: Rows) -> Rows | None:
    """Join each frame of a traceback that was torn over two or three rows."""
    if not may_be_torn(rows.text):
        return None
    texts = rows.texts
    groups: list[tuple[int, int, str]] = []
    i = 0
    while i < len(texts):
        mended = _mend(texts, i) if _FRAME_HEAD.match(texts[i]) else None
        if mended is None:
            i += 1
            continue
        last, text = mended
        groups.append((i, last, text))
        i = last + 1
    return rows.joined(groups) if groups else None


def _mend(texts: list[str], first: int) -> tuple[int, str] | None:
    """Return the last row of a torn frame and its text, or ``None`` if it is whole or hopeless."""
    text = texts[first]
    if len(text) > _MAX_FRAME or (_frame().match(text) and not text.endswith(", in")):
        return _mend_name(texts, first)
    for last in range(first + 1, min(first + _MAX_PIECES, len(texts))):
        piece = texts[last]
        if not piece or piece[0] in " \t" or len(piece) > _MAX_FRAME:
            return None
        # The space at which a line was broken is gone, or stayed at its end.
        glued, spaced = text + piece, f"{text} {piece}"
        inside_path = text.count('"') < 2
        text = glued if inside_path or text.endswith(" ") or not _frame().match(spaced) else spaced
        if _frame().match(text):
            return last, text
    return None


def _mend_name(texts: list[str], first: int) -> tuple[int, str] | None:
    """Join the function's name, where the frame broke off behind the line number."""
    following = texts[first + 1] if first + 1 < len(texts) else ""
    if texts[first][-1:].isdigit() and re.match(r"\d{0,6}, in [\w<]", following):
        return first + 1, texts[first] + following
    return None


def may_be_wrapped(text: str) -> bool:
    """Tell whether the longest lines of a sample are all of one length, as cut ones are."""
    texts = text.split("\n")
    lengths = list(map(len, texts))
    longest = max(lengths)
    if not _MIN_WIDTH <= longest <= _MAX_WIDTH or lengths.count(longest) < _MIN_FULL:
        return False
    return any(_wrapped_groups(texts, lengths, width) for width in _widths(lengths))


def unwrap(rows: Rows) -> Rows | None:
    """Join the pieces of lines that were cut at one width."""
    texts = rows.texts
    lengths = list(map(len, texts))
    for width in _widths(lengths):
        groups = _wrapped_groups(texts, lengths, width)
        if groups:
            return rows.joined(groups)
    if max(lengths) <= _MAX_WORD_WIDTH and may_be_torn(rows.text) and (width_of_words := _word_width(texts)):
        groups = _word_groups(texts, width_of_words)
        if groups:
            return rows.joined(groups)
    return None


def _widths(lengths: list[int]) -> list[int]:
    """Return the widths that may be the one of a terminal, commonest first."""
    counts = Counter(lengths)
    widths = [
        width
        for width, count in counts.items()
        if count >= _MIN_FULL
        and _MIN_WIDTH <= width <= _MAX_WIDTH
        and count * 2 > sum(counts[width - step] for step in range(1, _NEAR + 1))
        and count * 3 > sum(counts[width + step] for step in range(1, _NEAR + 1))
    ]
    return sorted(widths, key=lambda width: (-counts[width], width))[:_MAX_WIDTHS]


def _wrapped_groups(texts: list[str], lengths: list[int], width: int) -> list[tuple[int, int, str]]:
    """Return the pieces to join in the stretches of text that have no line longer than the width."""
    if not _may_be_cut(texts, _places(lengths, width, _LOOK)):
        return []
    longer = [i for i, length in enumerate(lengths) if length > width]
    stretches: dict[int, list[int]] = {}
    for i in _places(lengths, width, len(lengths)):
        stretches.setdefault(bisect_left(longer, i), []).append(i)
    groups: list[tuple[int, int, str]] = []
    for place, members in stretches.items():
        if len(members) >= _MIN_FULL:
            start = longer[place - 1] + 1 if place else 0
            stop = longer[place] if place < len(longer) else len(texts)
            groups += _stretch_groups(texts, range(start, stop), members)
    return groups


def _places(lengths: list[int], width: int, limit: int) -> list[int]:
    """Return the first rows of one length."""
    places: list[int] = []
    place = -1
    try:
        while len(places) < limit:
            place = lengths.index(width, place + 1)
            places.append(place)
    except ValueError:
        pass
    return places


def _may_be_cut(texts: list[str], full: list[int]) -> bool:
    """Tell, from the first rows of one length, whether they differ and go on below."""
    following = [texts[i + 1] for i in full if i + 1 < len(texts)]
    going_on = [text for text in following if text and text[:2] != "  "]
    if len(going_on) * 3 <= len(following) or sum(map(_begins_something, going_on)) * 3 > 2 * len(following):
        return False
    # Messages made from one template are of one length by nature.
    return len({_shape(texts[i]) for i in full}) >= _MIN_FULL


def _begins_something(text: str) -> bool:
    return _begins().match(text) is not None


def _stretch_groups(texts: list[str], stretch: range, members: list[int]) -> list[tuple[int, int, str]]:
    full = [i for i in members if i + 1 < stretch.stop and texts[i + 1]]
    if not full or not _is_wrapping(texts, full, stretch):
        return []
    groups: list[tuple[int, int, str]] = []
    begins = _begins().match
    goes_on = {i for i in full if not begins(texts[i + 1])}
    end = -1
    for i in full:
        if i <= end or i not in goes_on:
            continue
        end = i
        while end in goes_on:
            end += 1
        groups.append((i, end, _clean("".join(texts[i : end + 1]))))
    return groups


def _is_wrapping(texts: list[str], full: list[int], stretch: range) -> bool:
    """Tell whether full rows were cut, rather than that long by nature."""
    if len({_shape(texts[i]) for i in full}) < _MIN_FULL:
        return False
    width = len(texts[full[0]])
    near = sum(1 for i in stretch if width - _NEAR <= len(texts[i]) < width)
    if len(full) * 2 <= near:
        return False
    following = [texts[i + 1] for i in full]
    if sum(1 for text in following if _begins().match(text) or text[:2] == "  ") * 3 > len(following):
        return False
    # Rows of a table or of a training loop are all of one length, and begin alike.
    heads = Counter(_shape(text[:3]) for text in following)
    head, count = heads.most_common(1)[0]
    others = [text for i in stretch if (text := texts[i])]
    alike = sum(1 for text in others if _shape(text[:3]) == head)
    return count * 2 <= len(following) or alike * 4 <= len(others)


def _shape(text: str) -> str:
    return _DIGIT.sub("0", text)


def _word_width(texts: list[str]) -> int | None:
    """Return the width that words were wrapped at, if torn frames prove that they were."""
    torn = [
        i
        for i in range(len(texts) - 1)
        if _FRAME_HEAD.match(texts[i]) and not _frame().match(texts[i]) and texts[i + 1][:1].strip()
    ]
    if len(torn) < 2:
        return None
    width = max(_MIN_WIDTH, *map(len, texts))
    if width > _MAX_WORD_WIDTH or any(not _overflows(texts, i, width) for i in torn):
        return None
    return width


def _overflows(texts: list[str], i: int, width: int) -> bool:
    """Tell whether the first word of the next row had no room on this one."""
    words = texts[i + 1].split(None, 1)
    return bool(words) and len(texts[i]) + 1 + len(words[0]) > width


def _word_groups(texts: list[str], width: int) -> list[tuple[int, int, str]]:
    groups: list[tuple[int, int, str]] = []
    begins = _begins().match
    i = 0
    while i < len(texts):
        last = i
        while (
            last + 1 < len(texts)
            and texts[last].strip()
            and texts[last + 1][:1].strip()
            and _overflows(texts, last, width)
            and not begins(texts[last + 1])
        ):
            last += 1
        if last > i:
            glue = ["" if len(text) == width and not text.endswith(" ") else " " for text in texts[i:last]]
            pieces = [text + space for text, space in zip(texts[i:last], glue, strict=True)]
            groups.append((i, last, _clean("".join(pieces) + texts[last])))
        i = last + 1
    return groups


def _clean(text: str) -> str:
    """Take off the codes that came together where the pieces did."""
    if "[" not in text and is_clean(text):
        return text
    return " ".join(rows_of(text, 0).texts)


def may_be_padded(text: str) -> bool:
    """Tell whether lines are followed by an empty one each, somewhere."""
    return (_PADDED if len(text) > _SHORT else _PADDED_SHORT).search(text) is not None


def drop_padding(rows: Rows) -> Rows | None:
    """Drop the empty row behind each row, where every row of a stretch has one."""
    if not may_be_padded(rows.text):
        return None
    filled = [i for i, text in enumerate(rows.texts) if text.strip()]
    dropped: set[int] = set()
    run: list[int] = []
    for place, i in enumerate(filled):
        run.append(i)
        following = filled[place + 1] if place + 1 < len(filled) else None
        # An empty line of the text became three: it has one behind it too.
        if following is not None and (following - i) % 2 == 0:
            continue
        dropped |= _padding_of(run, rows.texts, is_all=len(run) == len(filled))
        run = []
    if not dropped:
        return None
    return rows.pick(i for i in range(len(rows.texts)) if i not in dropped)


def _padding_of(run: list[int], texts: list[str], *, is_all: bool) -> set[int]:
    """Return the empty rows to drop in a run of rows that each have one behind them."""
    if len(run) < (_FEW_PADDED if is_all else _MIN_PADDED):
        return set()
    pairs = list(pairwise(run))
    gaps = [after - before for before, after in pairs]
    indented = sum(1 for i in run if texts[i][0] in " \t")
    # Paragraphs are apart too, but they are not indented.
    if sum(1 for gap in gaps if gap > 2) * 2 > len(gaps) or (indented * 5 < len(run) and len(run) < 3 * _MIN_PADDED):
        return set()
    dropped = {place for before, after in pairs for place in range(before + 1, after, 2)}
    if run[-1] + 1 < len(texts) and not texts[run[-1] + 1].strip():
        dropped.add(run[-1] + 1)
    return dropped
