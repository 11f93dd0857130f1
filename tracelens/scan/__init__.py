"""Find the few regions of a log that can matter, at the speed of memory."""

from __future__ import annotations

from collections.abc import Iterable

from tracelens.scan.feed import ByteFeed
from tracelens.scan.options import EngineName, ScanLedger, ScanOptions
from tracelens.scan.regions import find_regions

__all__ = ["ByteFeed", "EngineName", "ScanLedger", "ScanOptions", "anchors_from_patterns", "find_regions"]


def anchors_from_patterns(patterns: Iterable[str]) -> tuple[str, ...]:
    """Derive what the scan looks for from patterns of rules; see ``scan.anchors``.

    Raises ``AnchorError`` for a pattern that the scan cannot see.
    """
    # Needed when rules are loaded afresh, which most runs never do.
    from tracelens.scan import anchors

    return anchors.anchors_from_patterns(patterns)
