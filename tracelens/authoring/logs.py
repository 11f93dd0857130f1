"""The events of a log as ``analyze`` reads it, for questions about rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tracelens.engine.evidence import Excerpt
from tracelens.engine.raw import RawLines
from tracelens.engine.store import EventStore
from tracelens.errors import UsageError
from tracelens.parsing import Memory, parse_strand
from tracelens.parsing.anchors import ANCHORS
from tracelens.report.harmless import harmless_line
from tracelens.ruleset.compiled import RuleSet
from tracelens.scan import ScanLedger, ScanOptions, find_regions
from tracelens.source import Input, expand_inputs, split_strands


class ReadLog(NamedTuple):
    """One log: its name, its events and what its lines are."""

    name: str
    store: EventStore
    excerpt: Excerpt


def read_logs(arguments: Sequence[str], ruleset: RuleSet) -> Iterator[ReadLog]:
    """Yield the logs that arguments lead to; raises ``InputError`` for one that cannot be read."""
    anchors = tuple(dict.fromkeys((*ANCHORS, *ruleset.anchors)))
    for entry in expand_inputs(arguments):
        yield _read(entry, anchors)


def read_log(argument: str, ruleset: RuleSet) -> ReadLog:
    """Return the one log that an argument leads to; raises ``UsageError`` when there are several."""
    logs = list(read_logs([argument], ruleset))
    if len(logs) != 1:
        message = f"{harmless_line(argument)} leads to {len(logs)} logs; name one"
        raise UsageError(message)
    return logs[0]


def _read(entry: Input, anchors: tuple[str, ...]) -> ReadLog:
    store = EventStore()
    raw = RawLines()
    memory = Memory()
    with entry.open() as feed:
        for region in find_regions(feed, anchors, options=ScanOptions(), ledger=ScanLedger()):
            raw.add(region)
            for strand in split_strands(region):
                store.take(parse_strand(strand, memory), region.times)
    return ReadLog(entry.name, store, raw.excerpt)
