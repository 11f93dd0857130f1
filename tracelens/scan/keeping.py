"""Bound what is handed on of a log that hits an anchor all the time.

Regions are kept in full up to a sum. Past it only those with a line of a new
kind are, up to the same sum again, and the last ones before the end. What is
left out is counted.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from tracelens.scan.growing import RawRegion
from tracelens.scan.options import ScanLedger, ScanOptions


class RegionKeeper:
    """Decides which regions are handed on."""

    def __init__(self, options: ScanOptions, ledger: ScanLedger) -> None:
        """Take the bounds, and where to count what is dropped."""
        self._ledger = ledger
        self._room = options.keep_bytes
        self._room_for_new = options.keep_bytes
        self._room_at_end = options.keep_last_bytes
        self._waiting: deque[RawRegion] = deque()
        self._waiting_bytes = 0

    def keep(self, region: RawRegion) -> Iterator[RawRegion]:
        """Take the next region and give those that are kept for certain."""
        size = len(region.data)
        if self._room > 0:
            self._room -= size
            yield region
        elif region.is_new and self._room_for_new > 0:
            self._room_for_new -= size
            yield from self._settle(before=region)
        else:
            self._waiting.append(region)
            self._waiting_bytes += size
            while self._waiting_bytes > self._room_at_end and len(self._waiting) > 1:
                self._drop()

    def finish(self) -> Iterator[RawRegion]:
        """Give the last regions."""
        while self._waiting:
            yield self._waiting.popleft()

    def _settle(self, before: RawRegion) -> Iterator[RawRegion]:
        # What waits stands before the region, and is not the end of the log.
        while self._waiting:
            self._drop()
        yield before

    def _drop(self) -> None:
        region = self._waiting.popleft()
        self._waiting_bytes -= len(region.data)
        self._ledger.dropped += 1
        self._ledger.dropped_bytes += len(region.data)
