"""Hand out the UTF-8 bytes of one input, whatever it is wrapped in.

A feed peels compression and encoding off by content, never by name, in
bounded memory. What goes wrong after the first byte is a remark, so that the
readable part of a damaged log is still analysed.
"""

from __future__ import annotations

from types import TracebackType

from tracelens.errors import InputError
from tracelens.findings import Diagnostic
from tracelens.source.bombs import MAX_OUTPUT, BombGuard
from tracelens.source.bytesources import ByteSource, Counted, Opener, Prefixed, read_head
from tracelens.source.encodings import Transcoded, recognise_encoding
from tracelens.source.magic import recognise, refuse_archives
from tracelens.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from tracelens.source.compression import Decompressed  # few logs are compressed, and each start comes here

#: A log inside gzip inside tar inside zstd is odd; more layers are an attack.
_MAX_LAYERS = 4
#: Enough characters to tell UTF-16 without a mark from a binary file.
_ENCODING_HEAD = 4096
#: Control characters that neither terminals nor editors nor half-written files leave in a text.
_NOT_OF_TEXT = bytes(sorted({*range(0x20), 0x7F} - {*b"\0\a\b\t\n\v\f\r\x1b"}))
_LEAST_TOLD = 64
_MOST_OF_TEXT = 1 / 20
_TAR_MAGIC = slice(257, 262)


class Feed:
    """The UTF-8 bytes of one input, decompressed; use it in a ``with`` block."""

    __slots__ = ("_layers", "_raw", "_remarks", "_source", "head", "name", "produced")

    def __init__(
        self,
        name: str,
        opener: Opener,
        *,
        max_size: int = MAX_OUTPUT,
        remarks: tuple[Diagnostic, ...] = (),
    ) -> None:
        """Open the input and look at its first bytes."""
        self.name = name
        self.produced = 0
        #: The first bytes, as they are stored within; they are handed out all the same.
        self.head = b""
        self._remarks = list(remarks)
        self._layers: list[Decompressed] = []
        try:
            self._raw = Counted(opener())
        except OSError as error:
            raise InputError(name, reason_of(error)) from error
        self._source: ByteSource = self._raw
        try:
            self._unwrap(max_size)
        except OSError as error:
            self.close()
            raise InputError(name, reason_of(error)) from error
        except BaseException:
            self.close()
            raise

    def _unwrap(self, max_size: int) -> None:
        head = read_head(self._source)
        while (compression := recognise(head)) is not None:
            if len(self._layers) == _MAX_LAYERS:
                raise InputError(self.name, f"compressed more than {_MAX_LAYERS} times over")
            from tracelens.source.compression import Decompressed

            guard = BombGuard(self.name, max_size, self._raw)
            layer = Decompressed(Prefixed(head, self._source), compression, self.name, guard)
            self._layers.append(layer)
            self._source = layer
            head = read_head(self._source)
        refuse_archives(self.name, head)
        if head[_TAR_MAGIC] == b"ustar":
            raise InputError(self.name, "a tar archive on a pipe or inside another; unpack it first")
        self._decode(head)

    def _decode(self, head: bytes) -> None:
        if b"\0" in head:
            head += read_head(self._source, _ENCODING_HEAD)
        encoding, mark = recognise_encoding(head)
        self.head = head[mark:]
        self._source = Prefixed(self.head, self._source)
        if encoding == "utf-8" and _is_binary(self.head):
            message = "this does not look like text; whatever is said of it, it may be no log at all"
            self._remarks.append(Diagnostic(code="input-binary", message=message))
        if encoding != "utf-8":
            self._source = Transcoded(self._source, encoding)

    @property
    def remarks(self) -> tuple[Diagnostic, ...]:
        """What was wrong with the input, complete once it was read to its end."""
        damage = (layer.remark for layer in self._layers)
        return (*self._remarks, *(Diagnostic(code="input-damaged", message=text) for text in damage if text))

    @property
    def consumed(self) -> int:
        """How many bytes of the input as it is stored were read so far."""
        return self._raw.count

    def readinto(self, view: memoryview, /) -> int:
        """Fill the view with UTF-8 from its beginning; return how much, 0 at the end only."""
        try:
            count = self._source.readinto(view)
        except OSError as error:
            if self.produced == 0:
                raise InputError(self.name, reason_of(error)) from error
            message = f"reading stopped: {reason_of(error)}; what could be read until there was analysed"
            self._remarks.append(Diagnostic(code="input-damaged", message=message))
            self._source = _Ended(self._source)
            return 0
        self.produced += count
        return count

    def close(self) -> None:
        """Let go of the input."""
        self._source.close()

    def __enter__(self) -> Feed:  # noqa: PYI034  # Self is not in Python 3.10
        """Hand out the open feed."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it."""
        self.close()


class _Ended:
    """A source that broke, of which nothing more is read."""

    __slots__ = ("_source",)

    def __init__(self, source: ByteSource) -> None:
        self._source = source

    def readinto(self, _view: memoryview, /) -> int:
        return 0

    def close(self) -> None:
        self._source.close()


def _is_binary(head: bytes) -> bool:
    odd = len(head) - len(head.translate(None, _NOT_OF_TEXT))
    return head.startswith(b"\x7fELF") or (len(head) >= _LEAST_TOLD and odd > len(head) * _MOST_OF_TEXT)


def reason_of(error: OSError) -> str:
    """Say in plain words why a file cannot be read."""
    return (error.strerror or str(error) or type(error).__name__).lower()
