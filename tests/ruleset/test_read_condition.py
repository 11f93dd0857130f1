from __future__ import annotations

import pytest

from tracelens.ruleset.model import SAYING, AllOf, AnyOf, Condition, Kind, Leaf, Not, Place, Same
from tracelens.ruleset.nodes import Mapping, Scalar, Sequence, parse_nodes
from tracelens.ruleset.read_condition import ConditionReader
from tracelens.ruleset.reading import Reader


def read(text: str, *, anchored: bool = False) -> tuple[Condition, list[str], tuple[str, ...]]:
    node = parse_nodes(text.encode(), file="a.yml")
    assert isinstance(node, Scalar | Sequence | Mapping)
    reader = Reader("a.yml")
    conditions = ConditionReader(reader, foreign=False)
    condition = conditions.read(node, "when", anchored=anchored)
    return condition, [f"{problem.where}: {problem.problem}" for problem in reader.problems], tuple(conditions.captures)


def sound(text: str, *, anchored: bool = False) -> Condition:
    condition, problems, _ = read(text, anchored=anchored)
    assert problems == []
    return condition


def leaf(text: str, *, anchored: bool = False) -> Leaf:
    condition = sound(text, anchored=anchored)
    assert isinstance(condition, Leaf)
    return condition


def test_a_text_field_is_a_pattern_and_a_list_holds_exact_values():
    condition = leaf("graph: {kind: 'graph_code'}")
    assert [(name, pattern.source) for name, pattern in condition.patterns] == [("kind", "graph_code")]
    assert leaf("graph: {kind: [graph_code, aot_graphs]}").choices == (("kind", ("graph_code", "aot_graphs")),)


def test_closed_fields_take_exact_values_only():
    assert leaf("exception: {owner: user, position: innermost}").choices == (
        ("owner", ("user",)),
        ("position", ("innermost",)),
    )
    assert leaf("guard: {kind: [size, int]}").choices == (("kind", ("size", "int")),)
    _, problems, _ = read("guard: {kind: 'size|int'}")
    assert problems[0].startswith("when.guard.kind: a text ('size|int') is not allowed;")


def test_severity_has_to_be_a_list_since_error_alone_would_miss_fatal_errors():
    assert leaf("diagnostic: {severity: [error, fatal error]}").choices == (("severity", ("error", "fatal error")),)
    _, problems, _ = read("diagnostic: {severity: error}")
    assert problems == ["when.diagnostic.severity: expected a list, got a text ('error')"]


def test_flags_numbers_and_presence():
    assert leaf("exception: {headless: true}").choices == (("headless", (True,)),)
    assert leaf("exit: {exit_code: 1}").choices == (("exit_code", (1,)),)
    assert leaf("exit: {exit_code: [1, -11, 4294967295]}").choices == (("exit_code", (1, -11, 4294967295)),)
    assert leaf("exit: {signal: true}").choices == (("signal", (True,)),)
    assert leaf("ninja: {stopped: 'subcommand'}").patterns[0][1].source == "subcommand"


def test_an_empty_leaf_means_any_event_of_its_kind():
    assert leaf("recompile_limit: {}") == Leaf(kind=Kind.RECOMPILE_LIMIT)


def test_said_takes_a_pattern_or_a_narrowed_one():
    assert leaf("said: hello").said_in == ()
    assert leaf("said: {pattern: hello, in: [text, record]}").said_in == (Kind.RECORD, Kind.TEXT)
    narrowed = leaf("said: {pattern: hello, not_in: [text]}").said_in
    assert narrowed == tuple(kind for kind in SAYING if kind is not Kind.TEXT)
    assert leaf("said: {pattern: hello, not_in: []}").said_in == ()


def test_places_and_counts():
    condition = leaf(
        "said: '(?P<size>hello)'\ncount: 3\ngrows: size\nwithin: 40\nbefore: true\nsame: process", anchored=True
    )
    assert (condition.at_least, condition.grows) == (3, "size")
    assert condition.place == Place(within=40, before=True, after=False, same=Same.PROCESS)


def test_one_that_stands_beside_another_may_be_its_root():
    assert leaf("said: hello\nbefore: true\nroot: true", anchored=True).place == Place(before=True, root=True)


def test_a_place_beside_a_group_goes_to_the_members_that_have_none():
    condition = sound(
        "all:\n  - said: one\n  - any:\n      - said: two\n      - said: three\n        within: 1\n"
        "      - all: [{said: four}, {said: five}]\n      - not: {said: six}\n    within: 9\n"
    )
    assert isinstance(condition, AllOf)
    group = condition.conditions[1]
    assert isinstance(group, AnyOf)
    two, three, pair, absent = group.conditions
    assert isinstance(two, Leaf)
    assert isinstance(three, Leaf)
    assert isinstance(pair, AllOf)
    assert isinstance(absent, Not)
    places = [member.place for member in (two, three, *pair.conditions, absent.condition) if isinstance(member, Leaf)]
    assert [place.within if place else None for place in places] == [9, 1, 9, None, 9]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("said: hello\nwithin: 3", "when.within: has no primary event to be seen from here"),
        ("all: [{said: a1b, before: true}]", "when.all[0].before: has no primary event to be seen from here"),
        ("not: {said: hello}", "when.not: needs a condition before it in an all: absence alone proves nothing"),
        ("any: []", "when.any: is empty"),
        ("all: hello", "when.all: expected a list, got a text ('hello')"),
        ("said: hello\ntext: {message: hello}", "when: one condition each, not said and text together; use all or any"),
        ("sayd: hello", "when.sayd: unknown key; did you mean said?"),
        ("exception: {typ: x1y}", "when.exception.typ: unknown key; did you mean type?"),
        ("exception: hello", "when.exception: expected keys and values, got a text ('hello')"),
        ("said: 5", "when.said: expected a text, got a number ('5'); quote it if it is meant as text"),
        ("said: '(?=x)y'", "when.said: pattern lookahead and lookbehind are not linear"),
        ("said: {in: [text]}", "when.said.pattern: missing"),
        ("said: {pattern: abc, in: [txt]}", "when.said.in[0]: a text ('txt') is not allowed; did you mean text?"),
        ("said: {pattern: abc, in: [text], not_in: [exit]}", "when.said.not_in: give either in or not_in"),
        ("said: abc\ncount: 0", "when.count: must lie between 1 and 1000000, got 0"),
        ("said: '(?P<size>abc)'\ngrows: sizes", "when.grows: a text ('sizes') is not allowed; did you mean size?"),
        ("exit: {exit_code: one}", "when.exit.exit_code: expected a whole number, got a text ('one')"),
        ("exit: {signal: yes}", "when.exit.signal: expected true or false, got true or false ('yes')"),
    ],
)
def test_problems_say_where_and_what(text, problem):
    _, problems, _ = read(text)
    assert any(found.startswith(problem) for found in problems), problems


def test_what_must_not_be_there_is_no_root():
    _, problems, _ = read("all:\n- said: hello\n- not: {said: bye, root: true}")
    assert len(problems) == 1
    assert problems[0].endswith("what is not there proves nothing")


def test_before_and_after_exclude_each_other():
    _, problems, _ = read("said: hello\nbefore: true\nafter: true", anchored=True)
    assert problems == ["when.after: cannot stand both before and after"]


def test_captures_are_gathered_from_what_must_be_there():
    _, _, captures = read(
        "all:\n  - exception: {message: '(?P<one>a1)'}\n  - not: {said: '(?P<two>b2)'}\n  - exit: {}\n    within: 3\n"
    )
    assert captures == ("one", "type", "message", "frame", "place", "signal", "exit_code")


def test_a_condition_that_is_no_mapping_is_refused():
    _, problems, _ = read("- said: hello")
    assert problems[0] == "when: expected keys and values, got a list"
