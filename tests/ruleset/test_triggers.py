"""No rule is deaf: what a scan of a large log cannot look for is refused when a rule is loaded."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.by_hand import rule
from tests.ruleset.rule_text import LABELS, SOUND
from tracelens.errors import RuleFileError, RuleProblem
from tracelens.ruleset.load import load_folders
from tracelens.ruleset.model import Kind
from tracelens.ruleset.triggers import find_anchors

_BEFORE, _, _REST = SOUND.partition("when:\n")
_AFTER = "explanation:" + _REST.partition("explanation:")[2]


def problems_of(when: str, folder: Path, *, label: str = "toolchain/cxx-missing") -> tuple[RuleProblem, ...]:
    text = f"{_BEFORE}when:\n{when}{_AFTER}".replace("{compiler|c++}", "c++").replace("{compiler|a C++ compiler}", "it")
    name = "TL101-cxx-missing.yml"
    if label == "none/clean":
        text = text.replace("label: toolchain/cxx-missing", "label: none/clean").replace("TL101", "TL001")
        text = text.replace("severity: fatal", "severity: handled")
        name = "TL001-cxx-missing.yml"
    (folder / name).write_text(text)
    try:
        load_folders([folder], labels=LABELS, foreign=False)
    except RuleFileError as error:
        return error.problems
    return ()


@pytest.mark.parametrize(
    ("when", "where", "reason"),
    [
        ("  said: 'ab'\n", "when.said", "no text of 3 characters"),
        ("  said: 'epoch'\n", "when.said", "ordinary lines are full of it"),
        ("  any:\n    - exception: {type: 'X$'}\n    - said: '[0-9]+'\n", "when.any[1].said", "definite"),
        ("  all:\n    - said: 'ab'\n    - said: 'cd'\n      within: 3\n", "when.all[0].said", "no text of 3"),
        ("  any:\n    - any:\n        - text: {}\n", "when.any[0].any[0].text", "no pattern of a message"),
        ("  record: {level: [info, warning]}\n", "when.record", "no pattern of a message"),
        ("  graph: {kind: 'aot'}\n", "when.graph", "healthy runs"),
    ],
)
def test_what_a_scan_cannot_look_for_is_refused_where_it_stands(when, where, reason, tmp_path):
    (problem,) = problems_of(when, tmp_path)
    assert problem.where == where
    assert problem.problem.startswith("deaf: ")
    assert reason in problem.problem
    lines = f"{_BEFORE}when:\n{when}".splitlines()
    assert where.rpartition(".")[2] in lines[problem.line - 1]


@pytest.mark.parametrize(
    "when",
    [
        "  said: 'No such file or directory'\n",
        "  said: {pattern: '^ab', in: [diagnostic]}\n",
        "  said: {pattern: '^ab', not_in: [text, record]}\n",
        "  record: {level: [error, warning]}\n",
        "  all:\n    - said: 'ab'\n    - exception: {type: 'Error$'}\n",
        "  all:\n    - said: 'ab'\n    - said: 'could not be acquired'\n      within: 3\n",
        "  all:\n    - artifact: {}\n    - any:\n        - exit: {}\n        - said: 'could not be acquired'\n",
    ],
)
def test_what_leads_to_a_rule_is_enough(when, tmp_path):
    assert problems_of(when, tmp_path) == ()


def test_a_group_of_which_one_way_is_deaf_does_not_lead_to_a_rule(tmp_path):
    when = "  all:\n    - artifact: {}\n    - any:\n        - exit: {}\n        - said: 'ab'\n"
    assert [problem.where for problem in problems_of(when, tmp_path)] == ["when.all[0].artifact"]


def test_what_is_harmless_need_not_be_heard(tmp_path):
    assert problems_of("  said: 'ab'\n", tmp_path, label="none/clean") == ()


@pytest.mark.parametrize("kind", [kind.value for kind in Kind if kind not in (Kind.SAID, Kind.TEXT, Kind.RECORD)])
def test_every_kind_is_either_heard_or_refused(kind, tmp_path):
    deaf = {problem.where for problem in problems_of(f"  {kind}: {{}}\n", tmp_path)}
    assert deaf in (set(), {f"when.{kind}"})
    assert bool(deaf) is (kind in ("invocation", "graph", "artifact"))


def anchors_of(when: str, *, label: str = "toolchain/cxx-missing", more: str = "") -> int:
    code = "TL098" if label == "none/clean" else "TL101"
    return len(find_anchors(rule(when, code=code, label=label, more=more)))


def test_what_the_grammar_begins_needs_no_anchor_of_its_own():
    assert anchors_of("said: 'no such compiler'") == 1
    assert anchors_of("said: {pattern: 'no such compiler', in: [exception, diagnostic]}") == 0
    assert anchors_of("record: {level: [error], message: 'no such compiler'}") == 0
    assert anchors_of("all:\n  - exception: {type: 'X$'}\n  - said: 'no such compiler'\n    within: 3") == 0
    assert anchors_of("all:\n  - said: 'no such compiler'\n  - said: 'anywhere at all'\n    within: 3") == 1


def test_a_quiet_rule_needs_no_anchor_for_what_it_excuses_has_one():
    more = "handles: {as: handled, before: 0, after: 0}"
    assert anchors_of("said: 'no such compiler'", label="none/clean", more=more) == 1
    assert anchors_of("said: 'no such compiler'", label="none/clean", more=more.replace("}", ", quiet: true}")) == 0
