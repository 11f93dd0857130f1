"""A rule that is spelled out and read again is the same rule."""

from __future__ import annotations

from functools import cache

import pytest

from tests.command import REPOSITORY
from tests.ruleset.rule_text import FILE, LABELS, SOUND, changed
from tracelens.ruleset.as_yaml import dump_yaml
from tracelens.ruleset.load import bundled_folder, bundled_taxonomy, load_folders, load_labels
from tracelens.ruleset.model import Rule
from tracelens.ruleset.read_rule import read_rule
from tracelens.ruleset.spelling import spell_rule


@cache
def rules() -> dict[str, Rule]:
    labels = load_labels(bundled_taxonomy())
    return {rule.code: rule for rule in load_folders([bundled_folder()], labels=labels, foreign=False)}


def read_again(rule: Rule) -> Rule:
    file, labels = f"{rule.code}-{rule.name}.yml", (*LABELS, *load_labels(bundled_taxonomy()))
    again, problems = read_rule(dump_yaml(spell_rule(rule)).encode(), file=file, labels=labels, foreign=False)
    assert problems == ()
    assert again is not None
    return again


@pytest.mark.parametrize("code", [file.name.partition("-")[0] for file in sorted((REPOSITORY / "rules").glob("*.yml"))])
def test_our_rules_come_back_unchanged(code):
    assert read_again(rules()[code]) == rules()[code]


@pytest.mark.parametrize(
    "when",
    [
        "  record: {level: [warning], message: 'cannot'}\n",
        "  exit: {exit_code: [1, -9], signal: true}\n  count: 2\n",
        "  said: '(?P<size>abc)'\n  grows: size\n",
        "  all:\n    - ninja: {stopped: true}\n    - not: {said: {pattern: 'abc', in: [text]}}\n      before: false\n",
        "  all:\n    - exit: {signal: 'SIGBUS'}\n    - any: [{guard: {kind: [size]}}, {exit: {}}]\n      within: 3\n",
        "  all:\n    - exit: {}\n    - exception: {headless: false}\n      after: true\n      same: chain\n",
    ],
)
def test_every_shape_of_condition_comes_back_unchanged(when):
    before, _, rest = changed("{compiler|c++}", "c++").replace("{compiler|a C++ compiler}", "it").partition("when:\n")
    text = f"{before}when:\n{when}explanation:{rest.partition('explanation:')[2]}"
    rule, problems = read_rule(text.encode(), file=FILE, labels=LABELS, foreign=False)
    assert problems == ()
    assert rule is not None
    assert read_again(rule) == rule


@pytest.mark.parametrize(
    "text", ["12", "1e5", "no", "null", "a: b", " lead", "trail ", "x\n  y\nz", "'", "# no", "\u2028", "é\n"]
)
def test_texts_that_yaml_would_take_for_something_else_stay_texts(text):
    rule, _ = read_rule(SOUND.encode(), file=FILE, labels=LABELS, foreign=False)
    assert rule is not None
    odd = rule._replace(explanation=f"{text}", title=text)
    again = read_again(odd) if text.strip() else odd
    assert (again.explanation, again.title) == (odd.explanation, odd.title)
