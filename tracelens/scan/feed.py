"""What the scan reads from."""

from __future__ import annotations

from tracelens.typed import Protocol


class ByteFeed(Protocol):
    """Anything that fills a buffer with the next bytes; 0 means the end."""

    def readinto(self, buffer: memoryview, /) -> int:
        """Read up to ``len(buffer)`` bytes and return how many."""
        ...
