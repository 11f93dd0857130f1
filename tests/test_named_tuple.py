"""Our named tuples behave as those of ``typing``, and the names that only a type checker reads are its own."""

from __future__ import annotations

import contextlib
import copy
import enum
import functools
import pickle
import sys
import typing

import pytest

from tests.command import run_command
from tracelens import typed
from tracelens.named_tuple import NamedTuple


class Ours(NamedTuple):
    """A pair with a default."""

    left: int
    right: tuple[int, ...] = ()

    @property
    def size(self) -> int:
        return self.left + len(self.right)


class Theirs(typing.NamedTuple):
    left: int
    right: tuple[int, ...] = ()


ARGUMENTS = [((1,), {}), ((1, (2,)), {}), ((), {"left": 3}), ((4,), {"right": (5, 6)})]


@pytest.mark.parametrize(("places", "named"), ARGUMENTS)
def test_is_the_tuple_that_typing_makes(places, named):
    ours, theirs = Ours(*places, **named), Theirs(*places, **named)
    assert tuple(ours) == tuple(theirs)
    assert ours == tuple(theirs)
    assert hash(ours) == hash(theirs)
    assert (ours.left, ours.right, *ours) == (theirs.left, theirs.right, *theirs)
    assert repr(ours) == repr(theirs).replace("Theirs", "Ours")
    assert ours._asdict() == theirs._asdict()
    assert ours._replace(left=9) == tuple(theirs._replace(left=9))


@pytest.mark.parametrize(("places", "named"), [((), {}), ((1, (), 3), {}), ((1,), {"left": 1}), ((1,), {"none": 1})])
def test_refuses_what_typing_refuses(places, named):
    for kind in (Ours, Theirs):
        with pytest.raises(TypeError):
            kind(*places, **named)


@pytest.mark.parametrize(("places", "named"), ARGUMENTS)
def test_many_are_made_as_the_first_is(places, named):
    assert {Ours(*places, **named) for _ in range(200)} == {Ours(*places, **named)}
    for wrong in ({"none": 1}, {**named, "left": 1} if places else {}):
        with pytest.raises(TypeError):
            Ours(*places, **wrong)


class OurMany(NamedTuple):
    """More fields than there are functions for."""

    a: int
    b: int
    c: int
    d: int
    e: int
    f: int
    g: int = 7
    h: int = 8
    i: int = 9


@pytest.mark.parametrize("places", [(1, 2, 3, 4, 5, 6), tuple(range(1, 10)), (1, 2, 3)])
def test_of_many_fields_are_made_and_refused_alike_from_the_first_on(places):
    named = {"d": 4, "e": 5, "f": 6} if len(places) == 3 else {}
    for _ in range(200):
        assert OurMany(*places, **named) == (1, 2, 3, 4, 5, 6, 7, 8, 9)
        with pytest.raises(TypeError):
            OurMany(*places, **named, a=1)
        with pytest.raises(TypeError):
            OurMany(*places[:2], **named)


def test_describes_itself_as_typing_does():
    assert (Ours._fields, vars(Ours)["__match_args__"]) == (Theirs._fields, Theirs._fields)
    assert Ours._field_defaults == Theirs._field_defaults


def test_has_the_methods_of_its_body_and_no_room_for_more():
    pair = Ours(1, (2, 3))
    assert pair.size == 3
    with pytest.raises(AttributeError):
        pair.other = 1  # type: ignore[attr-defined] # what is tried
    with pytest.raises(AttributeError):
        setattr(pair, "left", 2)  # noqa: B010 - to mypy it cannot be tried


def _through_pickle(pair):
    return pickle.loads(pickle.dumps(pair))  # noqa: S301 - made here


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, _through_pickle])
def test_is_copied_and_pickled_whole(again):
    pair = Ours(1, (2, 3))
    assert again(pair) == pair
    assert type(again(pair)) is Ours


@pytest.mark.parametrize("name", [name for name in typed.__all__ if name != "TYPE_CHECKING"])
def test_names_for_the_type_checker_are_those_of_the_standard_library(name):
    assert any(hasattr(module, name) for module in (typing, enum, functools, contextlib)) or name in {
        "Self",  # of Python 3.11
        "dataclass_transform",
    }


def test_neither_needs_typing():
    code = "import sys, tracelens.typed, tracelens.record; print('typing' in sys.modules)"
    run = run_command(sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, '.'); {code}")
    assert run.output.decode().strip() == "False"
