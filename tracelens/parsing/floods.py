"""Floods: long runs of lines of one kind, each of which says all by itself.

A loop that fails on every item prints a hundred thousand exceptions of one
line each. Where another line of the kind follows at once, nothing else can
belong to such a line, so all but the last of a run are one token. Lines that
are like many others of their kind are taken for one of them without a closer look.
"""

from __future__ import annotations

import re

from tracelens.alike import ALIKE_KEPT, shapes_of
from tracelens.expressions import expression
from tracelens.parsing.blocks import Block
from tracelens.parsing.line_kinds import HEAD_TEXT, NO_HEADER, header_of, kind_of
from tracelens.parsing.reach import LINKS, ends_as_exception, is_table_row, is_warning
from tracelens.parsing.repeats import Flood
from tracelens.typed import cache

#: The token for a run of lines, by their kind.
FLOODS = {
    "EXCEPTION": "FLOOD",
    "RECORD": "FLOOD",
    "EXIT": "REPORTED_FLOOD",
    "NINJA_FAILED": "REPORTED_FLOOD",
    "NINJA_STOPPED": "REPORTED_FLOOD",
}
#: So many lines of a kind in a row may be a flood.
SUSPICIOUS = 8
#: Characters that are looked at together.
_PIECE = 1 << 15
#: Shapes that are remembered, by kind.
_SHAPES = 4096
#: How much shorter than others of its shape a header may be.
_MARGIN = 16


def find_flood(block: Block, kind: str, start: int, flood: Flood) -> tuple[int, int]:
    """Return the end and the number of those lines from ``start`` that another one of the kind follows at once."""
    text, known = block.text, flood.known
    position, count, last = start, 0, ""
    while position < block.size:
        stop = text.rfind("\n", position, position + _PIECE) + 1 or text.find("\n", position) + 1
        piece = text[position : stop - 1]
        for line, shape in zip(piece.split("\n"), shapes_of(piece), strict=True):
            verified, offset = known.get(shape, _UNKNOWN)
            if verified < ALIKE_KEPT:
                found = _stands_alone(f"{line}\n", kind)
                if found is None:
                    return position - len(last) - 1 if count else start, max(0, count - 1)
                if len(known) < _SHAPES:
                    known[shape] = verified + 1, found
            if offset and last[:offset] == line[:offset]:
                # Headers that may be equal: the two may be one record.
                return position - len(last) - 1, count - 1
            last = line
            position += len(line) + 1
            count += 1
    return position - len(last) - 1, count - 1


_UNKNOWN = 0, 0


def texts_of(piece: str, kind: str) -> list[str]:
    """Return for each line what it says, whenever it says it."""
    return (_stamps().sub(r"\1", piece) if kind == "RECORD" else piece).split("\n")


@cache
def _stamps() -> re.Pattern[str]:
    """Times, and process ids behind them, at the beginning of lines."""
    return expression(
        r"^([VDIWECF]?)(?:\d{4} |[\[(]?\d{2,4}[-/]\d\d[-/]\d{2,4}[ T])\d\d:\d\d:\d\d(?:[.,]\d+)?(?: +\d+ )?",
        re.MULTILINE,
    )


def _stands_alone(line: str, kind: str) -> int | None:
    """Return how much of a line can tell that the next one belongs to it, ``None`` if more can tell."""
    if kind_of(line) != kind:
        return None
    if kind == "RECORD":
        return _told_by_header(line)
    goes_on = (kind == "EXCEPTION" and not ends_as_exception(line)) or (kind == "EXIT" and is_table_row(line))
    return None if goes_on else 0


def _told_by_header(line: str) -> int | None:
    record, offset = header_of(line) or NO_HEADER
    if is_warning(record, line):
        return 0
    goes_on = HEAD_TEXT in line or 'File "' in line or line[offset] in " \t\n" or line.startswith(LINKS, offset)
    if not offset or goes_on:
        return None
    return max(1, offset - _MARGIN) if record.time is not None else 0
