"""Tell whether an ELF file is whole, from its headers alone.

Inductor's and Triton's ``.so``, CUDA's ``.cubin`` and ROCm's ``.hsaco`` are
ELF files. A half-written one kills the process that maps it with SIGBUS or
SIGSEGV and prints nothing, so nothing is loaded here: only headers are read.
"""

from __future__ import annotations

import struct
from typing import IO

from tracelens.record import Record

_MAGIC = b"\x7fELF"
_LOAD = 1
_IDENT = 16


class _Class(Record):
    """How one ELF class lays out its header and its program headers."""

    header: str
    segment: str
    #: Which fields of a program header are the offset and the length in the file.
    start: int
    length: int


_ELF_64 = _Class(header="HHIQQQIHHHHHH", segment="IIQQQQ", start=2, length=5)
_ELF_32 = _Class(header="HHIIIIIHHHHHH", segment="IIIII", start=1, length=4)


def elf_problem(file: IO[bytes], size: int) -> str | None:
    """Return what proves that a file of ``size`` bytes is broken, ``None`` if it is whole."""
    if size == 0:
        return "empty"
    ident = file.read(_IDENT)
    if not ident.startswith(_MAGIC):
        return "not an ELF file" if ident.strip(b"\0") else "zeroed"
    layout = _ELF_64 if ident[4:5] == b"\2" else _ELF_32
    order = ">" if ident[5:6] == b"\2" else "<"
    header = struct.Struct(order + layout.header)
    raw = file.read(header.size)
    if len(raw) < header.size:
        return f"cut short: {size} bytes end inside its ELF header"
    fields = header.unpack(raw)
    table, sections = fields[4], fields[5]
    entry, count, section_entry, section_count = fields[8:12]
    needed = max(
        _segments_end(
            file, struct.Struct(order + layout.segment), layout, range(table, table + entry * count, entry or 1)
        ),
        sections + section_entry * section_count,
    )
    return None if needed <= size else f"cut short: {size} bytes of at least {needed}"


def _segments_end(file: IO[bytes], segment: struct.Struct, layout: _Class, offsets: range) -> int:
    """Return where the last loaded segment, or the table of segments, ends."""
    end = offsets.stop if offsets else 0
    for offset in offsets:
        file.seek(offset)
        raw = file.read(segment.size)
        if len(raw) < segment.size:
            return max(end, offset + segment.size)
        fields = segment.unpack(raw)
        if fields[0] == _LOAD:
            end = max(end, fields[layout.start] + fields[layout.length])
    return end
