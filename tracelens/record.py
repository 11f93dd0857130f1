"""Frozen records with named fields, made without the cost of ``dataclasses``.

A record behaves as ``@dataclass(frozen=True, slots=True, kw_only=True)`` does:
built by keyword, never changed, compared and hashed by its fields; it pickles,
and ``dataclasses.fields``, ``replace`` and ``asdict`` take it. But a dataclass
compiles half a dozen functions when its module is imported, a millisecond for
each class, and a run on a small log uses few of some sixty classes. Here
nothing is compiled until many objects of a class are made, and then only what
makes objects fast to build.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter

from tracelens.typed import TYPE_CHECKING, Any, ClassVar, Self, TypeVar, dataclass_transform

if TYPE_CHECKING:
    from dataclasses import Field

_R = TypeVar("_R", bound="Record")

_set = object.__setattr__

#: Compiling what makes objects costs as much as making so many without.
_MANY = 50
_made: dict[type, int] = {}


_MISSING: Any = object()


class _Aside:
    """What ``aside`` leaves in the body of a class."""

    def __init__(self, default: object) -> None:
        self.default = default


def aside(*, default: Any = _MISSING) -> Any:  # noqa: ANN401 - stands where a default of any type would
    """Declare a field that takes no part in comparison and is not shown."""
    return _Aside(default)


class _DataclassFields:
    """What ``dataclasses`` asks a class for; made when it does."""

    def __get__(self, instance: object, owner: type[Record]) -> dict[str, Field[Any]]:
        made = _dataclass_fields.get(owner)
        if made is None:
            made = _dataclass_fields[owner] = _describe(owner)
        return made


_dataclass_fields: dict[type, dict[str, Any]] = {}


def _describe(owner: type[Record]) -> dict[str, Field[Any]]:
    from dataclasses import MISSING, field, fields, make_dataclass

    described = []
    for name, annotation in owner.__record_types__.items():
        seen = name in owner.__record_compared__
        default = owner.__record_defaults__.get(name, MISSING)
        described.append((name, annotation, field(default=default, repr=seen, compare=seen)))
    model = make_dataclass(owner.__name__, described, frozen=True, kw_only=not owner.__match_args__)
    return {item.name: item for item in fields(model)}


# Closures, for a lookup on the class would double what a comparison costs.
def _equality(key: Callable[[object], Any]) -> tuple[Callable[..., Any], ...]:
    def __eq__(self: Record, other: object) -> bool:  # noqa: N807 - a method
        return bool(key(self) == key(other)) if other.__class__ is self.__class__ else NotImplemented

    def __hash__(self: Record) -> int:  # noqa: N807 - a method
        return hash(key(self))

    return __eq__, __hash__


def _order(key: Callable[[object], Any]) -> tuple[Callable[..., Any], ...]:
    def __lt__(self: Record, other: object) -> bool:  # noqa: N807 - a method
        return bool(key(self) < key(other)) if other.__class__ is self.__class__ else NotImplemented

    def __le__(self: Record, other: object) -> bool:  # noqa: N807 - a method
        return bool(key(self) <= key(other)) if other.__class__ is self.__class__ else NotImplemented

    def __gt__(self: Record, other: object) -> bool:  # noqa: N807 - a method
        return bool(key(self) > key(other)) if other.__class__ is self.__class__ else NotImplemented

    def __ge__(self: Record, other: object) -> bool:  # noqa: N807 - a method
        return bool(key(self) >= key(other)) if other.__class__ is self.__class__ else NotImplemented

    return __lt__, __le__, __gt__, __ge__


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(aside,))
class RecordType(type):
    """Makes a class of records from the annotations of its body."""

    __record_types__: dict[str, str]
    __record_defaults__: dict[str, Any]
    __record_compared__: tuple[str, ...]
    __match_args__: tuple[str, ...]

    def __new__(
        cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], *, order: bool = False, kw_only: bool = True
    ) -> RecordType:
        """Read the fields; ``order`` also gives the class ``<`` and its kin.

        A small record that is written often may be built by position, with ``kw_only=False``.
        """
        types: dict[str, str] = {}
        defaults: dict[str, Any] = {}
        hidden: set[str] = set()
        for base in bases:
            if isinstance(base, RecordType):
                types.update(base.__record_types__)
                defaults.update(base.__record_defaults__)
                hidden.update(base.__record_types__.keys() - base.__record_compared__)
        slots = []
        for field, annotation in namespace.get("__annotations__", {}).items():
            if annotation.startswith("ClassVar"):
                continue
            if field not in types:
                slots.append(field)
            types[field] = annotation
            default = namespace.pop(field, _MISSING)
            if isinstance(default, _Aside):
                hidden.add(field)
                default = default.default
            if default is not _MISSING:
                defaults[field] = default
        namespace["__slots__"] = tuple(slots)
        namespace["__match_args__"] = () if kw_only else tuple(types)
        namespace["__record_types__"] = types
        namespace["__record_defaults__"] = defaults
        namespace["__record_compared__"] = compared = tuple(field for field in types if field not in hidden)
        # The class is equal wherever it is asked for; with it the key of a single field is a tuple, too.
        key = attrgetter(*compared, "__class__")
        namespace.setdefault("__init__", _make_slowly)
        for method in (*_equality(key), *(_order(key) if order else ())):
            namespace.setdefault(method.__name__, method)
        return super().__new__(cls, name, bases, namespace)


def _make_slowly(self: Record, *places: Any, **values: Any) -> None:  # noqa: ANN401 - whatever the fields hold
    """Set the fields one by one, until so many objects were made that a quicker way pays."""
    cls = type(self)
    made = _made[cls] = _made.get(cls, 0) + 1
    given = {**cls.__record_defaults__, **values}
    fits = True
    if places:
        given.update(zip(cls.__match_args__, places, strict=False))
        named = cls.__match_args__[: len(places)]
        fits = len(places) == len(named) and values.keys().isdisjoint(named)
    # What is wrong with the values, a function with these parameters tells.
    if made < _MANY and fits and given.keys() == cls.__record_types__.keys():
        for name, value in given.items():
            _set(self, name, value)
        if hasattr(self, "__post_init__"):
            self.__post_init__()
        return
    cls.__init__ = _compile_init(cls)  # type: ignore[method-assign] # once for each class
    self.__init__(*places, **values)  # type: ignore[misc] # what was just made


def _compile_init(owner: type[Record]) -> Any:  # noqa: ANN401 - its signature is that of the fields
    defaults = owner.__record_defaults__
    parameters = [f"{name}=defaults[{name!r}]" if name in defaults else name for name in owner.__record_types__]
    # What fills a slot is asked of the class once.
    sets = [f" set_{name}(self, {name})" for name in owner.__record_types__]
    if parameters and not owner.__match_args__:
        parameters.insert(0, "*")
    head = f"def __init__({', '.join(('self', *parameters))}):"
    if hasattr(owner, "__post_init__"):
        sets.append(" self.__post_init__()")
    names: dict[str, Any] = {f"set_{name}": getattr(owner, name).__set__ for name in owner.__record_types__}
    names.update(defaults=defaults, __name__=owner.__module__)
    exec("\n".join((head, *(sets or [" pass"]))), names)  # noqa: S102 - the names of fields, as dataclasses do
    init = names["__init__"]
    init.__qualname__ = f"{owner.__qualname__}.__init__"
    return init


class Record(metaclass=RecordType):
    """The base of all records."""

    if TYPE_CHECKING:
        __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    else:
        __dataclass_fields__ = _DataclassFields()

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse: a record never changes."""
        _refuse(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> None:
        """Refuse: a record never changes."""
        _refuse(f"cannot delete field {name!r}")

    def __repr__(self) -> str:
        """Show the class and what is compared, as a call that would make it."""
        cls = type(self)
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in cls.__record_compared__)
        return f"{cls.__qualname__}({shown})"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy by the values of all fields, in order."""
        cls = type(self)
        return _restore, (cls, tuple(getattr(self, name) for name in cls.__record_types__))

    def __replace__(self, /, **changes: Any) -> Self:  # noqa: ANN401 - whatever the fields hold
        """Return a record with some fields changed; ``copy.replace`` asks for this."""
        cls = type(self)
        for name in cls.__record_types__:
            if name not in changes:
                changes[name] = getattr(self, name)
        return cls(**changes)


def replace(record: _R, /, **changes: Any) -> _R:  # noqa: ANN401 - whatever the fields hold
    """Return a record with some fields changed."""
    return record.__replace__(**changes)


def field_names(record: type[Record]) -> tuple[str, ...]:
    """Return the names of all fields, in order; inherited ones first."""
    return tuple(record.__record_types__)


def _restore(cls: type[_R], values: tuple[Any, ...]) -> _R:
    record = cls.__new__(cls)
    for name, value in zip(cls.__record_types__, values, strict=True):
        _set(record, name, value)
    return record


def _refuse(message: str) -> None:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(message)
