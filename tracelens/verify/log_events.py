"""What a log says beyond its diagnosis: the guards that failed, and the files of a cache."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from tracelens.events import Event, GuardFailure, GuardKind, Recompile, RecompileLimit
from tracelens.parsing import parse_strand
from tracelens.parsing.anchors import ANCHORS
from tracelens.record import Record
from tracelens.scan import ScanLedger, ScanOptions, find_regions
from tracelens.source import expand_inputs, split_strands

_USUAL_LIMIT = 8
_MOST_EVENTS = 20_000
_CHUNK_BYTES = 1 << 20
_MOST_TEXT_BYTES = 64 << 20


class Recompilation(Record):
    """Which guard kept failing, with which values, and after how many compilations torch gave up."""

    kind: GuardKind
    dimension: int
    values: tuple[int, ...]
    source: str | None
    limit: int


def read_recompilation(path: str) -> Recompilation | None:
    """Return the guard that failed most often in the log at ``path``, with its values in order."""
    guards: list[GuardFailure] = []
    limit = _USUAL_LIMIT
    for event in _events(path):
        if isinstance(event, RecompileLimit):
            limit = event.limit or limit
            guards += event.guards
        elif isinstance(event, Recompile):
            guards += event.guards
        elif isinstance(event, GuardFailure):
            guards.append(event)
    if not guards:
        return None
    keys = Counter((guard.kind, guard.source, guard.dimension) for guard in guards)
    # The one that is named most often; of equals the first.
    kind, source, dimension = max(keys, key=keys.__getitem__)
    values: dict[int, None] = {}
    for guard in guards:
        if (guard.kind, guard.source, guard.dimension) == (kind, source, dimension):
            for text in (guard.expected, guard.actual):
                if text is not None and text.isdecimal():
                    values[int(text)] = None
    return Recompilation(
        kind=kind, dimension=dimension or 0, values=tuple(values), source=source, limit=max(1, min(limit, 64))
    )


def read_text(path: str) -> str:
    """Return the text of a log, decompressed; of a huge one the beginning."""
    chunks = bytearray()
    for entry in expand_inputs([path]):
        with entry.open() as feed:
            buffer = bytearray(_CHUNK_BYTES)
            while len(chunks) < _MOST_TEXT_BYTES and (count := feed.readinto(memoryview(buffer))):
                chunks += buffer[:count]
    return chunks.decode("utf-8", "replace")


def _events(path: str) -> Iterator[Event]:
    count = 0
    for entry in expand_inputs([path]):
        with entry.open() as feed:
            for region in find_regions(feed, ANCHORS, options=ScanOptions(), ledger=ScanLedger()):
                for strand in split_strands(region):
                    for event in parse_strand(strand).events:
                        count += 1
                        yield event
                        if count >= _MOST_EVENTS:
                            return
