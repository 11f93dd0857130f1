"""``parse_strand``: the one way into this package."""

from __future__ import annotations

from dataclasses import dataclass

from tracelens.events import Event
from tracelens.findings import Diagnostic
from tracelens.parsing.blocks import block_of
from tracelens.parsing.tables import load_tables
from tracelens.parsing.transform import BlockTransformer
from tracelens.text import Strand


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """What a strand says, and the ledger of its lines that are not blank."""

    events: tuple[Event, ...]
    parsed_lines: int
    unparsed_lines: int
    diagnostics: tuple[Diagnostic, ...] = ()


def parse_strand(strand: Strand) -> Parsed:
    """Read the text of one process; events come in order of position."""
    block = block_of(strand)
    events, unparsed = BlockTransformer(block, load_tables()).read()
    lines = block.text.count("\n") - block.blank
    if block.text is not strand.text and block.text != strand.text:
        lines = sum(1 for line in strand.text.split("\n") if line.strip())
    return Parsed(events=tuple(events), parsed_lines=lines - unparsed, unparsed_lines=unparsed)
