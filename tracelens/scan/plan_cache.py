"""Keep plans and databases in the user's cache, and trust no one else's.

A database is machine-made data that the engine does not check: whoever can
write it can make us run anything. So it is read only from a folder and a file
that belong to this user and that no one else may write. Every failure, from a
read-only disk to a missing home, only means that the work is done anew.
"""

from __future__ import annotations

import os
import sys
from binascii import crc32
from contextlib import suppress

from tracelens.private_cache import drop_older, read_private, write_private

_SUFFIX = ".scan"
#: Entries beyond this are old: rules and releases change.
_MAX_ENTRIES = 8
#: How many bytes the lengths and sums in front of an entry take.
_NUMBER = 4


def entry_name(key: bytes) -> str:
    """Return the name of the file for a key; another key may have it too, and then takes its place."""
    return f"{crc32(key):08x}{_SUFFIX}"


def read_entry(key: bytes) -> bytes | None:
    """Return what was written under a key, if it is whole and ours alone."""
    content = read_private(entry_name(key))
    if content is None:
        return None
    head = _head_of(key)
    start = _NUMBER + len(head)
    whole = memoryview(content)[_NUMBER:]
    if content[_NUMBER:start] != head or int.from_bytes(content[:_NUMBER], "big") != crc32(whole):
        return None
    return content[start:]


def write_entry(key: bytes, data: bytes) -> None:
    """Write an entry whole or not at all; failures are nobody's concern."""
    content = _head_of(key) + data
    name = entry_name(key)
    if write_private(name, crc32(content).to_bytes(_NUMBER, "big") + content):
        drop_older(name, suffix=_SUFFIX, kept=_MAX_ENTRIES)


def _head_of(key: bytes) -> bytes:
    return len(key).to_bytes(_NUMBER, "big") + key


def cpu_description() -> str:
    """Return what tells apart the kinds of CPU that a database is made for."""
    described = sys.platform
    with suppress(OSError):
        described += os.uname().machine if hasattr(os, "uname") else os.environ.get("PROCESSOR_IDENTIFIER", "")
        with open("/proc/cpuinfo", "rb") as file:
            # The first processor is enough, and on hundreds of them the rest takes its time.
            lines = file.read(16384).partition(b"\n\n")[0].splitlines()
        wanted = (b"flags", b"Features", b"vendor_id", b"cpu family", b"model\t")
        described += b"".join(line for line in lines if line.startswith(wanted)).decode("ascii", "replace")
    return described
