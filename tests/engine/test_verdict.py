"""What became of a rule, and the reason that is given for it."""

from __future__ import annotations

import pytest

from tests.engine.by_hand import RANK0, RANK1, chain, diagnostic, exit_of, record, rule, text
from tracelens.engine.diagnose import judge_events
from tracelens.engine.store import EventStore
from tracelens.engine.verdict import Fate, Verdict, judge_rule
from tracelens.events import EnvironmentReport, Event, Level
from tracelens.findings import Severity
from tracelens.ruleset.compiled import RuleSet, entries_of
from tracelens.ruleset.model import Rule
from tracelens.text import Span

MINE = rule("said: 'mine'", code="TL101")


def verdict_on(mine: Rule, events: list[Event], *others: Rule) -> Verdict:
    judgement = judge_events(EventStore(events), RuleSet(entries_of([mine, *others])), strict=True)
    return judge_rule(mine, judgement, lambda _lines: "")


def test_the_answer_needs_no_reason():
    verdict = verdict_on(MINE, [chain("RuntimeError: mine")])
    assert (verdict.fate, verdict.reasons) == (Fate.ANSWER, ())


def test_what_holds_nowhere_did_not_match():
    assert verdict_on(MINE, [chain("RuntimeError: other")]).fate is Fate.NO_MATCH


def test_a_veto_is_named_and_traced():
    mine = rule("said: 'mine'", more="unless:\n  - said: 'but'\n    within: 5")
    verdict = verdict_on(mine, [text("mine", 3), text("but", 4)])
    assert verdict.fate is Fate.VETOED
    assert verdict.reasons == ("its condition holds on line 3, and one of its vetoes does too",)
    assert verdict.unless[0].holds


def test_a_rule_for_another_version_was_not_asked():
    mine = rule("said: 'mine'", more="versions: {torch: '>=2.6'}")
    report = EnvironmentReport(span=Span(line=1, end_line=1), facts=(("torch", "2.5.1"),))
    verdict = verdict_on(mine, [report, chain("RuntimeError: mine", line=2)])
    assert verdict.fate is Fate.OTHER_VERSION
    assert verdict.reasons == ("it is for torch >=2.6, and the log says torch 2.5.1",)


OTHER = "said: 'other'"


@pytest.mark.parametrize(
    ("events", "other", "reason"),
    [
        (
            [record("mine", 1), chain("RuntimeError: other", line=2)],
            rule(OTHER, code="TL102"),
            "that is fatal, and this only degraded",
        ),
        (
            [chain("RuntimeError: mine", process=RANK1, line=9), chain("RuntimeError: other", process=RANK0)],
            rule(OTHER, code="TL102"),
            "rank 0 failed before rank 1",
        ),
        (
            [chain("RuntimeError: mine"), chain("RuntimeError: other", line=9)],
            rule(OTHER, code="TL102", more="weight: 10"),
            "that failure matters more",
        ),
        (
            [diagnostic("other", 2), chain("CppCompileError: mine", line=3)],
            rule(OTHER, code="TL102"),
            "of one failure that is an error of the compiler",
        ),
        (
            [chain("RuntimeError: other", "KeyError: mine")],
            rule(OTHER, code="TL102"),
            "of one failure that is further inside the chain of exceptions",
        ),
        (
            [chain("RuntimeError: other mine")],
            rule(OTHER, code="TL102", more="weight: 10"),
            "its weight is 10, and that of TL101 is 0",
        ),
    ],
)
def test_the_first_thing_that_decides_is_named(events, other, reason):
    verdict = verdict_on(MINE, events, other)
    assert verdict.fate is Fate.OUTRANKED
    assert verdict.reasons[0].startswith("TL102 (line ")
    assert reason in verdict.reasons[0]


def test_a_consequence_stands_below_a_cause():
    mine = rule("said: 'mine'", more="role: consequence\nweight: 10")
    verdict = verdict_on(mine, [chain("RuntimeError: mine", "KeyError: other")], rule(OTHER, code="TL102"))
    assert verdict.reasons == ("TL102 (line 6) outranked it, because that is a cause, and this a consequence",)


def test_a_fallback_gives_way():
    mine = rule("said: 'mine'", more="role: fallback")
    verdict = verdict_on(mine, [chain("RuntimeError: mine other")], rule(OTHER, code="TL102"))
    assert verdict.fate is Fate.LEFT_OUT
    assert verdict.reasons == ("it matched on line 3; as a fallback it gives way to TL102",)


def test_what_lowered_a_severity_is_said():
    verdict = verdict_on(MINE, [record("mine", 1, Level.WARNING)])
    assert verdict.fate is Fate.ANSWER
    assert "lowered from fatal to degraded" in verdict.reasons[0]
    assert "level warning" in verdict.reasons[0]


def test_what_was_recovered_from_names_the_rule_that_says_so():
    harmless = rule(
        "said: 'retried'", code="TL001", label="none/clean", more="handles: {as: handled, before: 5, after: 0}"
    )
    verdict = verdict_on(MINE, [text("mine", 3), text("retried", 5)], harmless)
    assert any("TL001 says that lines 1 to 5 were recovered from" in reason for reason in verdict.reasons)
    assert verdict.rule.severity is Severity.FATAL


def test_a_failure_that_nothing_explains_comes_before_a_milder_finding():
    verdict = verdict_on(MINE, [record("mine", 1), chain("ValueError: odd", line=5), exit_of("exit code 1", 20)])
    assert verdict.fate is Fate.OUTRANKED
    assert "that no rule explains" in verdict.reasons[0]
