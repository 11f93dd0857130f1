from __future__ import annotations

from tests.engine.by_hand import diagnosis_of, rule, text

QUIET = rule(
    "said: in prose", code="TL098", label="none/clean", more="handles: {as: handled, before: 0, after: 0, quiet: true}"
)
ALARM = rule("said: known")


def codes(*messages: str) -> list[str]:
    events = [text(message, line) for line, message in enumerate(messages, start=1)]
    return [finding.code for finding in diagnosis_of(events, ALARM, QUIET).findings]


def test_a_quiet_rule_tells_of_what_it_excuses():
    assert sorted(codes("known in prose")) == ["TL098", "TL101"]
    assert diagnosis_of([text("known in prose", 1)], ALARM, QUIET).label == "none/clean"


def test_a_quiet_rule_that_excuses_nothing_is_not_told_of():
    assert codes("something in prose") == []
    assert codes("something in prose", "known") == ["TL101"]


def test_a_quiet_rule_that_excuses_something_counts_all_it_found():
    events = [text("known in prose", 1), text("something in prose", 2)]
    found = diagnosis_of(events, ALARM, QUIET).findings
    assert sorted(finding.code for finding in found) == ["TL098", "TL098", "TL101"]
