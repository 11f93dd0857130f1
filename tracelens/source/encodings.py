"""Turn whatever encoding a log is in into UTF-8, without losing a byte.

UTF-8 and everything that looks like it passes through untouched, undecodable
bytes included. UTF-16 and UTF-32 are told by their byte order mark; UTF-16
without one by its zero bytes, as PowerShell and Windows services leave it.
"""

from __future__ import annotations

import codecs

from tracelens.source.bytesources import ByteSource

#: UTF-32 first: its little-endian mark begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
#: ASCII text in UTF-16 has a zero in every other byte and none between; these shares decide.
_MANY_ZEROS = 0.4
_FEW_ZEROS = 0.02
_MIN_CHARACTERS = 8
#: One UTF-16 unit of two bytes becomes three bytes of UTF-8 at most.
_GROWTH = 2


def recognise_encoding(head: bytes) -> tuple[str, int]:
    """Return the name of the encoding and the length of its byte order mark."""
    for mark, name in _MARKS:
        if head.startswith(mark):
            return name, len(mark)
    pairs = len(head) // 2
    if pairs >= _MIN_CHARACTERS:
        even = head[0 : 2 * pairs : 2].count(0) / pairs
        odd = head[1 : 2 * pairs : 2].count(0) / pairs
        if odd >= _MANY_ZEROS and even <= _FEW_ZEROS:
            return "utf-16-le", 0
        if even >= _MANY_ZEROS and odd <= _FEW_ZEROS:
            return "utf-16-be", 0
    return "utf-8", 0


class Transcoded:
    """The bytes of another source, turned from ``encoding`` into UTF-8."""

    __slots__ = ("_decoder", "_ended", "_pending", "_source")

    def __init__(self, source: ByteSource, encoding: str) -> None:
        """Read ``source``, which stands behind its byte order mark."""
        self._source = source
        # A wrong sequence becomes U+FFFD: there is no byte to keep in another encoding.
        self._decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
        self._pending = b""
        self._ended = False

    def readinto(self, view: memoryview, /) -> int:
        """Fill the view with UTF-8."""
        while not self._pending and not self._ended:
            buffer = bytearray(max(4, len(view) // _GROWTH))
            count = self._source.readinto(memoryview(buffer))
            self._ended = count == 0
            text = self._decoder.decode(bytes(memoryview(buffer)[:count]), final=self._ended)
            self._pending = text.encode("utf-8", "replace")
        count = min(len(view), len(self._pending))
        view[:count] = self._pending[:count]
        self._pending = self._pending[count:]
        return count

    def close(self) -> None:
        """Close the source."""
        self._source.close()
