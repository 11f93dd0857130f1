"""Bound what is handed on of a log that hits an anchor all the time.

Of regions that are equal but for their times the first ones are handed on, and
at the end the last one, for all between. Others are kept in full up to a sum.
Past it only those with a line of a new kind are, up to the same sum again, and
the last ones before the end. What is left out is counted.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from tracelens.scan.growing import RawRegion
from tracelens.scan.options import ScanLedger, ScanOptions
from tracelens.scan.recurring import KnownRegion

#: So many of equal regions are handed on as they come, and the last one.
_READ = 1


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
        self._last: dict[KnownRegion, RawRegion] = {}

    def keep(self, region: RawRegion) -> Iterator[RawRegion]:
        """Take the next region and give those that are kept for certain."""
        size = len(region.data)
        if self._is_counted(region):
            return
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

    def _is_counted(self, region: RawRegion) -> bool:
        """Tell whether enough regions like this one were handed on; if so, it is the last of them so far."""
        known = region.known
        if known is None:
            return False
        known.times += 1
        if known.times <= _READ:
            return False
        region.times = known.times - _READ
        self._last[known] = region
        return True

    def finish(self) -> Iterator[RawRegion]:
        """Give the last regions; those that stand for equal ones come behind all others."""
        while self._waiting:
            yield self._waiting.popleft()
        yield from sorted(self._last.values(), key=lambda region: region.first_line)

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
