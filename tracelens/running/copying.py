"""A copy of what a command prints, bounded whatever it prints.

The beginning and the end are kept: failures stand there. What was left out
between them is counted in lines, so that line numbers stay those of the whole.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from tracelens.findings import Diagnostic

#: How much of the beginning and of the end is kept, in bytes.
_HEAD = 4 * 2**20
_TAIL = 28 * 2**20
#: A line of one stream waits this long, in bytes, before the other stream may cut it.
_LONGEST_LINE = 64 * 1024
_FILLING = b"\n" * 65536


class BoundedCopy:
    """Takes chunks of several streams and gives back whole lines in the order in which they ended."""

    def __init__(self, head: int = _HEAD, tail: int = _TAIL) -> None:
        """Keep so many bytes of the beginning and of the end."""
        self._room = head
        self._tail_room = tail
        self._head: list[bytes] = []
        self._tail: deque[bytes] = deque()
        self._tail_size = 0
        self._begun: dict[int, bytes] = {}
        #: Lines that are in neither part.
        self.lines_left_out = 0

    def add(self, stream: int, chunk: bytes) -> None:
        """Take what a stream said next."""
        if not chunk:
            return
        begun = self._begun.pop(stream, b"")
        end = chunk.rfind(b"\n") + 1
        if not end and len(begun) + len(chunk) < _LONGEST_LINE:
            self._begun[stream] = begun + chunk
            return
        end = end or len(chunk)
        if end < len(chunk):
            self._begun[stream] = chunk[end:]
        self._keep(begun + chunk[:end] if begun else chunk[:end])

    def finish(self) -> None:
        """Keep the lines that never ended."""
        for begun in self._begun.values():
            self._keep(begun if begun.endswith(b"\n") else begun + b"\n")
        self._begun.clear()

    def parts(self) -> Iterator[bytes]:
        """Yield the copy; lines that were left out are empty ones."""
        yield from self._head
        left = self.lines_left_out
        while left > 0:
            yield _FILLING[:left]
            left -= len(_FILLING)
        yield from self._tail

    def _keep(self, lines: bytes) -> None:
        if self._room > 0 and not self._tail:
            self._head.append(lines)
            self._room -= len(lines)
            return
        self._tail.append(lines)
        self._tail_size += len(lines)
        while self._tail_size > self._tail_room and len(self._tail) > 1:
            dropped = self._tail.popleft()
            self._tail_size -= len(dropped)
            self.lines_left_out += dropped.count(b"\n")


class CopyFeed:
    """A bounded copy as a log to analyse."""

    def __init__(self, copy: BoundedCopy) -> None:
        """Read a copy that is finished."""
        self._copy = copy
        self._parts = copy.parts()
        self._rest = memoryview(b"")

    @property
    def remarks(self) -> tuple[Diagnostic, ...]:
        """Say what is not in the copy."""
        left = self._copy.lines_left_out
        if not left:
            return ()
        message = f"{left:,} lines in the middle of the output were not kept; its beginning and its end were."
        return (Diagnostic(code="output-left-out", message=message),)

    def readinto(self, view: memoryview, /) -> int:
        """Fill the view from its beginning; return how much, 0 at the end only."""
        if not self._rest:
            self._rest = memoryview(next(self._parts, b""))
        count = min(len(view), len(self._rest))
        view[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        return count
