"""What a type checker knows from ``typing``, ``enum`` and others, for the code that a small log is read with.

Importing ``typing`` takes a third of the time in which Python itself starts, and most
of these names do nothing at run time but stand there. Tuples with named fields and
closed choices behave as theirs do, and are made by modules of our own. ``contextlib``
makes a score of classes for one that is needed, and ``functools`` copies names and
texts of a function to what remembers its values.
"""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from contextlib import suppress
    from enum import Enum, IntEnum
    from functools import cache
    from typing import (
        IO,
        Any,
        BinaryIO,
        ClassVar,
        Literal,
        NamedTuple,
        NoReturn,
        Protocol,
        TextIO,
        TypeAlias,
        TypeGuard,
        TypeVar,
        cast,
        overload,
    )

    from typing_extensions import Self, dataclass_transform
else:
    from functools import _CacheInfo, _lru_cache_wrapper

    from tracelens.enumeration import Enum, IntEnum
    from tracelens.named_tuple import NamedTuple

    class _Unchecked:
        """Stands in annotations and aliases and for variables of types; as a base it adds nothing."""

        def __init__(self, *described: object, **traits: object) -> None: ...

        def __class_getitem__(cls, _parameters: object) -> type:
            return cls

    IO = Any = BinaryIO = ClassVar = Literal = NoReturn = Protocol = TextIO = _Unchecked
    Self = TypeAlias = TypeGuard = TypeVar = _Unchecked

    def cast(_described: object, value: object) -> object:
        """Return the value."""
        return value

    def overload(function: object) -> object:
        """Return the function; the last of its name counts."""
        return function

    class suppress:  # noqa: N801 - as it is known
        """Let some errors end a block and nothing else."""

        def __init__(self, *errors: type[BaseException]) -> None:
            """Take the classes of the errors."""
            self._errors = errors

        def __enter__(self) -> None:
            """Begin the block."""

        def __exit__(self, kind: type[BaseException] | None, _error: object, _trace: object) -> bool:
            """Tell whether what ended the block goes no further."""
            return kind is not None and issubclass(kind, self._errors)

    def cache(function: object) -> object:
        """Return what calls the function once for each set of arguments."""
        return _lru_cache_wrapper(function, None, False, _CacheInfo)  # noqa: FBT003 - as it is called there

    def dataclass_transform(**_traits: object) -> object:
        """Return what leaves a class as it is."""
        return overload


__all__ = [
    "IO",
    "TYPE_CHECKING",
    "Any",
    "BinaryIO",
    "ClassVar",
    "Enum",
    "IntEnum",
    "Literal",
    "NamedTuple",
    "NoReturn",
    "Protocol",
    "Self",
    "TextIO",
    "TypeAlias",
    "TypeGuard",
    "TypeVar",
    "cache",
    "cast",
    "dataclass_transform",
    "overload",
    "suppress",
]
