"""What the first bytes of a stream say it is; names are never trusted."""

from __future__ import annotations

from tracelens.errors import InputError
from tracelens.typed import Enum

#: A tar archive consists of blocks of this size, each header with its checksum in the same place.
_BLOCK_SIZE = 512
_CHECKSUM = slice(148, 156)


class Compression(Enum):
    """A compressed format that is read."""

    GZIP = "gzip"
    BZIP2 = "bzip2"
    XZ = "xz"
    ZSTD = "zstd"


#: Formats that hold logs, but not as one stream; each with what to do instead.
_REFUSED = (
    (b"PK\x03\x04", "a zip archive; unpack it first"),
    (b"PK\x05\x06", "an empty zip archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive; unpack it first"),
    (b"Rar!\x1a\x07", "a rar archive; unpack it first"),
    (b"\x04\x22\x4d\x18", "lz4-compressed; decompress it first"),
)


def recognise(head: bytes) -> Compression | None:
    """Return the format that the first bytes of a stream announce."""
    if head[:3] == b"\x1f\x8b\x08":
        return Compression.GZIP
    if head[:3] == b"BZh" and head[4:10] in {b"1AY&SY", b"\x17\x72\x45\x38\x50\x90"}:
        return Compression.BZIP2
    if head[:6] == b"\xfd7zXZ\x00":
        return Compression.XZ
    # A skippable frame comes first in what pzstd writes.
    if head[:4] == b"\x28\xb5\x2f\xfd" or (head[1:4] == b"\x2a\x4d\x18" and head[:1] and head[0] >> 4 == 0x5):
        return Compression.ZSTD
    return None


def refuse_archives(name: str, head: bytes) -> None:
    """Raise InputError for a format that would read as noise."""
    for magic, what in _REFUSED:
        if head.startswith(magic):
            raise InputError(name, f"this is {what}")


def is_tar_block(block: bytes) -> bool:
    """Tell whether 512 bytes are the header of a tar member, by its checksum."""
    if len(block) < _BLOCK_SIZE or not block[0]:
        return False
    stated = block[_CHECKSUM].strip(b" \0")
    if not stated or not stated.isdigit() or b"8" in stated or b"9" in stated:
        return False
    # The checksum is over the header with its own field blank.
    blank = len(block[_CHECKSUM]) * ord(" ")
    return int(stated, 8) == sum(block[:_BLOCK_SIZE]) - sum(block[_CHECKSUM]) + blank
