"""Decompress a stream piece by piece, by what its first bytes say it is.

Names are never trusted, memory stays bounded whatever the input claims, and
damage is a remark as long as anything could be read.
"""

from __future__ import annotations

from functools import cache

from tracelens.errors import InputError
from tracelens.source.bombs import BombGuard
from tracelens.source.bytesources import ByteSource
from tracelens.source.magic import Compression, recognise
from tracelens.typed import Any, Protocol, cast

#: Compressed bytes read at once, and handed to zstandard at once: it has no output limit of its own,
#: and 256 bytes can hold 64 blocks of 128 KiB at most.
_READ_SIZE = 1 << 16
_ZSTD_SLICE = 256
#: What a further stream is handed first: a decompressor copies what it leaves over, and streams can be tiny.
_FIRST_PIECE = 1 << 10
_XZ_MEMORY = 256 << 20
_ZSTD_WINDOW = 1 << 27


class _Decompressor(Protocol):
    """What bz2, lzma and compression.zstd agree on."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int) -> bytes: ...


class _Gzip:
    """zlib's decompressor with the interface of the others."""

    __slots__ = ("_inner", "_tail")

    def __init__(self) -> None:
        import zlib

        self._inner = zlib.decompressobj(wbits=31)
        self._tail = b""

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def needs_input(self) -> bool:
        return not self._tail

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        output = self._inner.decompress(self._tail + data, max_length)
        self._tail = self._inner.unconsumed_tail
        return output


class _Zstandard:
    """The zstandard package's decompressor with the interface of the others."""

    __slots__ = ("_inner", "_input", "_pending", "_position")

    def __init__(self) -> None:
        import zstandard

        self._inner = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW).decompressobj()
        self._input = b""
        self._position = 0
        self._pending = b""

    @property
    def eof(self) -> bool:
        return self._inner.eof and not self._pending

    @property
    def needs_input(self) -> bool:
        return not self._pending and self._position >= len(self._input)

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data + self._input[self._position :]

    def decompress(self, data: bytes, max_length: int) -> bytes:
        if data:
            self._input = self._input[self._position :] + data
            self._position = 0
        parts = [self._pending]
        size = len(self._pending)
        while size < max_length and self._position < len(self._input) and not self._inner.eof:
            piece = self._input[self._position : self._position + _ZSTD_SLICE]
            self._position += len(piece)
            parts.append(self._inner.decompress(piece))
            size += len(parts[-1])
        output = b"".join(parts)
        self._pending = output[max_length:]
        return output[:max_length]


def _decompressor(compression: Compression, name: str) -> _Decompressor:
    """Return a fresh decompressor; the module it needs is imported only now."""
    try:
        if compression is Compression.GZIP:
            return _Gzip()
        if compression is Compression.BZIP2:
            import bz2

            return bz2.BZ2Decompressor()
        if compression is Compression.XZ:
            import lzma

            return lzma.LZMADecompressor(memlimit=_XZ_MEMORY)
        return _zstd_decompressor()
    except ImportError as error:
        raise InputError(name, f"{compression.value}-compressed, and this Python cannot read that: {error}") from error


@cache
def _standard_zstd() -> Any:  # noqa: ANN401 - a module that only Python 3.14 and later have
    """Return the standard library's module; looking for it in vain takes time, so once only."""
    from importlib import import_module

    try:
        return import_module("compression.zstd")
    except ImportError:
        return None


def _zstd_decompressor() -> _Decompressor:
    standard = _standard_zstd()
    if standard is None:
        return _Zstandard()
    options = {standard.DecompressionParameter.window_log_max: _ZSTD_WINDOW.bit_length() - 1}
    return cast("_Decompressor", standard.ZstdDecompressor(options=options))


class Decompressed:
    """The decompressed bytes of another source; several streams in a row count as one.

    ``remark`` says what was wrong with the data, if it could be read in part.
    """

    __slots__ = (
        "_buffer",
        "_compression",
        "_decompressor",
        "_done",
        "_errors",
        "_guard",
        "_name",
        "_piece",
        "_place",
        "_source",
        "remark",
    )

    def __init__(self, source: ByteSource, compression: Compression, name: str, guard: BombGuard) -> None:
        """Read ``source``, which must start with the magic bytes of ``compression``."""
        self._source = source
        #: Compressed bytes, of which those before ``_place`` were handed to the decompressor.
        self._buffer = b""
        self._place = 0
        self._piece = _READ_SIZE
        self._compression = compression
        self._name = name
        self._guard = guard
        self._decompressor = _decompressor(compression, name)
        self._errors = _errors_of(compression)
        self._done = False
        self.remark: str | None = None

    def readinto(self, view: memoryview, /) -> int:
        """Fill the view with decompressed bytes."""
        while not self._done:
            decompressor = self._decompressor
            if decompressor.eof:
                self._next_stream(decompressor.unused_data)
                continue
            hungry = decompressor.needs_input
            data = self._read() if hungry else b""
            output = self._decompress(data, len(view))
            if output:
                self._guard.check(output)
                view[: len(output)] = output
                return len(output)
            if hungry and not data and not self._done:
                self._end(f"the {self._compression.value} data end in the middle")
        return 0

    def close(self) -> None:
        """Close the source below."""
        self._source.close()

    def _read(self) -> bytes:
        if self._place == len(self._buffer):
            buffer = bytearray(_READ_SIZE)
            count = self._source.readinto(memoryview(buffer))
            self._buffer = bytes(memoryview(buffer)[:count])
            self._place = 0
        data = self._buffer[self._place : self._place + self._piece]
        self._place += len(data)
        self._piece = min(2 * self._piece, _READ_SIZE)
        return data

    def _put_back(self, data: bytes) -> None:
        """Read again what was the last to be read."""
        if len(data) <= self._place:
            self._place -= len(data)
        else:
            self._buffer = data + self._buffer[self._place :]
            self._place = 0

    def _decompress(self, data: bytes, limit: int) -> bytes:
        try:
            return self._decompressor.decompress(data, limit)
        except self._errors as error:
            self._end(f"the {self._compression.value} data cannot be read ({error})")
            return b""

    def _end(self, what: str) -> None:
        """Stop here: a remark if something was read, else an error."""
        self._done = True
        if self._guard.produced == 0:
            raise InputError(self._name, what)
        self.remark = f"{what}; what could be read until there was analysed"

    def _next_stream(self, rest: bytes) -> None:
        """Go on with the stream that follows, behind zero padding; rubbish ends it all."""
        rest = rest.lstrip(b"\0")
        while len(rest) < len(b"BZh91AY&SY"):
            more = self._read()
            if not more:
                break
            rest = (rest + more).lstrip(b"\0")
        if recognise(rest) is self._compression:
            self._decompressor = _decompressor(self._compression, self._name)
            self._put_back(rest)
            self._piece = _FIRST_PIECE
            return
        self._done = True
        if rest:
            self.remark = f"bytes after the {self._compression.value} data were ignored"


def _errors_of(compression: Compression) -> tuple[type[Exception], ...]:
    """Return what a decompressor raises for damaged data."""
    if compression is Compression.GZIP:
        import zlib

        return (zlib.error,)
    if compression is Compression.BZIP2:
        return (OSError, ValueError)
    if compression is Compression.XZ:
        import lzma

        return (lzma.LZMAError,)
    standard = _standard_zstd()
    if standard is not None:
        return (standard.ZstdError,)
    import zstandard

    return (zstandard.ZstdError,)
