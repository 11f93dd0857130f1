"""The raw lines of the regions that were read, for evidence.

Only the regions of a scan are here, and of these the older ones compressed,
so that memory stays bounded. A line that was never in a region is not here.
"""

from __future__ import annotations

from bisect import bisect_right

from tracelens.text import Region, Span

#: So much text stays as it is; beyond that, the oldest regions are compressed.
_PLAIN_CHARACTERS = 1024 * 1024


class RawLines:
    """Regions in order of their lines; hands out the lines of a span."""

    def __init__(self) -> None:
        """Start with no text."""
        self._first_lines: list[int] = []
        self._texts: list[str | bytes] = []
        self._plain = 0
        self._oldest_plain = 0
        self._open: tuple[int, list[str]] | None = None

    def add(self, region: Region) -> None:
        """Keep one more region, which overlaps no other."""
        number = bisect_right(self._first_lines, region.first_line)
        self._first_lines.insert(number, region.first_line)
        self._texts.insert(number, region.text)
        self._plain += len(region.text)
        self._open = None
        if number < self._oldest_plain:
            self._compress(number)
            self._oldest_plain += 1
        while self._plain > _PLAIN_CHARACTERS and self._oldest_plain < len(self._texts) - 1:
            self._compress(self._oldest_plain)
            self._oldest_plain += 1

    def excerpt(self, span: Span) -> str:
        """Return the lines of a span that are here, joined by newlines."""
        number = max(0, bisect_right(self._first_lines, span.line) - 1)
        found: list[str] = []
        while number < len(self._texts) and self._first_lines[number] <= span.end_line:
            first = self._first_lines[number]
            lines = self._lines(number)
            found += lines[max(0, span.line - first) : span.end_line - first + 1]
            number += 1
        return "\n".join(found)

    def _lines(self, number: int) -> list[str]:
        if self._open is None or self._open[0] != number:
            text = self._texts[number]
            if isinstance(text, bytes):
                # Only logs of many megabytes come to this.
                import zlib

                text = zlib.decompress(text).decode("utf-8", "surrogatepass")
            lines = text.split("\n")
            if not lines[-1]:
                lines.pop()
            self._open = number, lines
        return self._open[1]

    def _compress(self, number: int) -> None:
        import zlib

        text = self._texts[number]
        if isinstance(text, str):
            self._plain -= len(text)
            self._texts[number] = zlib.compress(text.encode("utf-8", "surrogatepass"), level=1)
