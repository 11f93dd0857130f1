"""Closed choices: what ``enum.Enum`` makes, for a quarter of the price.

The classes of that are made in Python, member by member, and its members are
hashed, and asked for their values, by calls of Python code. Here a member is an
object with a name and a value, and as there is one of each, it is hashed by its
identity.
"""

from __future__ import annotations

from collections.abc import Iterator


class _EnumType(type):
    """Makes a class whose members are the plain values of its body."""

    _by_value: dict[object, Enum]

    def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, object]) -> _EnumType:
        """Make the class, and members in the place of their values; of equal values the first counts."""
        made = super().__new__(cls, name, bases, body)
        members: dict[object, Enum] = {}
        made._by_value = members
        for key, value in body.items():
            if not key.startswith("_") and not hasattr(value, "__get__"):
                member = members.get(value)
                if member is None:
                    member = members[value] = _member(made, key, value)
                setattr(made, key, member)
        return made

    def __call__(cls, value: object) -> Enum:
        """Return the member of a value, or the member itself."""
        if isinstance(value, Enum) and type(value) is cls:
            return value
        try:
            return cls._by_value[value]
        except (KeyError, TypeError):
            message = f"{value!r} is not a valid {cls.__qualname__}"
            raise ValueError(message) from None

    def __iter__(cls) -> Iterator[Enum]:
        """Yield the members in the order of the body."""
        return iter(cls._by_value.values())

    def __len__(cls) -> int:
        """Return how many members there are."""
        return len(cls._by_value)

    def __contains__(cls, value: object) -> bool:
        """Tell whether something is a member, or the value of one."""
        return value in cls._by_value or any(value is member for member in cls)

    def __getitem__(cls, name: str) -> Enum:
        """Return the member of a name, which may be its second."""
        member = vars(cls).get(name)
        if not isinstance(member, cls):
            raise KeyError(name)
        return member


class Enum(metaclass=_EnumType):
    """The base of all closed choices."""

    name: str
    value: object

    def __repr__(self) -> str:
        """Show class, name and value as ``enum`` does."""
        return f"<{type(self).__name__}.{self.name}: {self.value!r}>"

    def __str__(self) -> str:
        """Return what stands in the code for this."""
        return f"{type(self).__name__}.{self.name}"

    def __reduce__(self) -> tuple[type, tuple[object]]:
        """Pickle and copy by the value, so that there stays one of each."""
        return type(self), (self.value,)


class IntEnum(int, Enum):
    """The base of closed choices that are numbers and count as such."""

    __repr__ = Enum.__repr__
    __str__ = int.__repr__
    __reduce__ = Enum.__reduce__


def _member(owner: type, name: str, value: object) -> Enum:
    member: Enum = int.__new__(owner, value) if issubclass(owner, int) else object.__new__(owner)  # type: ignore[assignment,call-overload] # a number there
    member.name, member.value = name, value
    return member
