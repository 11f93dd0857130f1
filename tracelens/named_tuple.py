"""Tuples with named fields: what ``typing.NamedTuple`` makes, for a tenth of the price.

That one compiles each annotation, and a function that makes the objects, as soon as
a class is defined. Here that function is one of ours with the names of the fields;
for classes of many fields it is compiled, once many objects were made.
"""

from __future__ import annotations

# How a field is read without a call of Python code; ``collections`` has it for every Python.
from collections import _tuplegetter  # type: ignore[attr-defined]
from collections.abc import Callable, Iterable
from types import FunctionType

_new = tuple.__new__
#: So many objects cost as much more without a function of their own as compiling it does.
_MANY = 50
_made: dict[type, int] = {}
#: What makes a tuple of so many fields. With the names of the fields it is what compiling would make, for most classes.
_MAKERS = (
    lambda cls: _new(cls, ()),
    lambda cls, a: _new(cls, (a,)),
    lambda cls, a, b: _new(cls, (a, b)),
    lambda cls, a, b, c: _new(cls, (a, b, c)),
    lambda cls, a, b, c, d: _new(cls, (a, b, c, d)),
    lambda cls, a, b, c, d, e: _new(cls, (a, b, c, d, e)),
    lambda cls, a, b, c, d, e, f: _new(cls, (a, b, c, d, e, f)),
    lambda cls, a, b, c, d, e, f, g: _new(cls, (a, b, c, d, e, f, g)),
)


class _NamedTupleType(type):
    """Makes a class of tuples from the annotations of its body."""

    _fields: tuple[str, ...]
    _field_defaults: dict[str, object]

    def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, object]) -> _NamedTupleType:
        """Let each field read its place, and whoever makes the first object find the rest."""
        fields: tuple[str, ...] = tuple(namespace.get("__annotations__", ()))  # type: ignore[arg-type] # names of a body
        namespace["_field_defaults"] = {field: namespace[field] for field in fields if field in namespace}
        namespace.update((field, _tuplegetter(place, "")) for place, field in enumerate(fields))
        namespace["_fields"] = namespace["__match_args__"] = fields
        namespace["__slots__"] = ()
        return super().__new__(cls, name, bases, namespace)


class NamedTuple(tuple[object, ...], metaclass=_NamedTupleType):  # noqa: SLOT001 - the metaclass does
    """The base of all tuples with named fields."""

    def __new__(cls, *places: object, **named: object) -> NamedTuple:  # noqa: PYI034 - Self is not in Python 3.10
        """Make an object of its values in order, as far as they go, and then by name."""
        fields = cls._fields
        if len(fields) < len(_MAKERS):
            cls.__new__ = _with_names(cls)  # type: ignore[method-assign] # once for each class
            return cls(*places, **named)
        made = _made[cls] = _made.get(cls, 0) + 1
        if made < _MANY and len(places) == len(fields) and not named:
            return _new(cls, places)
        rest = fields[len(places) :]
        if made < _MANY and rest:
            values = {**cls._field_defaults, **named}
            if named.keys() <= set(rest) <= values.keys():
                return _new(cls, (*places, *[values[field] for field in rest]))
        # Whatever is wrong, a function with these parameters tells.
        cls.__new__ = _compile_new(cls)  # type: ignore[method-assign] # once for each class
        return cls(*places, **named)

    @classmethod
    def _make(cls, values: Iterable[object]) -> NamedTuple:
        return cls(*values)

    def _replace(self, /, **changes: object) -> NamedTuple:
        return type(self)(**{**self._asdict(), **changes})

    def _asdict(self) -> dict[str, object]:
        return dict(zip(type(self)._fields, self, strict=True))

    def __repr__(self) -> str:
        """Show the class and its fields, as a call that would make it."""
        shown = ", ".join(f"{name}={value!r}" for name, value in self._asdict().items())
        return f"{type(self).__name__}({shown})"

    def __getnewargs__(self) -> tuple[object, ...]:
        """Pickle and copy by the values."""
        return tuple(self)


def _with_names(owner: type[NamedTuple]) -> Callable[..., NamedTuple]:
    fields = owner._fields
    code = _MAKERS[len(fields)].__code__.replace(co_varnames=("cls", *fields))
    return FunctionType(code, globals(), "__new__", tuple(owner._field_defaults.values()))


def _compile_new(owner: type[NamedTuple]) -> Callable[..., NamedTuple]:
    fields = owner._fields
    made = f"lambda cls, {', '.join(fields)}: new(cls, ({''.join(f'{field}, ' for field in fields)}))"
    function: Callable[..., NamedTuple] = eval(made, {"new": _new, "__builtins__": {}})  # noqa: S307 - the names of fields, as namedtuple does
    function.__defaults__ = tuple(owner._field_defaults.values())
    return function
