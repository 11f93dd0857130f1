"""A record behaves as the dataclass that it stands for."""

from __future__ import annotations

import copy
import dataclasses
import operator
import pickle
import subprocess
import sys
from dataclasses import dataclass, field
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracelens import events, findings
from tracelens.record import Record, aside, field_names, replace


class Base(Record):
    span: int = aside()
    name: str | None = None


class Leaf(Base):
    KIND: ClassVar[str] = "leaf"

    message: str
    items: tuple[int, ...] = ()
    note: str = aside(default="none")

    @property
    def size(self) -> int:
        return len(self.items)


class Ordered(Record, order=True):
    first: int
    last: int


class Small(Record, kw_only=False):
    left: int
    right: int = 0


class Nothing(Record):
    pass


class Checked(Record):
    size: int

    def __post_init__(self) -> None:
        if self.size < 0:
            message = "too small"
            raise ValueError(message)


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseModel:
    span: int = field(compare=False, repr=False)
    name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LeafModel(BaseModel):
    KIND: ClassVar[str] = "leaf"

    message: str
    items: tuple[int, ...] = ()
    note: str = field(default="none", compare=False, repr=False)


VALUES = st.fixed_dictionaries(
    {"span": st.integers(0, 2), "message": st.sampled_from(["a", "b\n'"])},
    optional={
        "name": st.none() | st.sampled_from(["p", "q"]),
        "items": st.lists(st.integers(0, 1), max_size=1).map(tuple),
        "note": st.sampled_from(["x", "none"]),
    },
)


@given(left=VALUES, right=VALUES)
def test_records_compare_hash_and_show_as_dataclasses_do(left, right):
    ours, others = (Leaf(**left), Leaf(**right)), (LeafModel(**left), LeafModel(**right))
    assert (ours[0] == ours[1]) == (others[0] == others[1])
    assert (ours[0] != ours[1]) == (others[0] != others[1])
    assert [hash(item) for item in ours] == [hash((item.name, item.message, item.items, Leaf)) for item in others]
    assert [repr(item) for item in ours] == [repr(item).replace("LeafModel", "Leaf") for item in others]
    assert [dataclasses.asdict(item) for item in ours] == [dataclasses.asdict(item) for item in others]


@given(values=VALUES, changes=VALUES)
def test_records_are_changed_and_carried_whole(values, changes):
    record = Leaf(**values)
    changed = dataclasses.asdict(dataclasses.replace(LeafModel(**values), **changes))
    for way in (replace, dataclasses.replace):
        assert dataclasses.asdict(way(record, **changes)) == changed
    for twin in (pickle.loads(pickle.dumps(record)), copy.copy(record), copy.deepcopy(record)):  # noqa: S301
        assert type(twin) is Leaf
        assert dataclasses.asdict(twin) == dataclasses.asdict(record)


@given(left=st.tuples(st.integers(0, 2), st.integers(0, 2)), right=st.tuples(st.integers(0, 2), st.integers(0, 2)))
def test_ordered_records_compare_field_by_field(left, right):
    ours = [Ordered(first=first, last=last) for first, last in (left, right)]
    assert (ours[0] < ours[1], ours[0] <= ours[1], ours[0] > ours[1], ours[0] >= ours[1]) == (
        left < right,
        left <= right,
        left > right,
        left >= right,
    )


@pytest.mark.parametrize(
    ("kind", "arguments", "named"),
    [
        (Leaf, (), {"span": 1}),
        (Leaf, (), {"span": 1, "message": "a", "other": 1}),
        (Leaf, (1, None, "a"), {}),
        (Leaf, (), {"message": "a"}),
        (Nothing, (), {"a": 1}),
        (Small, (), {}),
        (Small, (1,), {"left": 1}),
        (replace, (Small(1),), {"other": 2}),
        (operator.lt, (Ordered(first=1, last=1), (1, 1)), {}),
        (operator.lt, (Small(1), Small(2)), {}),
    ],
)
def test_what_a_dataclass_refuses_is_a_type_error(kind, arguments, named):
    with pytest.raises(TypeError):
        kind(*arguments, **named)


def test_records_never_change_and_hold_nothing_else():
    record = Small(1)
    for change in (lambda: setattr(record, "left", 2), lambda: setattr(record, "new", 2)):
        with pytest.raises(dataclasses.FrozenInstanceError):
            change()
    with pytest.raises(dataclasses.FrozenInstanceError):
        del record.left
    assert not hasattr(record, "__dict__")
    assert record == Small(1, 0)


def test_records_of_two_classes_are_never_equal():
    others: tuple[object, ...] = (Ordered(first=1, last=0), (1, 0), 1)
    assert Small(1) not in others
    assert Nothing() == Nothing()
    assert hash(Nothing()) == hash(Nothing())


def test_a_record_may_look_at_itself_when_it_is_made():
    with pytest.raises(ValueError, match="too small"):
        Checked(size=-1)
    with pytest.raises(ValueError, match="too small"):
        replace(Checked(size=1), size=-1)


def test_fields_stand_in_order_and_say_what_they_are():
    assert field_names(Leaf) == ("span", "name", "message", "items", "note")
    ours, others = dataclasses.fields(Leaf), dataclasses.fields(LeafModel)
    for mine, other in zip(ours, others, strict=True):
        assert (mine.name, mine.default, mine.compare, mine.repr, mine.kw_only) == (
            other.name,
            other.default,
            other.compare,
            other.repr,
            other.kw_only,
        )
    assert Leaf.KIND == "leaf"
    assert Leaf(span=0, message="", items=(1, 2)).size == 2
    assert dataclasses.is_dataclass(Leaf)


def test_events_and_findings_cost_no_dataclass():
    code = f"import sys, {events.__name__}, {findings.__name__}; sys.exit('dataclasses' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_many_are_made_as_the_first_is():
    class Many(Record, kw_only=False):
        left: int
        right: int = 7

    made = [Many(1), Many(1, 7), Many(left=1), Many(1, right=7)] * 60
    assert set(made) == {made[0]}
    assert made[0].right == 7


@pytest.mark.parametrize("made_before", [0, 200])
@pytest.mark.parametrize(
    ("places", "values"),
    [((), {}), ((), {"right": 1}), ((1,), {"left": 1}), ((1,), {"none": 1}), ((1, 2, 3), {}), ((), {"none": 1})],
)
def test_wrong_values_are_refused_however_many_were_made(places, values, made_before):
    class Some(Record, kw_only=False):
        left: int
        right: int = 7

    for number in range(made_before):
        Some(number)
    with pytest.raises(TypeError):
        Some(*places, **values)


@pytest.mark.parametrize("made_before", [0, 200])
def test_a_record_by_keyword_takes_no_places_however_many_were_made(made_before):
    class Named(Record):
        left: int

    for number in range(made_before):
        Named(left=number)
    with pytest.raises(TypeError):
        Named(1)  # type: ignore[call-arg] # what is tried
