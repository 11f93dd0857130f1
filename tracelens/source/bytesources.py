"""Where bytes come from: files, pipes, and slices of them.

Every source fills a buffer that the caller owns, so a log of any size passes
through the same megabyte, and every source can be closed twice.
"""

from __future__ import annotations

from collections.abc import Callable

from tracelens.typed import BinaryIO, Protocol

#: Enough of a stream to tell compression, encoding and tar by.
HEAD_SIZE = 512


class ByteSource(Protocol):
    """Whatever bytes can be read from: a file, a pipe, a decompressor."""

    def readinto(self, view: memoryview, /) -> int:
        """Fill the view from its beginning; return how much, 0 at the end only."""
        ...

    def close(self) -> None:
        """Let go of the file below."""
        ...


#: How an input gets its bytes, each time from the beginning.
Opener = Callable[[], ByteSource]


class FileSource:
    """A binary file object; ``keep_open`` is for those that are not ours."""

    __slots__ = ("_file", "_keep_open", "_readinto")

    def __init__(self, file: BinaryIO, *, keep_open: bool = False) -> None:
        """Read from where the file stands now."""
        self._file = file
        self._keep_open = keep_open
        # One system call a time, so that a pipe hands over what it has.
        self._readinto = getattr(file, "readinto1", None) or file.readinto  # type: ignore[attr-defined]

    def readinto(self, view: memoryview, /) -> int:
        """Read what is there; a pipe without a writer is at its end."""
        return self._readinto(view) or 0

    def seek_by(self, count: int) -> bool:
        """Move on without reading; ``False`` where that cannot be done."""
        if not self._file.seekable():
            return False
        self._file.seek(count, 1)
        return True

    def close(self) -> None:
        """Close the file, unless it belongs to someone else."""
        if not self._keep_open:
            self._file.close()


class Counted:
    """Another source, with the number of bytes that were read of it."""

    __slots__ = ("_source", "count")

    def __init__(self, source: ByteSource) -> None:
        """Count from here."""
        self._source = source
        self.count = 0

    def readinto(self, view: memoryview, /) -> int:
        """Read and count."""
        count = self._source.readinto(view)
        self.count += count
        return count

    def close(self) -> None:
        """Close the source."""
        self._source.close()


class Prefixed:
    """Bytes that were read too early, before the rest of their source."""

    __slots__ = ("_head", "_source")

    def __init__(self, head: bytes, source: ByteSource) -> None:
        """Hand out ``head`` first."""
        self._head = head
        self._source = source

    def readinto(self, view: memoryview, /) -> int:
        """Fill the view from the head, then from the source."""
        if not self._head:
            return self._source.readinto(view)
        count = min(len(view), len(self._head))
        view[:count] = self._head[:count]
        self._head = self._head[count:]
        return count

    def close(self) -> None:
        """Close the source."""
        self._source.close()


def read_head(source: ByteSource, size: int = HEAD_SIZE) -> bytes:
    """Return the first bytes of a source, fewer only if it ends before."""
    buffer = bytearray(size)
    view = memoryview(buffer)
    filled = 0
    while filled < size and (count := source.readinto(view[filled:])):
        filled += count
    return bytes(view[:filled])
