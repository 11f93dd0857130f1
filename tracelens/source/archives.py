"""The members of a tar archive, compressed or not, as inputs of their own.

An archive is listed and read front to back only, in bounded memory: members
that are opened in order cost one pass over a compressed archive, not one each.
"""

from __future__ import annotations

from collections.abc import Iterator

from tracelens.errors import InputError
from tracelens.record import Record
from tracelens.source.bombs import BombGuard
from tracelens.source.bytesources import ByteSource, Counted, FileSource, Prefixed, read_head
from tracelens.source.compression import Decompressed
from tracelens.source.magic import is_tar_block, recognise
from tracelens.typed import BinaryIO, cast

#: An archive with more files than this is no set of rank logs.
MAX_MEMBERS = 10_000
#: The longest header (of a long name) that is read into memory.
_MAX_HEADER = 1 << 20
#: More than any disk holds; a size can claim what no offset can reach.
_MAX_MEMBER = 1 << 60
_SKIP_SIZE = 1 << 18
#: What tarfile raises for damage: its own errors, and those of code that trusts sizes, maps and chains of headers.
_DAMAGE = (OSError, EOFError, ValueError, ArithmeticError, LookupError, RecursionError)


class Member(Record):
    """One regular file in an archive; ``offset`` is where its bytes begin."""

    name: str
    offset: int
    size: int


class Archive:
    """One tar file on disk, of which members can be opened again and again."""

    __slots__ = ("_max_size", "_place", "_stream", "name")

    def __init__(self, name: str, max_size: int) -> None:
        """Take the name of the file to read."""
        self.name = name
        self._max_size = max_size
        #: An open stream that stands at ``_place``, kept for the next member.
        self._stream: ByteSource | None = None
        self._place = 0

    def __reduce__(self) -> tuple[type[Archive], tuple[str, int]]:
        """Pickle without the stream that waits: another process opens its own."""
        return Archive, (self.name, self._max_size)

    def __del__(self) -> None:
        """Close the stream that waits for a next member."""
        if self._stream is not None:
            self._stream.close()

    def is_tar(self) -> bool:
        """Tell whether the file, once decompressed, begins like a tar archive."""
        source = self._open()
        try:
            return is_tar_block(read_head(source))
        finally:
            source.close()

    def members(self) -> Iterator[Member | InputError]:
        """List the regular files; damage is the last item, if there is any."""
        import tarfile

        source = self._open()
        count = 0
        try:
            with tarfile.open(fileobj=cast("BinaryIO", _Forward(self.name, source)), mode="r:") as archive:
                while (entry := archive.next()) is not None:
                    archive.members.clear()  # type: ignore[attr-defined]  # else a listing of millions stays in memory
                    if not entry.isreg() or entry.issparse():
                        continue
                    if not 0 <= entry.size <= _MAX_MEMBER:
                        message = f"a member of {entry.size:,} bytes"
                        raise tarfile.ReadError(message)
                    count += 1
                    if count > MAX_MEMBERS:
                        raise InputError(self.name, f"holds more than {MAX_MEMBERS:,} files")
                    yield Member(name=entry.name, offset=entry.offset_data, size=entry.size)
        except (tarfile.TarError, *_DAMAGE) as error:
            yield InputError(self.name, f"the tar archive is damaged ({error})")
        finally:
            source.close()

    def open_member(self, member: Member) -> ByteSource:
        """Return the bytes of one member."""
        stream, place = self._stream, self._place
        self._stream = None
        if stream is None or place > member.offset:
            if stream is not None:
                stream.close()
            stream, place = self._open(), 0
        try:
            _skip(stream, member.offset - place)
        except BaseException:
            stream.close()
            raise
        return _MemberSource(self, stream, member)

    def take_back(self, stream: ByteSource, place: int) -> None:
        """Keep a stream that was read up to ``place`` for the next member."""
        if self._stream is not None:
            self._stream.close()
        self._stream, self._place = stream, place

    def _open(self) -> ByteSource:
        file = open(self.name, "rb", buffering=0)  # noqa: SIM115  # the source closes it
        raw = Counted(FileSource(file))
        try:
            head = read_head(raw)
            compression = recognise(head)
            if compression is None:
                file.seek(0)
                return FileSource(file)
            return Decompressed(Prefixed(head, raw), compression, self.name, BombGuard(self.name, self._max_size, raw))
        except BaseException:
            file.close()
            raise


class _MemberSource:
    """A slice of an archive's stream; closing it gives the stream back."""

    __slots__ = ("_archive", "_left", "_place", "_stream")

    def __init__(self, archive: Archive, stream: ByteSource, member: Member) -> None:
        self._archive = archive
        self._stream: ByteSource | None = stream
        self._left = member.size
        self._place = member.offset

    def readinto(self, view: memoryview, /) -> int:
        if self._stream is None or not self._left:
            return 0
        count = self._stream.readinto(view[: self._left])
        if not count:
            raise OSError(None, "the tar archive ends within this member")
        self._left -= count
        self._place += count
        return count

    def close(self) -> None:
        if self._stream is not None:
            self._archive.take_back(self._stream, self._place)
            self._stream = None


class _Forward:
    """As much of a file object as tarfile needs to list, without going back."""

    __slots__ = ("_name", "_place", "_source")

    def __init__(self, name: str, source: ByteSource) -> None:
        self._name = name
        self._source = source
        self._place = 0

    def tell(self) -> int:
        return self._place

    def seek(self, place: int, _whence: int = 0) -> int:
        if place < self._place:
            message = "a member lies before one that was read"
            raise OSError(None, message)
        self._place += _skip(self._source, place - self._place)
        return self._place

    def read(self, size: int) -> bytes:
        # A header of gigabytes would be read whole.
        if size > _MAX_HEADER:
            raise InputError(self._name, f"the tar archive has a header of {size:,} bytes")
        data = read_head(self._source, size)
        self._place += len(data)
        return data


def _skip(source: ByteSource, count: int) -> int:
    """Read and drop; return how much there was."""
    if isinstance(source, FileSource) and source.seek_by(count):
        return count
    view = memoryview(bytearray(min(count, _SKIP_SIZE)))
    left = count
    while left and (read := source.readinto(view[:left])):
        left -= read
    return count - left
