"""A condition gone through part by part says what holds, where, and what is missing."""

from __future__ import annotations

from tests.engine.by_hand import chain, frame, log_of, record, rule, span, text
from tracelens.engine.condition_steps import MAX_SEEN, Seen, Step, go_through
from tracelens.engine.match import Matcher
from tracelens.events import Event
from tracelens.text import Span


def excerpt(_lines: Span) -> str:
    return ""


def traced(condition: str, *events: Event) -> Step:
    return go_through(rule(condition).when, Matcher(log_of(*events)), excerpt)


def test_a_leaf_that_holds_tells_its_lines_and_what_matched():
    step = traced("exception: {message: 'not f\\w+'}", chain("RuntimeError: g++ not found", line=4))
    assert step.holds
    assert step.seen == (Seen(span=span(6), field="message", text="not found"),)
    assert step.asks == (("message", "not f\\w+"),)


def test_a_leaf_that_fails_tells_where_each_field_would_hold_alone():
    event = chain("RuntimeError: g++ not found", line=4, frames=[frame("torch/a.py")])
    step = traced("exception: {type: 'KeyError', message: 'not found', owner: [user]}", event)
    assert not step.holds
    assert step.missing == ("type alone: nowhere", "message alone: line 6", "owner alone: nowhere")


def test_too_few_events_are_counted():
    step = traced("said: 'again'\ncount: 3", text("again", 1), text("again and", 2))
    assert not step.holds
    assert step.missing == ("fewer than 3: line 1, 2",)


def test_what_does_not_grow_is_told():
    step = traced(r"said: 'rss (?P<size>\d+)'" + "\ngrows: size", text("rss 5", 1), text("rss 5", 2))
    assert not step.holds
    assert step.asks[-1] == ("grows", "size")
    assert step.missing == ("size does not grow: line 1, 2",)


def test_many_places_are_told_by_the_first_ones():
    step = traced("said: 'again'", *(text(f"again {number}", number) for number in range(1, 12)))
    assert step.places == 11
    assert [seen.span.line for seen in step.seen] == list(range(1, MAX_SEEN + 1))


def test_what_stands_in_the_wrong_place_is_said_to():
    condition = "all:\n  - said: 'first'\n  - said: 'second'\n    within: 2\n    after: true"
    step = traced(condition, text("first", 10), text("second", 30))
    assert not step.holds
    assert step.missing == ("seen from line 10",)
    first, second = step.members
    assert first.holds
    assert not second.holds
    assert second.missing == ("it stands on line 30, which is not where it has to be, seen from line 10",)
    assert second.asks == (("message", "second"), ("within", "2"), ("after", "true"))


def test_an_all_is_shown_where_all_of_it_holds():
    condition = "all:\n  - said: 'first'\n  - said: 'second'\n    within: 2"
    step = traced(condition, text("first", 10), text("first one", 29), text("second", 30))
    assert step.holds
    assert [seen.span.line for seen in step.members[1].seen] == [30]


def test_not_holds_where_its_condition_does_not():
    condition = "all:\n  - said: 'first'\n  - not: {said: 'second'}"
    assert traced(condition, text("first", 1)).members[1].holds
    failed = traced(condition, text("first", 1), text("second", 2))
    assert not failed.holds
    assert not failed.members[1].holds
    assert failed.members[1].members[0].holds


def test_one_member_is_enough_for_any():
    step = traced("any:\n  - said: 'first'\n  - record: {level: [error], message: 'second'}", record("second", 3))
    assert not step.holds
    assert step.members[1].missing == ("message alone: line 3", "level alone: nowhere")
    assert traced("any:\n  - said: 'first'\n  - said: 'second'", record("second", 3)).holds
