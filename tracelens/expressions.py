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
from itertools import accumulate
from operator import add

from tracelens.private_cache import read_private, write_private
from tracelens.typed import TYPE_CHECKING, Any, TypeVar, cache

if TYPE_CHECKING:
    from array import array  # only what is written needs it

_T = TypeVar("_T", str, bytes)

#: Raised whenever the layout of the file changes.
_FORMAT = 3
#: The size of a number of the engine, as of an ``array("I")``.
_WORD = memoryview(bytes(8)).cast("I").itemsize
#: The numbers mean something to one build of Python only.
_HEADER = f"tracelens expressions {_FORMAT} {sys.version} {sys.byteorder} {_WORD}".encode() + b"\0"
_NAME = f"expressions-{sys.implementation.cache_tag}"
#: A file that would grow past this is begun anew.
_MAX_BYTES = 8 << 20

#: The flags as given, and the kind and bytes of the pattern.
_Key = bytes
#: The checksum of an entry, where it starts, where its numbers end, and where it ends.
_Place = tuple[int, int, int, int]
#: What was read, and where in it the entries are, by the checksums of their keys. An entry is numbers: those of the
#: engine, those of named groups, how many these are, the length of the key, the number of groups, the flags. Behind
#: them stand the key and the names of groups.
_content = memoryview(b"")
_recalled: dict[int, _Place] = {}
#: What had to be compiled; ``None`` until ``recall``.
_new: dict[_Key, re.Pattern[Any]] | None = None


def expression(pattern: _T, flags: int = 0) -> re.Pattern[_T]:
    """Return what ``re.compile`` returns."""
    if _new is None:
        return re.compile(pattern, flags)
    key = _key(pattern, int(flags))
    place = _recalled.get(crc32(key))
    if place is not None:
        check, start, middle, end = place
        if crc32(_content[start:end]) == check:
            made = _revive(_content[start:middle], _content[middle:end], key, pattern)
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
        _content = memoryview(read_private(_NAME) or b"")
        _recalled.update(_places(_content))


def keep() -> None:
    """Put what this run had to compile beside what is kept already."""
    if not _new:
        return
    entries = _entries(memoryview(read_private(_NAME) or b""))
    entries.update((crc32(key), entry) for key, made in _new.items() if (entry := _entry(key, made)) is not None)
    _new.clear()
    content = _joined(entries)
    if len(content) <= _MAX_BYTES:
        write_private(_NAME, content)


def _key(pattern: str | bytes, flags: int) -> _Key:
    if isinstance(pattern, str):
        return b"s%d " % flags + pattern.encode("utf-8", "surrogatepass")
    return b"b%d " % flags + pattern


def _joined(entries: dict[int, tuple[bytes, bytes]]) -> bytes:
    """Return the content of a file of entries, each as its numbers and its texts."""
    from array import array

    wholes = [numbers + texts for numbers, texts in entries.values()]
    middles = (len(numbers) for numbers, _ in entries.values())
    index = array("I", (len(entries), *entries, *map(crc32, wholes), *map(len, wholes), *middles))
    return b"".join((_HEADER, index.tobytes(), *wholes))


def _places(content: memoryview) -> dict[int, _Place]:
    """Return where the entries of a file are; none if it is not ours or not whole."""
    start = len(_HEADER) + _WORD
    if content[: len(_HEADER)] != _HEADER or len(content) < start:
        return {}
    (count,) = _numbers(content[len(_HEADER) : start])
    end = start + 4 * count * _WORD
    if len(content) < end:
        return {}
    index = _numbers(content[start:end])
    keys, checks, sizes, middles = (index[part * count : (part + 1) * count] for part in range(4))
    ends = list(accumulate(sizes, initial=end))
    return dict(zip(keys, zip(checks, ends, map(add, ends, middles), ends[1:], strict=False), strict=True))


def _entries(content: memoryview) -> dict[int, tuple[bytes, bytes]]:
    """Return the sound entries of a file by the checksums of their keys."""
    return {
        key: (bytes(content[start:middle]), bytes(content[middle:end]))
        for key, (check, start, middle, end) in _places(content).items()
        if crc32(content[start:end]) == check
    }


def _numbers(content: memoryview) -> list[int]:
    return content.cast("I").tolist()


def _entry(key: _Key, made: re.Pattern[Any]) -> tuple[bytes, bytes] | None:
    """Return a pattern as numbers and texts, or ``None`` if Python no longer makes patterns as we know it."""
    from array import array

    try:
        code = _code_of(made.pattern, int(key[1 : key.index(b" ")]))
        named = made.groupindex
        tail = (*named.values(), len(named), len(key), made.groups, made.flags)
        numbers = array("I", (*code, *tail))
        texts = key + "\n".join(named).encode()
        again = _revive(memoryview(numbers).cast("B"), memoryview(texts), key, made.pattern)
        return (numbers.tobytes(), texts) if again == made else None
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


def _revive(words: memoryview, texts: memoryview, key: _Key, pattern: _T) -> re.Pattern[_T] | None:
    """Let the engine make a pattern of an entry, if it is that of this key."""
    try:
        from _sre import compile as make  # type: ignore[import-not-found] # the engine of re

        numbers = _numbers(words)
        flags, groups, length, named = numbers.pop(), numbers.pop(), numbers.pop(), numbers.pop()
        if groups > len(numbers) or texts[:length] != key:
            return None
        groupindex: dict[str, int] = {}
        indexgroup: list[str | None] = [None] * (groups + 1)
        if named:
            groupindex = dict(zip(bytes(texts[length:]).decode().split("\n"), numbers[-named:], strict=True))
            del numbers[-named:]
            for name, number in groupindex.items():
                indexgroup[number] = name
        made: re.Pattern[_T] = make(pattern, flags, numbers, groups, groupindex, tuple(indexgroup))
    except (ImportError, RuntimeError, TypeError, ValueError, IndexError, OverflowError, MemoryError):
        return None
    return made
