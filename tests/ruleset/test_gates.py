from __future__ import annotations

from tracelens.ruleset.gates import Gate, find_gates
from tracelens.ruleset.make_pattern import make_pattern
from tracelens.ruleset.model import AllOf, AnyOf, Kind, Leaf, Not


def said(source: str) -> Leaf:
    return Leaf(kind=Kind.SAID, patterns=(("message", make_pattern(source)),))


def texts(gates: tuple[Gate, ...]) -> list[tuple[str, ...]]:
    return [tuple(text for text, _words, _part in gate.literals) for gate in gates]


def test_a_leaf_is_gated_by_its_most_telling_pattern():
    leaf = Leaf(
        kind=Kind.EXCEPTION, patterns=(("type", make_pattern("Error$")), ("message", make_pattern("No working C")))
    )
    (gate,) = find_gates(leaf)
    assert (gate.kind, gate.field) == ("exception", "message")
    assert texts((gate,)) == [("No working C",)]


def test_a_leaf_without_literals_is_open_to_any_event_of_its_kind():
    assert find_gates(Leaf(kind=Kind.EXIT)) == (Gate("exit", "", ignore_case=False, literals=()),)
    (gate,) = find_gates(said("[A-Z]{3}"))
    assert (gate.kind, gate.literals) == ("said", ())


def test_any_member_opens_an_any_and_equal_gates_count_once():
    gates = find_gates(AnyOf(conditions=(said("first"), said("second"), said("first"))))
    assert texts(gates) == [("first",), ("second",)]


def test_an_all_is_gated_by_the_member_that_is_hardest_to_meet():
    condition = AllOf(
        conditions=(said("abc"), said("a much longer text"), Not(condition=said("the longest text of all")))
    )
    assert texts(find_gates(condition)) == [("a much longer text",)]


def test_absence_opens_nothing():
    assert find_gates(Not(condition=said("abc"))) == ()


def test_case_is_remembered():
    (gate,) = find_gates(said("(?i)Out Of Memory"))
    assert gate.ignore_case
    assert texts((gate,)) == [("out of memory",)]
