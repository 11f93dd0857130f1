"""Every rule is whole: it says what, why and what to do, and is proven both ways."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest
import yaml

from tests.command import CORPUS, REPOSITORY
from tests.corpus_cases import all_cases, diagnose_case
from tracelens.authoring.trials import Verdict, try_examples
from tracelens.ruleset.load import bundled_folder, bundled_taxonomy, load_folders, load_labels
from tracelens.ruleset.model import Rule

FILES = sorted((REPOSITORY / "rules").glob("*.yml"))
RULES = {file.stem: yaml.safe_load(file.read_text(encoding="utf-8")) for file in FILES}
TAXONOMY = yaml.safe_load((REPOSITORY / "taxonomy.yml").read_text(encoding="utf-8"))
LABELS = {f"{cause}/{kind}" for cause, kinds in TAXONOMY.items() for kind in kinds}
#: The codes of each cause begin with this digit, as DESIGN's table of causes has it.
FIRST_DIGITS = {"none": "0", "toolchain": "1", "cache": "2", "dynamic-shapes": "3", "abi": "4", "outside": "9"}
#: Rules without a fix, and why there is none to give.
NOTHING_TO_FIX = {
    "TL117": "torch says that it goes on without the header; the failure that may follow has rules of its own",
    "TL990": "whoever pressed Ctrl-C meant it",
}


@cache
def loaded_rules() -> dict[str, Rule]:
    """Return our rules as their files have them, by code."""
    labels = load_labels(bundled_taxonomy())
    return {rule.code: rule for rule in load_folders([bundled_folder()], labels=labels, foreign=False)}


def matching(key: str) -> list[tuple[str, str]]:
    """Return every (rule, case) pair that rules claim under a key."""
    return [(name, case) for name, rule in RULES.items() for case in rule[key]]


@pytest.mark.parametrize("name", RULES)
def test_rule_is_whole(name):
    rule = RULES[name]
    assert name == f"{rule['code']}-{rule['name']}"
    assert rule["label"] in LABELS
    assert rule["code"][2] == FIRST_DIGITS[rule["label"].partition("/")[0]]
    for key in ("title", "summary", "explanation", "references", "matches", "rejects"):
        assert rule[key], key


@pytest.mark.parametrize("name", RULES)
def test_rule_has_a_fix_or_there_is_nothing_to_fix(name):
    rule = RULES[name]
    harmless = rule["label"].startswith("none/")
    assert bool(rule["fixes"]) != (rule["code"] in NOTHING_TO_FIX) or harmless


@pytest.mark.parametrize("name", RULES)
def test_fix_names_its_proof_or_says_why_there_is_none(name):
    for fix in RULES[name]["fixes"]:
        assert bool(fix.get("proven")) != bool(fix.get("unproven")), fix["id"]
        assert fix.get("proven") is None or fix["proven"] in all_cases(), fix["id"]


def test_codes_names_and_aliases_are_used_once():
    used = Counter(each for rule in RULES.values() for each in (rule["code"], rule["name"], *rule.get("aliases", ())))
    assert [each for each, times in used.items() if times > 1] == []


@pytest.mark.parametrize("name", RULES)
def test_rule_finds_its_own_examples_and_passes_over_the_others(name):
    trials = list(try_examples(loaded_rules()[RULES[name]["code"]]))
    assert any(trial.wanted for trial in trials)
    assert [(trial.where, trial.subject) for trial in trials if trial.verdict is not Verdict.PASSED] == []


@pytest.mark.parametrize(("name", "case"), matching("matches"))
def test_rule_finds_what_it_is_for(name, case):
    assert RULES[name]["code"] in {finding.code for finding in diagnose_case(case).findings}


@pytest.mark.parametrize(("name", "case"), matching("rejects"))
def test_rule_passes_over_its_near_miss(name, case):
    assert RULES[name]["code"] not in {finding.code for finding in diagnose_case(case).findings}


@pytest.mark.parametrize("label", sorted({case.label for case in all_cases().values()}))
def test_label_of_the_corpus_has_a_rule(label):
    assert label == "none/clean" or label in {rule["label"] for rule in RULES.values()}


@pytest.mark.parametrize("identity", all_cases())
def test_labels_of_a_case_are_in_the_taxonomy(identity):
    assert set(all_cases()[identity].labels) <= LABELS


def test_artifacts_hold_no_case():
    assert not list((CORPUS / "artifacts").rglob("case.yml"))
