"""Regular expressions, compiled once for each user instead of once for each run.

Python compiles regular expressions in Python, and forgets them when it ends;
for a small log that takes longer than reading it. Once a command has called
``recall``, what is compiled here is looked up in the user's cache first, where
``keep`` has put the numbers that the engine of ``re`` runs on. The engine checks
such numbers, but not well enough to take them from anyone: as Python's own
``.pyc`` files they are trusted because only the user can write them. A file that
others could have written, that is damaged or of another Python is not looked at.
Where anything is odd ``re.compile`` does the work, and always makes the same.
"""

from __future__ import annotations

import re
import sys
from binascii import crc32
from functools import cache
from itertools import accumulate

from tracelens.private_cache import read_private, write_private
from tracelens.typed import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from array import array  # only what is written needs it

_T = TypeVar("_T", str, bytes)

#: Raised whenever the layout of the file changes.
_FORMAT = 2
#: The size of a number of the engine, as of an ``array("I")``.
_WORD = memoryview(bytes(8)).cast("I").itemsize
#: The numbers mean something to one build of Python only.
_HEADER = f"tracelens expressions {_FORMAT} {sys.version} {sys.byteorder} {_WORD}".encode() + b"\0"
_NAME = f"expressions-{sys.implementation.cache_tag}"
#: A file that would grow past this is begun anew.
_MAX_BYTES = 8 << 20

#: The flags as given, and the kind and bytes of the pattern.
_Key = bytes
#: What was read, and where in it the entries are, by the checksums of their keys: their own checksum, start and end.
#: An entry is the numbers of the engine with the key and the names of groups behind them.
_content = b""
_recalled: dict[int, tuple[int, int, int]] = {}
#: What had to be compiled; ``None`` until ``recall``.
_new: dict[_Key, re.Pattern[Any]] | None = None


def expression(pattern: _T, flags: int = 0) -> re.Pattern[_T]:
    """Return what ``re.compile`` returns."""
    if _new is None:
        return re.compile(pattern, flags)
    key = _key(pattern, int(flags))
    place = _recalled.get(crc32(key))
    if place is not None:
        made = _revive(_entry_at(place, _content), key, pattern)
        if made is not None:
            return made
    made = re.compile(pattern, flags)
    _new[key] = made
    return made


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Return a pattern that is compiled when it is first asked for, and kept: most logs need few of ours.

    ``re`` keeps some as well, but a bounded number, and drops them for those of the rules.
    """
    return expression(pattern)


def recall() -> None:
    """From now on use what earlier runs have compiled."""
    global _new, _content  # noqa: PLW0603 - as ``re``, one cache for the process
    if _new is None:
        _new = {}
        _content = read_private(_NAME) or b""
        _recalled.update(_places(_content))


def keep() -> None:
    """Put what this run had to compile beside what is kept already."""
    if not _new:
        return
    entries = _entries(read_private(_NAME) or b"")
    entries.update((crc32(key), entry) for key, made in _new.items() if (entry := _entry(key, made)) is not None)
    _new.clear()
    content = _joined(entries)
    if len(content) <= _MAX_BYTES:
        write_private(_NAME, content)


def _key(pattern: str | bytes, flags: int) -> _Key:
    if isinstance(pattern, str):
        return b"s%d " % flags + pattern.encode("utf-8", "surrogatepass")
    return b"b%d " % flags + pattern


def _joined(entries: dict[int, bytes]) -> bytes:
    from array import array

    checks, sizes = map(crc32, entries.values()), map(len, entries.values())
    index = array("I", (len(entries), *entries, *checks, *sizes))
    return b"".join((_HEADER, index.tobytes(), *entries.values()))


def _places(content: bytes) -> dict[int, tuple[int, int, int]]:
    """Return where the entries of a file are; none if it is not ours or not whole."""
    start = len(_HEADER) + _WORD
    if not content.startswith(_HEADER) or len(content) < start:
        return {}
    (count,) = _numbers(content[len(_HEADER) : start])
    end = start + 3 * count * _WORD
    if len(content) < end:
        return {}
    index = _numbers(content[start:end])
    ends = list(accumulate(index[2 * count :], initial=end))
    return dict(zip(index[:count], zip(index[count : 2 * count], ends, ends[1:], strict=False), strict=True))


def _entry_at(place: tuple[int, int, int], content: bytes) -> bytes:
    """Return an entry, empty if it is damaged."""
    check, start, end = place
    entry = content[start:end]
    return entry if crc32(entry) == check else b""


def _entries(content: bytes) -> dict[int, bytes]:
    """Return the sound entries of a file by the checksums of their keys."""
    entries = ((key, _entry_at(place, content)) for key, place in _places(content).items())
    return {key: entry for key, entry in entries if entry}


def _numbers(content: bytes) -> list[int]:
    return memoryview(content).cast("I").tolist()


def _entry(key: _Key, made: re.Pattern[Any]) -> bytes | None:
    """Return a pattern in numbers, or ``None`` if Python no longer makes patterns as we know it."""
    from array import array

    try:
        code = _code_of(made.pattern, int(key[1 : key.index(b" ")]))
        names = "\n".join(made.groupindex).encode()
        head = array("I", [made.flags, made.groups, len(code), len(made.groupindex), len(key)])
        entry = b"".join(
            (head.tobytes(), code.tobytes(), array("I", made.groupindex.values()).tobytes(), key, names),
        )
        return entry if _revive(entry, key, made.pattern) == made else None
    except (ImportError, AttributeError, TypeError, ValueError, OverflowError):
        return None


def _code_of(pattern: str | bytes, flags: int) -> array[int]:
    """Return the numbers that the engine would run on; patterns do not hand them out."""
    if sys.version_info >= (3, 11):
        from re import _compiler, _parser
    else:
        import sre_compile as _compiler
        import sre_parse as _parser
    from array import array

    # There is no public way; the caller compares what comes of it with what re.compile made.
    compiler: Any = _compiler
    parser: Any = _parser
    return array("I", compiler._code(parser.parse(pattern, flags), flags))  # noqa: SLF001


def _revive(entry: bytes, key: _Key, pattern: _T) -> re.Pattern[_T] | None:
    """Let the engine make a pattern of an entry, if it is that of this key."""
    try:
        from _sre import compile as make  # type: ignore[import-not-found] # the engine of re

        flags, groups, codes, names, length = _numbers(entry[: 5 * _WORD])
        if groups > codes:
            return None
        start = (5 + codes + names) * _WORD
        numbers = _numbers(entry[5 * _WORD : start])
        if entry[start : start + length] != key:
            return None
        groupindex = dict(zip(entry[start + length :].decode().split("\n"), numbers[codes:], strict=False))
        indexgroup: list[str | None] = [None] * (groups + 1)
        for name, number in groupindex.items():
            indexgroup[number] = name
        made: re.Pattern[_T] = make(pattern, flags, numbers[:codes], groups, groupindex, tuple(indexgroup))
    except (ImportError, RuntimeError, TypeError, ValueError, IndexError, OverflowError, MemoryError):
        return None
    return made
