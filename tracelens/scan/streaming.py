"""Scan a large input in one pass: window, finder, grower, keeper."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from tracelens.scan.feed import ByteFeed
from tracelens.scan.finder import HitFinder
from tracelens.scan.growing import RawRegion, RegionGrower
from tracelens.scan.keeping import RegionKeeper
from tracelens.scan.lines import make_newline_counter
from tracelens.scan.options import ScanLedger, ScanOptions
from tracelens.scan.prepare import make_finder
from tracelens.scan.window import LineWindow


def scan_stream(
    feed: ByteFeed, anchors: Sequence[str], options: ScanOptions, ledger: ScanLedger
) -> Iterator[RawRegion]:
    """Yield the regions of a feed as bytes, with what decided on them in the ledger."""
    finder = make_finder(anchors, options.engine, cache=options.cache)
    ledger.engine = finder.engine
    window = LineWindow(feed, options, ledger, partial(_holds_hit, finder))
    grower = RegionGrower(window.buffer, options, finder, make_newline_counter(window.buffer))
    keeper = RegionKeeper(options, ledger)
    end = 0
    while (segment := window.advance()) is not None:
        start, end = segment
        for region in grower.add(window.base, start, end):
            yield from keeper.keep(region)
        ledger.lines = grower.lines
    for region in grower.finish(end):
        yield from keeper.keep(region)
    yield from keeper.finish()
    yield from grower.recurred()
    ledger.hit_lines = grower.hit_lines
    ledger.lines += bool(end > 1 and window.buffer[end - 1 : end] != b"\n")


def _holds_hit(finder: HitFinder, piece: bytearray) -> bool:
    """Tell whether an anchor matches in a piece of a line; it is taken for a line of its own."""
    return bool(finder.hit_lines(bytearray(b"\n") + piece, 1, len(piece) + 1))
