r"""The records of a structured trace, found without reading the rest.

A record is a header line, ``V1201 02:50:30.444000 355 torch/x.py:12] {json}``,
and payload lines, each behind a TAB. A trace of a large model is gigabytes of
graphs and generated code; one search passes over those at the speed of memory,
and only wanted records are taken apart. The buffer bounds memory: what does not
fit in is cut.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module
from typing import Any, NamedTuple, Protocol

_BLOCK = 1 << 20
#: A record is cut where it is larger than this.
_LARGEST = 16 << 20
#: The longest that may stand before the JSON of a header.
_LONGEST_HEAD = 400
#: What is read of one payload, unless more is asked for.
_LARGEST_PAYLOAD = 1 << 20
#: Of these only the beginning holds facts; behind it a hundred kilobytes follow.
_BEGINNING = {"fx_graph_cache_hit": 4096, "fx_graph_cache_miss": 4096, "fx_graph_runnable": 20_000}
_LARGEST_HEADER = 4 << 20
_MAX_NAMES = 100_000
_LONGEST_NAME = 1000
_TAIL = 256 << 10

#: Records that hold facts. Of the two groups one is the name; where there is none, it is a name for a number.
FACTS = (
    rb'\] \{"(?:artifact": \{"name": "(recompile_reasons|dynamo_error|dynamo_graph_break_reason'
    rb"|torch_version|fx_graph_runnable|(?:fx_graph|aotautograd)_cache_(?:hit|miss|bypass))"
    rb'|((?:bwd_)?compilation_metrics|dynamo_start)"|str": \[")'
)
_HEAD = re.compile(rb"[VDIWEC]\d{4} \d\d:\d\d:\d\d\.\d{1,9} +(\d{1,19}) [^\n\]]{1,300}\] ")
_PAYLOAD_END = re.compile(rb"\n(?!\t)")


class ByteFeed(Protocol):
    """What a trace is read from."""

    def readinto(self, view: memoryview, /) -> int:
        """Fill the view from its beginning; return how much, 0 at the end only."""


class TraceRecord(NamedTuple):
    """One record: its name, the JSON of its header, and its payload (or its beginning) as it stands in the file.

    ``line`` is the 1-based line of the header, ``pid`` who wrote it.
    """

    name: str
    line: int
    pid: int
    header: bytes
    payload: bytes


def _searched(expression: bytes) -> Any:  # noqa: ANN401 - RE2 ships no types
    """Return what finds an expression fastest: RE2 where it is installed, as it was measured to need half the time."""
    try:
        re2: Any = import_module("re2")
    except ImportError:
        return re.compile(expression)
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    return re2.compile(expression, options)


class TraceReader:
    """Reads a trace once, from its beginning to its end."""

    def __init__(self, feed: ByteFeed, wanted: bytes = FACTS, *, payload_limit: int = _LARGEST_PAYLOAD) -> None:
        """Take what to read, and the expression of the records that are wanted."""
        self._feed = feed
        self._payload_limit = payload_limit
        self._limits = _BEGINNING if wanted is FACTS else {}
        self._wanted = _searched(wanted)
        #: Lines read so far.
        self.lines = 0
        #: How many records were larger than what is kept of one.
        self.cut = 0
        #: The last bytes, once everything was read: what the process did when the trace ended.
        self.tail = b""
        #: Headers of ``str`` records, each with a name that later ones refer to by number.
        self.names: list[bytes] = []
        self._skipping = False

    def records(self) -> Iterator[TraceRecord]:
        """Yield wanted records in their order; a record that is cut off at the end is one as well."""
        buffer = bytearray(_BLOCK)
        filled = 0
        while True:
            filled, ended = self._fill(buffer, filled)
            end = filled if ended else buffer.rfind(b"\nV", 0, filled) + 1
            start = self._after_skipped(buffer, end or filled)
            if end == 0 and not ended:
                if len(buffer) < _LARGEST and not self._skipping:
                    buffer += bytes(len(buffer))
                    continue
                end, self.cut = filled, self.cut + (not self._skipping)
                self._skipping = True
            yield from self._in_block(buffer, start, end)
            if ended:
                self.tail = bytes(buffer[max(0, end - _TAIL) : end])
                return
            rest = filled - end
            buffer[:rest] = buffer[end:filled]
            filled = rest

    def _fill(self, buffer: bytearray, filled: int) -> tuple[int, bool]:
        """Fill the buffer; tell how much is in it and whether the feed is at its end."""
        with memoryview(buffer) as view:
            while filled < len(view):
                count = self._feed.readinto(view[filled:])
                if not count:
                    return filled, True
                filled += count
        return filled, False

    def _after_skipped(self, buffer: bytearray, end: int) -> int:
        """Pass over the rest of a record that was cut; return where the next one begins."""
        if not self._skipping:
            return 0
        start = buffer.find(b"\nV", 0, end) + 1
        if not start:
            start = end
        else:
            self._skipping = False
        self.lines += buffer.count(b"\n", 0, start)
        return start

    def _in_block(self, buffer: bytearray, start: int, end: int) -> Iterator[TraceRecord]:
        counted = start
        for match in self._wanted.finditer(buffer, start, end):
            at = match.start()
            if match.lastindex is None:
                self._take_name(buffer, at)
                continue
            first = buffer.rfind(b"\n", max(start, at - _LONGEST_HEAD), at) + 1
            if first <= 0:
                first = start
            head = _HEAD.match(buffer, first, at + 2)
            if head is None or head.end() != at + 2:
                continue  # quoted in a payload
            self.lines += buffer.count(b"\n", counted, first)
            counted = first
            yield self._record(buffer, match, head, end)
        self.lines += buffer.count(b"\n", counted, end)

    def _take_name(self, buffer: bytearray, at: int) -> None:
        """Keep the header of a name; it is taken apart when one is asked for, which is seldom."""
        if len(self.names) < _MAX_NAMES:
            self.names.append(bytes(buffer[at + 2 : buffer.find(b"\n", at, at + _LONGEST_NAME) + 1]))

    def _record(self, buffer: bytearray, match: re.Match[bytes], head: re.Match[bytes], end: int) -> TraceRecord:
        start = head.end()
        stop = buffer.find(b"\n", start, end)
        stop = end if stop < 0 else stop
        name = match[match.lastindex or 0].decode()
        after = stop
        if buffer[stop : stop + 2] == b"\n\t":
            limit = min(end, stop + self._limits.get(name, self._payload_limit))
            closing = _PAYLOAD_END.search(buffer, stop, limit)
            after = closing.start() if closing else limit
        return TraceRecord(
            name=name,
            line=self.lines + 1,
            pid=int(head[1]),
            header=bytes(buffer[start : min(stop, start + _LARGEST_HEADER)]),
            payload=bytes(buffer[stop + 1 : after]),
        )
