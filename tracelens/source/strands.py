"""Cut a region into the undecorated lines of each process.

Text without any decoration is recognised fast and shared.
"""

from __future__ import annotations

from tracelens.source.codes import has_hidden_codes, has_long_row, is_clean
from tracelens.source.signs import (
    has_escaped_traceback,
    is_all_moved,
    may_be_csv,
    may_be_doubled,
    may_be_filled_up,
    may_be_indented,
    may_be_padded,
    may_be_quoted,
    may_be_reflowed,
    may_be_spread,
    may_be_torn,
    may_be_wrapped,
    may_have_column,
    may_have_stamps,
    may_start_lines,
    starts_oddly,
)
from tracelens.text import Region, Strand

#: Text is checked in pieces of this size, which fit a processor's cache.
_PIECE = 1 << 16
#: What stands on many lines if it stands on one is looked for in samples. For texts up to a size: how much of every
#: how much; the last is for all longer ones.
_SAMPLES = ((1 << 15, 1 << 12, 1 << 12), (1 << 18, 1 << 12, 1 << 13), (1 << 62, 3 << 10, _PIECE))
#: What is looked for there: all that ``starts_oddly`` does not find in the whole text.
_SIGNS = (
    may_be_filled_up,
    may_be_padded,
    may_be_wrapped,
    may_be_reflowed,
    may_start_lines,
    may_have_column,
    may_have_stamps,
    may_be_doubled,
    may_be_indented,
    may_be_torn,
    may_be_spread,
    may_be_csv,
    may_be_quoted,
)


def split_strands(region: Region) -> tuple[Strand, ...]:
    """Return one strand for each process of a region, in the order of their first lines."""
    text = region.text
    if not text:
        return ()
    if text[-1] != "\n":
        text += "\n"
    lines = _count_plain_lines(text)
    if lines is not None:
        return (Strand(process=None, text=text, line_numbers=range(region.first_line, region.first_line + lines)),)
    # Most logs are plain, and then nothing is loaded that makes them so.
    from tracelens.source.settling import strands_of

    return strands_of(text, region.first_line)


def _count_plain_lines(text: str) -> int | None:
    """Return the number of lines of a text that has no decoration, ``None`` if it may have one.

    The text must end in a newline.
    """
    sample, every = next((sample, every) for size, sample, every in _SAMPLES if len(text) <= size)
    if has_long_row(text) or is_all_moved("\n" + text[:sample]):
        return None
    lines = 0
    start = 0
    while start < len(text):
        stop = text.find("\n", min(start + _PIECE, len(text)) - 1) + 1
        # Each piece begins with the newline before its first line, which patterns ask for.
        piece = text[start - 1 : stop] if start else "\n" + text[:stop]
        lines += piece.count("\n") - 1
        if (
            not is_clean(piece)
            or starts_oddly(piece)
            or has_escaped_traceback(piece)
            or _has_traces(piece, sample, every)
        ):
            return None
        start = stop
    return lines


def _has_traces(piece: str, size: int, every: int) -> bool:
    """Tell whether samples of a piece show what stands on many lines if on any."""
    for place in range(0, len(piece), every):
        start = piece.find("\n", place)
        sample = piece[start : piece.rfind("\n", 0, start + size) + 1]
        if has_hidden_codes(sample) or any(may_be(sample) for may_be in _SIGNS):
            return True
    return False
