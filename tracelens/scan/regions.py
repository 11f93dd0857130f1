"""Find the few regions of an input that can matter.

A small input is one region and costs nothing more. A large one is read once,
in a window of bounded size, and never looked at line by line where nothing
hits. The regions are the same whatever engine is installed and however the
input arrives.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tracelens.scan.options import ScanLedger, ScanOptions
from tracelens.text import Region
from tracelens.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from tracelens.scan.feed import ByteFeed  # at run time it is whatever has its method

_DEFAULT = ScanOptions()
_PIECE = 1 << 16


def find_regions(
    feed: ByteFeed,
    anchors: Sequence[str],
    *,
    options: ScanOptions = _DEFAULT,
    ledger: ScanLedger | None = None,
) -> Iterator[Region]:
    """Yield the regions of a feed, none overlapping another.

    They come in order, but for those that stand for several: these come last.

    ``anchors`` are patterns of single lines in Python's syntax, without
    lookaround and back-references; ``^`` and ``$`` mean the ends of a line as
    it stands in the input. ``ledger`` is filled in as the regions are drawn.
    Raises ``AnchorError`` for an anchor that cannot be looked for.
    """
    ledger = ScanLedger() if ledger is None else ledger
    beginning = _read_beginning(feed, options.whole_bytes + 1)
    if len(beginning) <= options.whole_bytes:
        yield from _whole(beginning, ledger)
        return
    from tracelens.scan.streaming import scan_stream

    for raw in scan_stream(_Resumed(beginning, feed), anchors, options, ledger):
        ledger.regions += 1
        text = raw.data.decode("utf-8", "surrogateescape")
        yield Region(first_line=raw.first_line, text=text, complete=raw.complete, times=raw.times)


def _whole(data: bytearray, ledger: ScanLedger) -> Iterator[Region]:
    ledger.bytes = len(data)
    ledger.lines = data.count(b"\n") + bool(data and not data.endswith(b"\n"))
    if data:
        ledger.regions = 1
        yield Region(first_line=1, text=data.decode("utf-8", "surrogateescape"))


def _read_beginning(feed: ByteFeed, size: int) -> bytearray:
    """Return the first bytes of a feed: ``size`` of them, or all if there are fewer."""
    beginning = bytearray()
    piece = memoryview(bytearray(min(size, _PIECE)))
    while len(beginning) < size:
        count = feed.readinto(piece[: size - len(beginning)])
        if not count:
            break
        beginning += piece[:count]
    return beginning


class _Resumed:
    """A feed whose beginning was read before."""

    def __init__(self, beginning: bytearray, feed: ByteFeed) -> None:
        self._beginning = memoryview(beginning)
        self._feed = feed

    def readinto(self, buffer: memoryview, /) -> int:
        count = min(len(buffer), len(self._beginning))
        if not count:
            return self._feed.readinto(buffer)
        buffer[:count] = self._beginning[:count]
        self._beginning = self._beginning[count:]
        return count
