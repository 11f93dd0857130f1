"""Our closed choices behave as those of ``enum``."""

from __future__ import annotations

import copy
import enum
import pickle

import pytest

from tracelens.enumeration import Enum, IntEnum


class Ours(Enum):
    """Two choices, one of them by two names."""

    RED = "red"
    GREEN = "green"
    VERDANT = "green"

    @property
    def is_warm(self) -> bool:
        return str(self.value) == "red"


class Theirs(enum.Enum):
    """Two choices, one of them by two names."""

    RED = "red"
    GREEN = "green"
    VERDANT = "green"  # noqa: PIE796 - on purpose

    @property
    def is_warm(self) -> bool:
        return str(self.value) == "red"


def told(choice):
    """Return all that can be seen of a class of choices and its members."""
    members = list(choice)
    return (
        [(each.name, each.value, each.is_warm, str(each), f"{each}", repr(each)) for each in members],
        [choice(each.value) is each and choice(each) is each and choice[each.name] is each for each in members],
        [each in choice for each in members],
        len(choice),
        choice.VERDANT is choice.GREEN is choice["VERDANT"],
        choice.RED == choice.RED,
        choice.RED == choice.GREEN,
        choice.RED == "red",
        {choice.RED: 1, choice.GREEN: 2}[choice.GREEN],
    )


def test_members_are_what_enum_makes_of_them():
    assert repr(told(Ours)) == repr(told(Theirs)).replace("Theirs", "Ours")


@pytest.mark.parametrize("value", ["blue", None, 1, []])
def test_what_is_no_value_is_refused(value):
    said = []
    for kind in (Ours, Theirs):
        with pytest.raises(ValueError, match=r"is not a valid (Ours|Theirs)") as refused:
            kind(value)  # type: ignore[call-arg] # enum takes one
        said.append(str(refused.value).rpartition(" ")[0])
    assert said[0] == said[1]


@pytest.mark.parametrize("name", ["BLUE", "is_warm", "__doc__"])
def test_what_is_no_name_is_refused(name):
    for kind in (Ours, Theirs):
        with pytest.raises(KeyError, match=name):
            kind[name]


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda each: pickle.loads(pickle.dumps(each))])  # noqa: S301
def test_there_is_one_of_each(again):
    for member in Ours:
        assert again(member) is member


def test_a_value_that_is_no_member_is_in_none():
    assert "blue" not in Ours
    assert "red" in Ours


class OurNumbers(IntEnum):
    """Two choices that are numbers."""

    NONE = 0
    MANY = 10


class TheirNumbers(enum.IntEnum):
    """Two choices that are numbers."""

    NONE = 0
    MANY = 10


def told_of_numbers(choice):
    """Return all that can be seen of a class of choices that are numbers, and of its members."""
    members = list(choice)
    return (
        [(each.name, each.value, f"{each}", repr(each), int(each), bool(each), each + 1) for each in members],
        [choice(int(each)) is each and isinstance(each, int) and hash(each) == int(each) for each in members],
        choice.MANY == 10 and choice.MANY > choice.NONE,
        {10: "many"}[choice.MANY],
        sorted(members, reverse=True) == [10, 0],
        [pickle.loads(pickle.dumps(each)) is each for each in members],  # noqa: S301 - made here
    )


def test_numbers_are_what_enum_makes_of_them():
    assert repr(told_of_numbers(OurNumbers)) == repr(told_of_numbers(TheirNumbers)).replace("Their", "Our")
