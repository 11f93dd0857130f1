"""What logs are full of when nothing is wrong.

``ordinary.txt`` holds lines that healthy runs print by the thousand and, below
an empty line, words that such lines are made of. A text that stands there is a
poor thing to look for.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

from tracelens.typed import cache


@cache
def _page() -> bytes:
    return Path(__file__).with_name("ordinary.txt").read_bytes()


def ordinary_match(expression: str) -> str | None:
    """Return what an anchor's expression finds in ordinary lines, if anything."""
    lines, _, _ = _page().partition(b"\n\n")
    match = re.search(expression.encode(), lines, re.MULTILINE)
    return None if match is None else match.group().decode("utf-8", "replace")


def count_parts(parts: Collection[bytes], more: bytes, *, folded: bool) -> dict[bytes, int]:
    """Count how often each of some texts stands in ordinary logs and in some ``more``."""
    lines, empty, words = _page().partition(b"\n\n")
    page = lines + empty + words.replace(b"\n", b" ") + more
    if folded:
        page = page.lower()
    counts = dict.fromkeys(parts, 0)
    for size in {len(part) for part in parts}:
        for start in range(len(page) - size + 1):
            part = page[start : start + size]
            if part in counts:
                counts[part] += 1
    return counts
