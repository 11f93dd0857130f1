"""The lines that make a place in a log worth reading, for the scan.

Every kind of line that begins something of interest is here, and no kind that
is common in a healthy run. The regular expressions keep to what Hyperscan,
RE2 and ``re`` understand alike; the scan compiles them with MULTILINE.
"""

from __future__ import annotations

#: One regular expression per family, most frequent first.
ANCHORS: tuple[str, ...] = (
    r"Traceback \(most recent call last\)",
    r"^[^\n]{0,200}\b[A-Za-z_.]{1,80}(?:Error|Exception|Interrupt|Failed|Exceeded|Timeout|Violation)\b[:(]",
)
