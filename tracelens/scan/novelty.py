"""Tell hit lines of a new kind from repeats, in bounded memory.

Two lines are of one kind if they differ in numbers and hexadecimal digits only, and not in how something ended.
A log that prints the same complaint a million times need not be read to the end
of it, but the one other line among them must not be lost.
"""

from __future__ import annotations

from tracelens.alike import without_numbers

#: So many lines of one kind count as new.
_FEW = 8
_MAX_KINDS = 1 << 14
#: Of longer lines a hash is kept.
_WIDTH = 160


def kind_of_line(buffer: bytearray | bytes, start: int, end: int) -> bytes:
    """Return what all lines of the kind of ``buffer[start:end]`` have, and no others."""
    kind = without_numbers(bytes(buffer[start:end]))
    # A long path or the name of a logger may stand before what a line says.
    return kind if len(kind) <= _WIDTH else kind[:_WIDTH] + b"%x" % hash(kind)


class KindCounter:
    """Counts hit lines by kind."""

    def __init__(self) -> None:
        """Start with nothing seen."""
        self._counts: dict[bytes, int] = {}

    def note(self, kind: bytes, lines: int) -> bool:
        """Count lines and tell whether their kind was rare so far."""
        count = self._counts.get(kind, 0)
        if count >= _FEW:
            return False
        if not count and len(self._counts) >= _MAX_KINDS:
            return False
        self._counts[kind] = count + lines
        return True
