"""Reads a report of tracelens as the log that it was written from.

A report in Markdown carries the log in fences under one heading. Its own
words, and the fixes that it advises, are no part of that log.
"""

from __future__ import annotations

from tracelens.text import LOG_HEADING, Region

_FENCE = "```"


def log_of_report(region: Region) -> Region:
    """Return the region with everything that is not the log of the report left blank; lines keep their numbers."""
    lines: list[str] = []
    in_section = False
    ticks = ""
    for line in region.text.split("\n"):
        shown = ""
        if ticks:
            if line == ticks:
                ticks = ""
            elif in_section:
                shown = line
        elif line.startswith(_FENCE):
            ticks = _FENCE + "`" * (len(line[3:]) - len(line[3:].lstrip("`")))
        elif line.startswith("### "):
            in_section = line == LOG_HEADING
        lines.append(shown)
    return Region(first_line=region.first_line, text="\n".join(lines), complete=region.complete)
