"""How far the block that a hit stands in reaches, back and forth.

A traceback, a compiler's output or a flood of warnings is known by its indented
lines and by a few texts that such blocks repeat, and goes on as long as one of
these follows within some lines. The answer depends on the text alone: a reach
from any line of a block ends where the reach from its last line ends.
"""

from __future__ import annotations

from tracelens.scan.options import ScanOptions

_SPACE, _TAB, _NEWLINE, _RETURN = b" \t\n\r"
#: How lines of a block begin that are not indented: in pytest's reports and in boxed tracebacks.
_BEGINNINGS = {ord("E"): b"E  ", 0xE2: b"\xe2\x94\x82"}
#: What a block repeats in lines that decorations have pushed away from their indentation.
_MARKS = (b'File "', b": warning", b": note: ", b"frame #")
#: So far a look goes for a line that continues a block, instead of line by line.
_LEAP = 1536


def reach_forward(
    buffer: bytearray, live: int, until: int, mark_until: int, options: ScanOptions
) -> tuple[int, int, bool]:
    """Follow a block from the end of one of its lines.

    ``live`` and ``until`` are ends of lines; marks from ``mark_until`` on do
    not count. Returns where the block ends, where its context ends, and
    whether that is certain: if not, ``until`` was reached first.
    """
    while True:
        context, live = _context_after(buffer, live, until, mark_until, options)
        last = _last_mark(buffer, live, min(context, mark_until))
        if last < 0:
            return live, context, context < until
        live = buffer.find(b"\n", last, until) + 1 or until


def _context_after(buffer: bytearray, live: int, until: int, mark_until: int, options: ScanOptions) -> tuple[int, int]:
    """Return where the context after ``live`` ends, and where the last line of the block in it ends."""
    position = next_leap = live
    lines = 0
    while position < until:
        if position == live >= next_leap:
            next_leap = live + min(_LEAP, options.after_bytes)
            last = buffer.rfind(b"\n ", live, min(next_leap, until, mark_until))
            # So few lines are in the context, whatever they are, and what is indented below them continues the block.
            if last >= 0 and buffer.count(b"\n", live, last) < options.after_lines:
                position = next_leap = last + 1
        end = buffer.find(b"\n", position, until) + 1 or until
        first = buffer[position]
        if position < mark_until and _continues(buffer, position, first):
            live, lines = end, 0
        elif first not in (_NEWLINE, _RETURN):
            lines += 1
        if end - live > options.after_bytes or lines > options.after_lines:
            return position, live
        position = end
    return until, live


def _continues(buffer: bytearray, start: int, first: int) -> bool:
    """Tell whether a line can only be in the middle of a block."""
    if first in (_SPACE, _TAB):
        return True
    beginning = _BEGINNINGS.get(first)
    return beginning is not None and buffer.startswith(beginning, start)


def _last_mark(buffer: bytearray, start: int, end: int) -> int:
    return max(buffer.rfind(mark, start, end) for mark in _MARKS)


def reach_back(buffer: bytearray, start: int, floor: int, options: ScanOptions) -> int:
    """Return where the context before the block around a hit begins.

    ``start`` is where the hit's line starts; nothing before ``floor``, which
    is the start of a line, is taken.
    """
    block_floor = max(floor, start - options.back_bytes)
    block = start
    while True:
        context, block = _context_before(buffer, block, floor, block_floor, options)
        first = _first_mark(buffer, max(context, block_floor), block)
        if first < 0:
            return context
        line = buffer.rfind(b"\n", floor, first) + 1 or floor
        if line < block_floor:
            return context
        block = line


def _context_before(
    buffer: bytearray, block: int, floor: int, block_floor: int, options: ScanOptions
) -> tuple[int, int]:
    """Return where the context before ``block`` starts, and where the first line of the block in it starts."""
    position = block
    lines = 0
    while position > floor:
        start = buffer.rfind(b"\n", floor, position - 1) + 1 or floor
        first = buffer[start]
        if start >= block_floor and _continues(buffer, start, first):
            block, lines = start, 0
        elif first not in (_NEWLINE, _RETURN):
            lines += 1
        if block - start > options.before_bytes or lines > options.before_lines:
            return position, block
        position = start
    return floor, block


def _first_mark(buffer: bytearray, start: int, end: int) -> int:
    return min((place for mark in _MARKS if (place := buffer.find(mark, start, end)) >= 0), default=-1)


def lines_before(buffer: bytearray, end: int, floor: int, lines: int, limit: int) -> int:
    """Return where the last ``lines`` lines before ``end`` begin, in no more than ``limit`` bytes."""
    floor = max(floor, 0)
    position = end
    while lines > 0 and position > floor:
        start = buffer.rfind(b"\n", floor, position - 1) + 1 or floor
        if end - start > limit:
            break
        position = start
        lines -= 1
    return position
