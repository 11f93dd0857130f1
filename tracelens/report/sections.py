"""Parts of a report that has to stay within a size: the least important ones are left out whole."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

from tracelens.record import Record


class Worth(IntEnum):
    """How much a part is worth; the lowest is left out first, ``ANSWER`` never."""

    REFERENCES = 0
    OTHER_INPUTS = 1
    OTHER_FINDINGS = 2
    MORE_OF_THE_LOG = 3
    TIMELINE = 4
    ABLATION = 5
    EXPLANATION = 6
    MORE_FIXES = 7
    LOG = 8
    ANSWER = 9


class Section(Record):
    """One part of a report; ``name`` is how the report calls it when it is left out."""

    name: str
    worth: Worth
    text: str


#: What stands between two parts.
GAP = "\n\n"
_NOTE = "\n\nLeft out, as this report may have {limit:,} bytes and whole parts go first: {names}."
#: What the note may need.
_ROOM_OF_NOTE = 400


def fit(sections: Sequence[Section], limit: int) -> str:
    """Return the parts in their order within ``limit`` bytes of UTF-8, and a note of those that were left out."""
    kept = [section for section in sections if section.text]
    dropped: list[Section] = []
    while _size(kept) > limit - (_ROOM_OF_NOTE if dropped else 0):
        # Of equal ones the last goes first.
        least = min(range(len(kept)), key=lambda place: (kept[place].worth, -place))
        if kept[least].worth is Worth.ANSWER:
            break
        dropped.append(kept.pop(least))
    text = GAP.join(section.text for section in kept)
    if dropped:
        names = ", ".join(dict.fromkeys(section.name for section in dropped))
        if len(names) > _ROOM_OF_NOTE // 2:
            names = f"{names[: _ROOM_OF_NOTE // 2].rpartition(',')[0]} and more"
        text += _NOTE.format(limit=limit, names=names)
    return text + "\n"


def _size(sections: Sequence[Section]) -> int:
    return sum(len(section.text.encode()) + len(GAP) for section in sections)
