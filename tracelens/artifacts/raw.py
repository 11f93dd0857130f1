"""The lines of a trace that evidence may show, cut to what can be read."""

from __future__ import annotations

from collections.abc import Callable

from tracelens.artifacts.records import TraceRecord
from tracelens.text import Region

_HEADER_KEPT = 600
_PAYLOAD_KEPT = 3000
_REASONS_KEPT = 1200


class RawRecords:
    """Hands on the lines of records, numbered as in the trace behind a base."""

    def __init__(self, base: int, keep: Callable[[Region], None]) -> None:
        """Take what the lines are counted from, and where they go."""
        self._base = base
        self._keep = keep

    def record(self, record: TraceRecord, *, whole: bool = False) -> None:
        """Keep a header and its payload, all of it where that is the proof."""
        payload = record.payload if whole else record.payload[:_REASONS_KEPT]
        self.text(record.line, _decoded(record.header[:_HEADER_KEPT] + b"\n" + payload))

    def beginning(self, record: TraceRecord, text: str) -> None:
        """Keep a header and that part of its payload which was understood."""
        lines = text.replace("\n", "\n\t")
        self.text(record.line, f"{_decoded(record.header[:_HEADER_KEPT])}\n\t{lines}")

    def failure(self, record: TraceRecord) -> None:
        """Keep what metrics say of a failure, out of a line of forty kilobytes."""
        at = max(0, record.header.find(b'"fail_type"'))
        self.text(record.line, _decoded(record.header[at : at + _PAYLOAD_KEPT]))

    def text(self, line: int, text: str) -> None:
        """Keep a text as the lines that begin there."""
        self._keep(Region(first_line=self._base + line, text=text))


def _decoded(text: bytes) -> str:
    return text.decode("utf-8", "surrogateescape")
