from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.by_hand import RANK0, RANK1, chain, diagnosis_of, diagnostic, exit_of, record, rule, text
from tracelens.engine import store as store_module
from tracelens.engine.diagnose import Reading, diagnose
from tracelens.events import EnvironmentReport, Event, Level, Text
from tracelens.findings import Coverage, Diagnosis, Diagnostic, Outcome, RootCause
from tracelens.ruleset.compiled import Entry, RuleSet, entries_of
from tracelens.text import Span

KNOWN = rule("said: known")
NEWER = rule("said: known", code="TL102", more="versions: {torch: '>=2.6'}")


def answer(
    events: list[Event], *entries: Entry, lines: int = 10, strict: bool = False, remarks: tuple[Diagnostic, ...] = ()
) -> Diagnosis:
    reading = Reading(coverage=Coverage(lines=lines, parsed=0, unparsed=0), source="a.log", diagnostics=remarks)
    return diagnose(events, RuleSet(entries), excerpt=lambda _: "", reading=reading, strict=strict)


def torch(version: str) -> EnvironmentReport:
    return EnvironmentReport(span=Span(line=1, end_line=1), facts=(("torch", version),))


def test_an_answer_carries_what_was_read():
    remark = Diagnostic(code="x", message="y")
    found = answer([text("known", 1)], *entries_of([KNOWN]), remarks=(remark,))
    assert (found.source, found.coverage.lines, found.diagnostics) == ("a.log", 10, (remark,))
    assert (found.outcome, found.root_cause) == (Outcome.DIAGNOSED, RootCause.TOOLCHAIN)


def test_a_rule_for_other_versions_is_silent_where_the_log_names_its_version():
    assert [finding.code for finding in diagnosis_of([torch("2.5.1"), text("known", 2)], KNOWN, NEWER).findings] == [
        "TL101"
    ]
    assert len(diagnosis_of([torch("2.7.0"), text("known", 2)], KNOWN, NEWER).findings) == 2
    assert len(diagnosis_of([text("known", 2)], KNOWN, NEWER).findings) == 2


def test_a_rule_that_crashes_is_named_and_the_others_run():
    broken = Entry(code="TL199", gates=entries_of([KNOWN])[0].gates, data=b"7", starts=(0, 1, 1, 1))
    found = answer([text("known", 1)], broken, *entries_of([KNOWN]))
    assert [finding.code for finding in found.findings] == ["TL101"]
    (remark,) = found.diagnostics
    assert remark.code == "TL199"
    assert "TL199 failed and was left out: TypeError" in remark.message
    with pytest.raises(TypeError):
        answer([text("known", 1)], broken, strict=True)


def test_a_rule_whose_literals_are_not_there_is_never_read():
    gates = entries_of([rule("said: absent")])[0].gates
    unread = Entry(code="TL199", gates=gates, data=b"not even JSON", starts=(0, 9, 12, 13))
    assert answer([text("known", 1)], unread, strict=True).outcome is Outcome.CLEAN


def test_an_empty_input_is_clean_and_says_what_that_may_mean():
    found = answer([], lines=0)
    assert (found.outcome, found.confidence) == (Outcome.CLEAN, None)
    assert found.diagnostics[0].code == "empty-input"
    assert "SIGSEGV" in found.diagnostics[0].message


def test_what_was_not_kept_is_said(monkeypatch):
    monkeypatch.setattr(store_module, "_ROOM_OF", {Text: (2, 1)})
    found = answer([text(f"m{line}", line) for line in range(1, 11)])
    assert [(remark.code, remark.message[:9]) for remark in found.diagnostics] == [("events-dropped", "7 events ")]


def test_captures_fill_title_and_summary():
    filled = rule(
        "said: 'no (?P<tool>\\w+)'",
        more="title: No {tool}\nsummary: '{tool} and {torch|some torch} on {rank|it}'".replace("{rank|it}", "it"),
    )
    (finding,) = diagnosis_of([torch("2.5.1"), text("no gcc", 2)], filled).findings
    assert (finding.title, finding.summary) == ("No gcc", "gcc and 2.5.1 on it")


EVENTS = st.builds(
    lambda make, line, process, said: make(said, line, process),
    st.sampled_from(
        [
            text,
            lambda said, line, process: chain(f"ValueError: {said}", "InductorError: x", line=line, process=process),
            lambda said, line, process: chain(f"OSError: {said}", line=line, process=process, level=Level.WARNING),
            lambda said, line, process: record(said, line, Level.ERROR, process),
            lambda said, line, _: diagnostic(said, line),
            lambda said, line, _: exit_of(said, line, signal="SIGBUS"),
        ]
    ),
    st.integers(1, 300),
    st.sampled_from([None, RANK0, RANK1]),
    st.sampled_from(["known", "other known", "else", "quite else"]),
)
RULES = (
    KNOWN,
    rule("all:\n- said: other\n- said: else\n  within: 40\n", code="TL201", label="cache/permission"),
    rule("exception: {type: Error}", code="TL902", label="outside/runtime-error", more="role: fallback"),
    rule("said: quite", code="TL001", label="none/clean", more="handles: {as: handled, before: 9, after: 9}"),
)


@given(st.lists(EVENTS, max_size=12), st.randoms(use_true_random=False))
def test_any_events_give_one_answer_whatever_the_order_of_rules(events, random):
    shuffled = list(RULES)
    random.shuffle(shuffled)
    found = diagnosis_of(events, *RULES)
    assert diagnosis_of(events, *shuffled) == found
    assert (found.label is None) is (found.outcome is Outcome.UNEXPLAINED)
    assert all(finding.evidence and finding.because for finding in found.findings)
