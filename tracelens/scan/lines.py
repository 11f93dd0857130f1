"""Count newlines at the speed of memory, where a library for it is installed.

``bytearray.count`` looks at one byte at a time in CPython up to 3.14: counting
took as long as looking for all anchors. stringzilla maps newlines to ones and
adds them up with vector instructions, ten times as fast.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

#: Counts the newlines in ``buffer[start:end]``.
NewlineCounter = Callable[[bytearray, int, int], int]

#: Shorter stretches are counted before the library has been called.
_WORTH = 4096


def make_newline_counter(size: int) -> NewlineCounter:
    """Return the fastest counter there is, for stretches of up to ``size`` bytes."""
    try:
        library = import_module("stringzilla")
        translate, add = library.translate, library.bytesum
        newlines = bytes(byte == ord("\n") for byte in range(256))
        ones = bytearray(size)
        target = memoryview(ones)
        translate(target[:2], newlines, out=target[:2])
    except (ImportError, AttributeError, TypeError):
        return count_newlines

    def count(buffer: bytearray, start: int, end: int) -> int:
        if not _WORTH < end - start <= size:
            return buffer.count(b"\n", start, end)
        window = target[: end - start]
        translate(memoryview(buffer)[start:end], newlines, out=window)
        return int(add(window))

    return count


def count_newlines(buffer: bytearray, start: int, end: int) -> int:
    """Count newlines by means of the language itself."""
    return buffer.count(b"\n", start, end)
