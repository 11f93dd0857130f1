from __future__ import annotations

from tests.engine.by_hand import chain, record, rule, text
from tracelens.authoring.coverage import cover
from tracelens.engine.store import EventStore
from tracelens.events import Level
from tracelens.ruleset.model import Kind

RULE = rule("any:\n  - said: 'known'\n  - all:\n      - said: 'first'\n      - not: {said: 'second'}")


def unseen(*events):
    return [(event.kind, event.span.line) for event in cover("a.log", EventStore(events), [RULE]).unseen]


def test_what_no_condition_holds_for_is_told_by_its_line():
    assert unseen(chain("KeyError: odd", line=4), chain("KeyError: known", line=20)) == [(Kind.EXCEPTION, 4)]


def test_parts_of_a_condition_count_as_looking():
    assert unseen(record("first", 1), record("second", 2)) == []


def test_what_any_text_satisfies_looks_at_none():
    last_word = rule("all:\n  - said: 'known'\n  - not: {said: '\\S', after: true}")
    assert len(cover("a.log", EventStore([chain("KeyError: odd", line=4)]), [last_word]).unseen) == 1


def test_what_healthy_runs_print_is_not_asked_for():
    assert unseen(record("odd", 1, Level.INFO), text("odd", 2)) == []
    assert cover("a.log", EventStore([record("odd", 1, Level.INFO)]), [RULE]).events == 0
