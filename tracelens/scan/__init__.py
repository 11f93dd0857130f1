"""Find the few regions of a log that can matter, at the speed of memory.

A small log is one region, which ``regions`` hands on whole. A large ``feed`` goes through
``streaming``: the ``window`` moves over it in complete ``lines`` (``long_lines`` apart); the
``finder`` has an engine (``engines``) look for gates and checks what it finds; ``growing``
makes an ``open_region`` of hits, as far as the block of each goes (``reach``), unless it is
one of ``recurring``; ``keeping`` decides which are handed on, by ``novelty`` where room is
short. ``options`` has every bound.

What to look for: ``anchors`` come from patterns (``pieces``, ``byte_classes``), ``gates`` are
chosen so that no anchor matches unnoticed and ``ordinary`` text opens few; a ``plan`` holds
both, and ``prepare`` has it made, or read from the ``plan_cache``.
"""

from __future__ import annotations

from collections.abc import Iterable

from tracelens.scan.options import EngineName, ScanLedger, ScanOptions
from tracelens.scan.regions import find_regions

__all__ = ["EngineName", "ScanLedger", "ScanOptions", "anchors_from_patterns", "find_regions"]


def anchors_from_patterns(patterns: Iterable[str]) -> tuple[str, ...]:
    """Derive what the scan looks for from patterns of rules; see ``scan.anchors``.

    Raises ``AnchorError`` for a pattern that the scan cannot see.
    """
    # Needed when rules are loaded afresh, which most runs never do.
    from tracelens.scan import anchors

    return anchors.anchors_from_patterns(patterns)
