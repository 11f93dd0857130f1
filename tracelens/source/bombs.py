"""Tell a decompression bomb from a log that compresses well.

A log that repeats itself for ten gigabytes is still a log, and gzip makes a
thousandth of it; so size and ratio alone condemn nothing but the absurd. What
a log has and a bomb lacks is line ends. Each refusal states its limit.
"""

from __future__ import annotations

from tracelens.errors import InputError
from tracelens.typed import Protocol

#: How much one input may decompress to unless the caller lifts it: 32 GiB.
MAX_OUTPUT = 32 << 30
#: This much output without a line end, at more than the ratio below it, is a bomb.
MAX_WITHOUT_LINE_END = 64 << 20
MAX_RATIO_WITHOUT_LINE_END = 100
#: One layer does not reach this (bz2 makes a 20,000th of one repeated line); bombs in layers do.
MAX_RATIO = 50_000
MIN_OUTPUT_FOR_RATIO = 1 << 30


class Counter(Protocol):
    """Counts the bytes that were read of the input as it is stored."""

    @property
    def count(self) -> int:
        """The number of bytes so far."""
        ...


class BombGuard:
    """Counts what one input decompresses to, and stops what cannot be a log."""

    __slots__ = ("_consumed", "_line_end", "_name", "_size_limit", "produced")

    def __init__(self, name: str, size_limit: int, consumed: Counter) -> None:
        """Take the name for messages, and the most bytes that may come out."""
        self._name = name
        self._size_limit = size_limit
        self._consumed = consumed
        self._line_end = 0
        self.produced = 0

    def check(self, output: bytes) -> None:
        """Count one piece of output; raise InputError at a limit."""
        end = max(output.rfind(b"\n"), output.rfind(b"\r"))
        if end >= 0:
            self._line_end = self.produced + end
        self.produced += len(output)
        consumed = self._consumed.count
        if self.produced > self._size_limit:
            self._refuse(
                f"it decompresses to more than {amount(self._size_limit)}, the limit for one input; --max-size lifts it"
            )
        unbroken = self.produced - self._line_end
        if unbroken > MAX_WITHOUT_LINE_END and self.produced > MAX_RATIO_WITHOUT_LINE_END * consumed:
            self._refuse(
                f"decompression bomb: {amount(consumed)} became {amount(self.produced)}, the last "
                f"{amount(unbroken)} without a line end (limits: {amount(MAX_WITHOUT_LINE_END)} without a line end "
                f"at {MAX_RATIO_WITHOUT_LINE_END} times the compressed size)"
            )
        if self.produced > MIN_OUTPUT_FOR_RATIO and self.produced > MAX_RATIO * consumed:
            self._refuse(
                f"decompression bomb: {amount(consumed)} became {amount(self.produced)} "
                f"(limit: {MAX_RATIO:,} times the compressed size)"
            )

    def _refuse(self, reason: str) -> None:
        raise InputError(self._name, reason)


def amount(size: int) -> str:
    """Write a number of bytes as people read it."""
    if size < 1024:
        return f"{size} bytes"
    value = float(size)
    for unit in ("KiB", "MiB"):
        value /= 1024
        if value < 1024:
            return f"{value:.1f} {unit}"
    return f"{value / 1024:.1f} GiB"
