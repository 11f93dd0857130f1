"""Cut a region into the undecorated lines of each process.

Steps take one kind of decoration off at a time, the surest first, and begin
anew after each, until none finds anything more: so decorations come off in any
order, and splitting a strand again changes nothing. Text without any is
recognised fast and shared.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from tracelens.record import Record
from tracelens.source.boxes import may_be_boxed, unbox
from tracelens.source.columns import may_have_column, strip_columns
from tracelens.source.controls import has_hidden_codes, has_long_row, is_clean, rows_of
from tracelens.source.decorations import may_start_lines, starts_oddly
from tracelens.source.doubling import may_be_doubled, take_once
from tracelens.source.frames import may_be_torn, mend_frames
from tracelens.source.identity import name_of, process_of
from tracelens.source.indentation import is_all_moved, may_be_indented, mend_indentation
from tracelens.source.json_lines import may_unwrap, unwrap_json
from tracelens.source.padding import drop_padding, may_be_padded
from tracelens.source.peeling import peel
from tracelens.source.rows import Rows, distinct
from tracelens.source.stamps import may_have_stamps, strip_stamps
from tracelens.source.trailing import may_be_filled_up, trim
from tracelens.source.word_wrapping import may_be_reflowed, rejoin_words
from tracelens.source.wrapping import may_be_wrapped, unwrap
from tracelens.text import Region, Strand

#: Text is checked in pieces of this size, which fit a processor's cache.
_PIECE = 1 << 16
#: What stands on many lines if it stands on one is looked for in samples. For texts up to a size: how much of every
#: how much; the last is for all longer ones.
_SAMPLES = ((1 << 15, 1 << 12, 1 << 12), (1 << 18, 1 << 12, 1 << 13), (1 << 62, 3 << 10, _PIECE))
#: Rows of a process are remembered up to this length.
_MEMORABLE = 16_000
#: More than any log has layers of decoration; only made-up ones come near.
_MAX_TURNS = 100


class Step(Record):
    """One kind of decoration: a quick look whether there may be any, and what takes it off.

    Steps that look at neighbouring lines wait until the processes are apart.
    What ``shows_at_margin`` is found by ``starts_oddly`` already, and steps that
    need but one row find nothing new in a part of the rows.
    """

    may_apply: Callable[[str], bool]
    apply: Callable[[Rows], Rows | None]
    needs_order: bool = False
    shows_at_margin: bool = False
    needs_one_row: bool = False


_STEPS = (
    Step(may_apply=may_be_filled_up, apply=trim),
    Step(may_apply=may_be_padded, apply=drop_padding, needs_order=True),
    Step(may_apply=may_be_wrapped, apply=unwrap, needs_order=True),
    Step(may_apply=may_be_reflowed, apply=rejoin_words, needs_order=True),
    Step(may_apply=may_start_lines, apply=peel, needs_one_row=True),
    Step(may_apply=may_unwrap, apply=unwrap_json, shows_at_margin=True, needs_one_row=True),
    Step(may_apply=may_have_column, apply=strip_columns),
    Step(may_apply=may_have_stamps, apply=strip_stamps),
    Step(may_apply=may_be_doubled, apply=take_once, needs_order=True),
    Step(may_apply=may_be_boxed, apply=unbox, needs_order=True, shows_at_margin=True),
    Step(may_apply=may_be_indented, apply=mend_indentation, needs_order=True),
    Step(may_apply=may_be_torn, apply=mend_frames, needs_order=True),
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
    groups: dict[str | None, list[Rows]] = {}
    for rows in settle(rows_of(text, region.first_line)):
        if rows.texts:
            owner = None if rows.owners is None else rows.owners[0]
            groups.setdefault(None if owner is None else name_of(owner), []).append(rows)
    return tuple(_strand(_merged(parts)) for parts in groups.values())


def settle(rows: Rows, *, is_part: bool = False) -> list[Rows]:
    """Take off decorations until none is left, and return the rows of each process by itself.

    ``is_part`` says that the rows were looked at together with those of other
    processes, so that what shows on a single row is gone.
    """
    if is_part and not rows.is_woven and len(rows.text) <= _MEMORABLE and _is_bare(rows.text):
        return [rows]
    #: The rows in which each step found nothing to do.
    done = {number: rows for number, step in enumerate(_STEPS) if step.needs_one_row and is_part}
    for _turn in range(_MAX_TURNS):
        for number, step in enumerate(_STEPS):
            if done.get(number) is rows or (step.needs_order and rows.is_woven):
                continue
            changed = step.apply(rows)
            if changed is not None:
                rows = changed
                break
            done[number] = rows
        else:
            break
    if not rows.is_woven:
        return [rows]
    return [settled for group in rows.by_owner() for settled in settle(group, is_part=True)]


@lru_cache(maxsize=256)
def _is_bare(text: str) -> bool:
    """Tell whether rows of one process have no decoration left, given what they are; ranks often print the same."""
    texts = text[1:-1].split("\n")
    rows = Rows(texts, list(range(len(texts))))
    return all(step.needs_one_row or step.apply(rows) is None for step in _STEPS)


def _merged(parts: list[Rows]) -> Rows:
    """Put the rows of one process, which came apart on different ways, into the order of the input."""
    if len(parts) == 1:
        return parts[0]
    texts = [text for rows in parts for text in rows.texts]
    numbers = [number for rows in parts for number in rows.numbers]
    ends = [end for rows in parts for end in rows.ends or rows.numbers]
    owners = [owner for rows in parts for owner in rows.owners or [None] * len(rows.texts)]
    order = sorted(range(len(texts)), key=numbers.__getitem__)
    return Rows(texts, numbers, ends=ends, owners=owners).pick(order)


def _strand(rows: Rows) -> Strand:
    owners = distinct(rows.owners or ())
    return Strand(
        process=process_of(owners) if owners else None,
        text=rows.text[1:],
        line_numbers=rows.numbers,
        last_line_numbers=rows.ends,
    )


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
        if not is_clean(piece) or starts_oddly(piece) or _has_traces(piece, sample, every):
            return None
        start = stop
    return lines


def _has_traces(piece: str, size: int, every: int) -> bool:
    """Tell whether samples of a piece show what stands on many lines if on any."""
    for place in range(0, len(piece), every):
        start = piece.find("\n", place)
        sample = piece[start : piece.rfind("\n", 0, start + size) + 1]
        if has_hidden_codes(sample) or any(step.may_apply(sample) for step in _STEPS if not step.shows_at_margin):
            return True
    return False
