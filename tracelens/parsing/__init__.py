"""Parsing: from the text of one process to events.

``parse_strand`` is total: any text gives events, and every line that is not
blank is counted either as understood or as not understood.
"""

from __future__ import annotations

from tracelens.parsing.anchors import ANCHORS
from tracelens.parsing.repeats import Memory
from tracelens.parsing.strands import Parsed, parse_strand

__all__ = ["ANCHORS", "Memory", "Parsed", "parse_strand"]
