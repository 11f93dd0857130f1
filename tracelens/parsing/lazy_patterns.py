"""Regular expressions that are compiled when first used, and kept.

Most logs need few of the readers' patterns, and compiling all of them would
cost more than reading a small log. ``re`` has a cache of its own, but it is
bounded and shared with the patterns of the rules.
"""

from __future__ import annotations

import re
from functools import cache

from tracelens.expressions import expression


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Return the pattern, compiled once for the life of the process."""
    return expression(pattern)
