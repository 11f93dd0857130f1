"""Join the lines that a terminal or a page cut at one width.

The cut gives itself away: many lines are exactly as long as the longest, and
go on in the middle of a word. Tables, templates and training loops have lines
of one length as well; what stands below them tells the difference.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter

from tracelens.expressions import expression
from tracelens.source.frames import is_frame, is_torn, is_torn_at_space
from tracelens.source.line_starts import begins_something, begins_surely, cleaned
from tracelens.source.rows import Rows
from tracelens.source.widths import ALONE, MIN_FULL, NEAR, TERMINALS, widths_of

#: A line is cut into this many pieces at most; a longer run of full lines is a table.
_MAX_PIECES = 64
#: So many lines of one width are looked at for variety.
_LOOK = 40
_EDGES = frozenset("│┃|║╭╮╰╯┌┐└┘┏┓┗┛+")
_DIGIT = expression(r"\d")
#: What a line begins with, and the rest of another seldom does.
_LINE_OF_ITS_OWN = expression(r"[/~]|[A-Za-z]:\\|[\w+-]+: ")
_RAISED = expression(r"[\w.]+(?:Error|Exception): ")
_WORD = expression(r"[\w/\\-]")
_WORD_GOES_ON = expression(r"\w")
_CLOSING = frozenset("])},.;:")
#: What a row of dots leads to at the right margin, such as the outcome of a check.
_LED_TO = expression(r"\.{4} ?[A-Z][A-Za-z]{1,20}$")


def has_cut_lines(texts: list[str], widths: list[int]) -> bool:
    """Tell whether lines of one of these widths go on in the next, as cut ones do."""
    lengths = list(map(len, texts))
    return any(_groups(texts, lengths, width) for width in widths)


def unwrap(rows: Rows) -> Rows | None:
    """Join the pieces of lines that were cut at one width."""
    widths = widths_of(rows.texts)
    if not widths or _has_column(rows.texts):
        return None
    lengths = list(map(len, rows.texts))
    for width in widths:
        groups = _groups(rows.texts, lengths, width)
        if groups:
            return rows.joined(groups)
    return None


def _has_column(texts: list[str]) -> bool:
    """Tell whether pieces were decorated after they were cut: the decoration must come off first."""
    heads = Counter(text[:2] for text in dict.fromkeys(texts) if text)
    head, count = heads.most_common(1)[0] if heads else ("", 0)
    return head.strip() != "" and count * 10 >= 9 * sum(heads.values())


def _groups(texts: list[str], lengths: list[int], width: int) -> list[tuple[int, int, str]]:
    """Return the pieces to join in the stretches of text that have no line longer than the width."""
    if not _may_be_cut(texts, _places(lengths, width, _LOOK)):
        return []
    longer = [i for i, length in enumerate(lengths) if length > width]
    stretches: dict[int, list[int]] = {}
    for i in _places(lengths, width, len(lengths)):
        stretches.setdefault(bisect_left(longer, i), []).append(i)
    groups: list[tuple[int, int, str]] = []
    for place, members in stretches.items():
        if len(members) >= MIN_FULL or not longer:
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
    """Tell, from the first rows of one length, whether something goes on below them."""
    following = [texts[i + 1] for i in full if i + 1 < len(texts)]
    going_on = [text for text in following if text and not begins_something(text)]
    if len(going_on) * 3 <= len(following):
        return False
    are_records = sum(1 for i in full if begins_something(texts[i])) * 5 >= 4 * len(full)
    if sum(1 for text in going_on if text[:2] != "  ") * 3 <= len(following):
        return are_records
    varied = len({_shape(texts[i]) for i in full}) >= MIN_FULL
    return varied or are_records or _breaks_words(texts, full)


def _stretch_groups(texts: list[str], stretch: range, members: list[int]) -> list[tuple[int, int, str]]:
    full = [i for i in members if i + 1 < stretch.stop and texts[i + 1]]
    if not full or not _is_wrapping(texts, full, stretch):
        return []
    column = _column_head(texts, stretch, set(full))
    goes_on = {i for i in full if _goes_on(texts[i], texts[i + 1], column)}
    groups: list[tuple[int, int, str]] = []
    end = -1
    for i in full:
        if i >= end and i in goes_on:
            end = i
            while end in goes_on:
                end += 1
            groups.append((i, end, cleaned("".join(texts[i : end + 1]))))
    return groups


def _goes_on(text: str, following: str, column: str | None) -> bool:
    """Tell whether a row below a full one is the rest of it."""
    # Marks below a line of code are a line of their own; so is not the rest of a line of marks.
    is_mark = not following.strip("^~ ") and text[-1] not in "^~ "
    is_indented = following[:2] == "  " and text[-1] != " " and not begins_something(text)
    return (
        not is_mark
        and not is_indented
        and not _is_boxed(text, following)
        and not (begins_surely(following) and _indent(following) != 1)
        and _head(following) != column
        and not _LED_TO.search(text[-30:])
    )


def _is_boxed(text: str, following: str) -> bool:
    """Tell whether two rows end and begin at the edges of a box or a table."""
    return text[-1] in _EDGES and following[0] in _EDGES


def _column_head(texts: list[str], stretch: range, full: set[int]) -> str | None:
    """Return what nearly all lines begin with that continue nothing, as behind a stamp column."""
    heads = Counter(_head(texts[i]) for i in stretch if texts[i] and i - 1 not in full)
    head, count = heads.most_common(1)[0] if heads else ("", 0)
    return head if head.strip() and count * 10 > 6 * sum(heads.values()) else None


def _head(text: str) -> str:
    return _shape(text[:6])


def _is_wrapping(texts: list[str], full: list[int], stretch: range) -> bool:
    """Tell whether full rows were cut, rather than that long by nature."""
    width = len(texts[full[0]])
    # Messages made from one template are of one length by nature, and count once.
    shapes = {_shape(texts[i]) for i in full}
    near = {_shape(text) for i in stretch if width - NEAR <= len(text := texts[i]) < width}
    is_natural = len(shapes) * 2 <= len(near) and not _breaks_message(texts, full)
    if is_natural or _breaks_at_spaces(texts, full, stretch):
        return False
    if _breaks_words(texts, full) or _breaks_records(texts, full, stretch):
        return True
    if len(shapes) < MIN_FULL:
        return False
    following = [texts[i + 1] for i in full]
    strange = sum(1 for text in following if begins_something(text) or (text[:2] == "  " and text.strip("^~ ")))
    boxed = sum(1 for i in full if _is_boxed(texts[i], texts[i + 1]))
    if (strange + boxed) * 3 > len(following):
        return False
    # Rows of a table or of a training loop are all of one length, and begin alike.
    heads = Counter(_shape(text[:3]) for text in following)
    head, count = heads.most_common(1)[0]
    others = [text for i in stretch if (text := texts[i])]
    alike = sum(1 for text in others if _shape(text[:3]) == head)
    return count * 2 <= len(following) or alike * 4 <= len(others)


def _breaks_at_spaces(texts: list[str], full: list[int], stretch: range) -> bool:
    """Tell whether rows are torn at spaces, or whole only with the space that a wrapping of words takes."""
    if any(is_torn_at_space(texts[i], texts[i + 1]) for i in stretch[:-1]):
        return True
    torn = [i for i in full if is_torn(texts[i])]
    spaced = sum(1 for i in torn if is_frame(f"{texts[i]} {texts[i + 1]}") and not is_frame(texts[i] + texts[i + 1]))
    return spaced * 2 > len(torn)


def _breaks_words(texts: list[str], full: list[int]) -> bool:
    """Tell whether rows as wide as terminals are end in the middle of words."""
    width = len(texts[full[0]])
    if width not in TERMINALS:
        return False
    chains = 0
    broken = 0
    known = set(full)
    # What begins like the full lines do has a column before it, and is a line of its own.
    heads = {_head(texts[i]) for i in full if i - 1 not in known}
    for i in full:
        end = i + 1
        if i - 1 in known or end >= len(texts):
            continue
        while end < len(texts) and len(texts[end]) == width:
            end += 1
        chains += 1
        # At the end of the text, the last piece may be as long as the others by chance.
        end = min(end, len(texts) - 1)
        rest = texts[end]
        if end - i <= _MAX_PIECES and rest and not begins_something(rest) and _head(rest) not in heads:
            broken += any(_is_broken(texts[place], texts[place + 1]) for place in range(i, end))
    return broken * 2 >= chains and (broken > 1 or width in ALONE)


def _breaks_message(texts: list[str], full: list[int]) -> bool:
    """Tell whether the message of an exception, as wide as a terminal, breaks off in a word: a traceback goes on."""
    rests = (texts[i + 1][:1] for i in full if _RAISED.match(texts[i]) and texts[i][-1].isalnum())
    return len(texts[full[0]]) in ALONE and any(rest.islower() for rest in rests)


def _is_broken(text: str, following: str) -> bool:
    """Tell whether two rows were cut apart within a word or a quotation, at a blank or before a closing mark."""
    if _WORD.match(text[-1]) and _WORD_GOES_ON.match(following):
        return True
    if text[-1] == " ":
        return text[-2] != " " and following[0].islower()
    is_quotation = any(text.count(quote) % 2 and following.count(quote) % 2 for quote in "'\"")
    return is_quotation or following[0] in _CLOSING or (following[0] == " " and following[1:2].strip() != "")


def _breaks_records(texts: list[str], full: list[int], stretch: range) -> bool:
    """Tell whether nearly all lines are records, but for those below one that is as wide as a terminal."""
    if len(texts[full[0]]) not in TERMINALS:
        return False
    known = set(full)
    records = [i for i in full if begins_something(texts[i]) and not begins_something(texts[i + 1])]
    rests = [texts[i + 1] for i in records]
    strays = sum(1 for i in stretch if texts[i] and i - 1 not in known and not begins_something(texts[i]))
    odd = sum(1 for rest in rests if _LINE_OF_ITS_OWN.match(rest))
    return len(records) >= MIN_FULL and odd * 4 <= len(rests) and strays * 8 <= len(stretch)


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip(" "))


def _shape(text: str) -> str:
    return _DIGIT.sub("0", text)
