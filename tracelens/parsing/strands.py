"""``parse_strand``: the one way into this package."""

from __future__ import annotations

from tracelens.events import Event
from tracelens.findings import Diagnostic
from tracelens.parsing.blocks import block_of
from tracelens.parsing.tables import load_tables
from tracelens.parsing.transform import BlockTransformer
from tracelens.record import Record
from tracelens.text import Strand

_PAGE = 1 << 16


class Parsed(Record):
    """What a strand says, and the ledger of its lines that are not blank."""

    events: tuple[Event, ...]
    parsed_lines: int
    unparsed_lines: int
    diagnostics: tuple[Diagnostic, ...] = ()


def parse_strand(strand: Strand) -> Parsed:
    """Read the text of one process; events come in order of position."""
    block = block_of(strand)
    remarks: list[Diagnostic] = []
    events, unparsed = BlockTransformer(block, load_tables(), remarks).read()
    solid = _count_solid(strand.text)
    return Parsed(
        events=tuple(events), parsed_lines=solid - unparsed, unparsed_lines=unparsed, diagnostics=tuple(remarks)
    )


def _count_solid(text: str) -> int:
    """Return the number of lines that are not blank; page by page, for a copy of all lines would be large."""
    solid = start = 0
    while start < len(text):
        end = text.find("\n", start + _PAGE) + 1 or len(text)
        lines = text[start:end].split("\n")
        solid += len(lines) - len([line for line in lines if not line or line.isspace()])
        start = end
    return solid
