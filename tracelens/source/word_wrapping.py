"""Join the lines that a mail program or a formatter wrapped between words.

Such lines are of many lengths, but each ends where the next word had no room.
That alone is true of much text, so nothing is joined unless frames of
tracebacks broken at their spaces prove that the region was wrapped, or many
records with nothing but rests of records between them.
"""

from __future__ import annotations

from tracelens.source.frames import is_torn, is_torn_at_space
from tracelens.source.line_starts import begins_something, cleaned
from tracelens.source.rows import Rows
from tracelens.source.signs import has_words_to_join

#: So many lines must be torn in the middle of a frame, or of the words above it.
_MIN_TORN = 2
#: So many lines that begin a record or a message must go on in the next line, of so many lengths, and hardly any may
#: end before its time.
_MIN_BEGUN = 4
_MIN_LENGTHS = 3
_EARLY_ONE_IN = 10


def rejoin_words(rows: Rows) -> Rows | None:
    """Join the rows that were one line until its words were wrapped."""
    groups = wrapped_rows(rows.texts) if has_words_to_join(rows.text) else []
    return rows.joined(groups) if groups else None


def wrapped_rows(texts: list[str]) -> list[tuple[int, int, str]]:
    """Return the rows to join, where no line is longer than mail allows; none if too little speaks for wrapping."""
    width = max(map(len, texts))
    goes_on = {i for i in range(len(texts) - 1) if _goes_on(texts, i, width)}
    torn = sum(1 for i in goes_on if is_torn(texts[i]) or is_torn_at_space(texts[i], texts[i + 1]))
    if torn < _MIN_TORN and not _breaks_records(texts, goes_on):
        return []
    groups: list[tuple[int, int, str]] = []
    i = 0
    while i < len(texts):
        end = i
        text = texts[i]
        while end in goes_on:
            end += 1
            text += _glue(texts[end - 1], texts[end], width) + texts[end]
        if end > i:
            groups.append((i, end, cleaned(text)))
        i = end + 1
    return groups


def _breaks_records(texts: list[str], goes_on: set[int]) -> bool:
    """Tell whether the records that do not end on their own row are those that had no room on it."""
    begun = [i for i in goes_on if begins_something(texts[i])]
    # Records of one template are of one length by nature, whatever is printed below them.
    if len(begun) < _MIN_BEGUN or len({len(texts[i]) for i in begun}) < _MIN_LENGTHS:
        return False
    rests = (i for i in range(1, len(texts)) if texts[i][:1].strip() and not begins_something(texts[i]))
    early = sum(1 for i in rests if i - 1 not in goes_on and begins_something(texts[i - 1]))
    return early * _EARLY_ONE_IN <= len(begun)


def _goes_on(texts: list[str], i: int, width: int) -> bool:
    """Tell whether the first word of the next row had no room on this one."""
    text, following = texts[i], texts[i + 1]
    # Most rows had room for the whole of the next.
    if len(text) + 1 + len(following) <= width or not following[:1].strip() or not following.strip("^~ "):
        return False
    # A word that no line could have held would have been cut, not moved to the next.
    word = following.split(None, 1)[0]
    if not len(text) + 1 + len(word) > width >= len(word) or begins_something(following):
        return False
    return len(text.strip()) * 3 >= width or is_torn_at_space(text, following)


def _glue(text: str, following: str, width: int) -> str:
    """Return what stood between two rows: nothing where a long word was cut, or at a hyphen."""
    last = text.rsplit(None, 1)[-1]
    first = following.split(None, 1)[0]
    if len(text) == width and len(last) + len(first) > width:
        return ""
    is_hyphen = text.endswith("-") and text[-2:-1].isalnum() and first[0].isalnum()
    return "" if is_hyphen or text.endswith(" ") else " "
