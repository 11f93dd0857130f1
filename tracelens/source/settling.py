"""Take off decorations until none is left.

Steps take one kind of decoration off at a time, the surest first, and begin
anew after each, until none finds anything more: so decorations come off in any
order, and splitting a strand again changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from tracelens.record import Record
from tracelens.source.boxes import unbox
from tracelens.source.columns import strip_columns
from tracelens.source.controls import rows_of
from tracelens.source.csv_rows import unwrap_csv
from tracelens.source.doubling import take_once
from tracelens.source.escaped import unescape
from tracelens.source.frames import mend_frames
from tracelens.source.identity import name_of, process_of
from tracelens.source.indentation import mend_indentation
from tracelens.source.json_lines import unwrap_json
from tracelens.source.padding import drop_padding
from tracelens.source.peeling import peel
from tracelens.source.quoted_rows import unquote
from tracelens.source.rows import Rows, distinct
from tracelens.source.stamps import strip_stamps
from tracelens.source.trailing import trim
from tracelens.source.word_wrapping import rejoin_words
from tracelens.source.wrapping import unwrap
from tracelens.text import Strand

#: Rows of a process are remembered up to this length.
_MEMORABLE = 16_000
#: More than any log has layers of decoration; only made-up ones come near.
_MAX_TURNS = 100


class Step(Record):
    """What takes one kind of decoration off.

    Steps that look at neighbouring lines wait until the processes are apart, and
    steps that need but one row find nothing new in a part of the rows.
    """

    apply: Callable[[Rows], Rows | None]
    needs_order: bool = False
    needs_one_row: bool = False


_STEPS = (
    Step(apply=trim),
    Step(apply=drop_padding, needs_order=True),
    Step(apply=unwrap, needs_order=True),
    Step(apply=rejoin_words, needs_order=True),
    Step(apply=peel, needs_one_row=True),
    Step(apply=unwrap_json, needs_one_row=True),
    Step(apply=unwrap_csv, needs_order=True),
    Step(apply=unquote, needs_order=True),
    Step(apply=unescape, needs_one_row=True),
    Step(apply=strip_columns),
    Step(apply=strip_stamps),
    Step(apply=take_once, needs_order=True),
    Step(apply=unbox, needs_order=True),
    Step(apply=mend_indentation, needs_order=True),
    Step(apply=mend_frames, needs_order=True),
)


def strands_of(text: str, first_line: int) -> tuple[Strand, ...]:
    """Return one strand for each process of a text, in the order of their first lines."""
    groups: dict[str | None, list[Rows]] = {}
    for rows in settle(rows_of(text, first_line)):
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
