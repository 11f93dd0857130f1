from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.corpus_cases import our_rules
from tests.ruleset.rule_text import FILE, LABELS, SOUND, changed
from tracelens.errors import RuleFileError
from tracelens.ruleset.compiled import Entry, RuleSet, StaleError, entries_of, fingerprint, undump
from tracelens.ruleset.dump import dump, write_bundle
from tracelens.ruleset.gates import find_gates
from tracelens.ruleset.model import AnyOf, Condition, Leaf, Rule
from tracelens.ruleset.read_rule import read_rule

RICH = changed(
    "when:",
    "aliases: [no-gxx]\nrole: fallback\nweight: -5\ncarrier: keep\nversions: {torch: '>=2.6'}\n"
    "unless:\n  - said: {pattern: hello (?P<word>there), in: [text]}\n    count: 2\n    grows: word\n"
    "    within: 3\n    same: chain\n"
    "  - not: {exit: {exit_code: [1, -9], signal: true}}\nwhen:",
).replace("    - exception:", "    - all: [{guard: {kind: [size]}}, {exit: {}, after: true}]\n    - exception:")


def rule_of(text: str) -> Rule:
    rule, problems = read_rule(text.encode(), file=FILE, labels=LABELS, foreign=False)
    assert problems == ()
    assert rule is not None
    return rule


@pytest.mark.parametrize("text", [SOUND, RICH], ids=["sound", "rich"])
def test_rules_survive_json_unchanged_with_all_gates(text):
    rule = rule_of(text)
    ruleset = undump(dump([rule], key="k"), key="k")
    (entry,) = ruleset.entries
    assert entry.code == "TL101"
    words = frozenset(word for gate in find_gates(rule.when) for literal in gate.literals for word in literal[1])
    assert gates_of(ruleset, words) == gates_of(RuleSet(entries_of([rule])), words)
    assert entry.gates == find_gates(rule.when)
    assert entry.rule == rule
    assert repr(entry.rule) == repr(rule)
    for gate in find_gates(rule.when):
        assert all(text for text, _words, _part in gate.literals)


def gates_of(ruleset: RuleSet, words: frozenset[str]) -> list[object]:
    """Return the gates that open in a log of some words."""
    return [
        (group.kind, group.field, group.ignore_case, sorted(literals))
        for group in ruleset.gates
        if (literals := [repr([*map(listed, each)]) for each in group.likely(words) if words.issuperset(each[1])])
    ]


def listed(part: object) -> object:
    return list(part) if isinstance(part, tuple) else part


@pytest.mark.parametrize(
    "words", ["", "no working compiler", "Command failed with exit code", "found is not InvalidCxx"]
)
def test_stored_gates_are_filed_under_words_that_a_log_must_hold(words):
    rules = our_rules().rules
    stored, read = undump(dump(rules, key=""), key=""), RuleSet(entries_of(rules))
    known = frozenset(words.split())
    assert gates_of(stored, known) == gates_of(read, known)
    everything = frozenset(word for group in read.gates for literal in group.likely(known) for word in literal[1])
    assert gates_of(stored, everything) == gates_of(read, everything)


def test_pattern_gates_survive_json():
    rule = rule_of(SOUND)
    (entry,) = undump(dump([rule], key=""), key="").entries
    for before, after in zip(leaves(rule.when), leaves(entry.rule.when), strict=True):
        assert [
            [(text, tuple(words), part) for text, words, part in pattern.literals] for _, pattern in after.patterns
        ] == [[*pattern.literals] for _, pattern in before.patterns]
        assert [pattern.newlines for _, pattern in after.patterns] == [
            pattern.newlines for _, pattern in before.patterns
        ]


def leaves(condition: Condition) -> list[Leaf]:
    assert isinstance(condition, AnyOf)
    return [member for member in condition.conditions if isinstance(member, Leaf)]


@pytest.mark.parametrize(
    "damaged",
    [
        lambda _: b"",
        lambda _: b"[]",
        lambda _: b"null\n[]\n",
        lambda _: b'{"format": 0}\n[]\n',
        lambda _: b"[" * 100_000,
        lambda whole: whole.replace(b'"format":', b'"farmot":'),
        lambda whole: whole.partition(b"\n")[0],
        lambda whole: whole[:-1],
        lambda whole: whole + b"\n",
    ],
)
def test_what_is_not_ours_or_not_whole_is_stale(damaged):
    with pytest.raises(StaleError):
        undump(damaged(dump([rule_of(SOUND)], key="k")), key="k")


def test_another_key_is_stale():
    with pytest.raises(StaleError):
        undump(dump([], key="a"), key="b")


def test_a_ruleset_is_in_order_of_codes():
    rule = rule_of(SOUND)
    later, sooner = Entry(code="TL202", gates=(), rule=rule), Entry(code="TL101", gates=(), rule=rule)
    ruleset = RuleSet([later, sooner])
    assert [entry.code for entry in ruleset.entries] == ["TL101", "TL202"]
    assert ruleset.rules == (rule, rule)
    assert entries_of([rule])[0].rule is rule


def test_the_fingerprint_changes_with_names_sizes_and_times(tmp_path: Path):
    def written(name: str, text: str, time: int) -> str:
        file = tmp_path / name
        file.write_text(text)
        os.utime(file, ns=(1, time))
        made = fingerprint([(str(tmp_path), ".yml")])
        file.unlink()
        return made

    files = [("a.yml", "x", 1), ("b.yml", "x", 1), ("a.yml", "x", 2), ("a.yml", "xy", 1), ("a.txt", "x", 1)]
    seen = [written(*file) for file in files]
    assert len(set(seen)) == 5
    assert seen == [written(*file) for file in files]


def test_there_is_no_fingerprint_of_a_folder_that_is_not_there(tmp_path: Path):
    with pytest.raises(FileNotFoundError):
        fingerprint([(str(tmp_path / "none"), "")])


def test_a_bundle_holds_the_rules_of_a_folder(tmp_path: Path):
    rules = tmp_path / "rules"
    rules.mkdir()
    (rules / "TL101-cxx-missing.yml").write_text(SOUND)
    taxonomy = tmp_path / "taxonomy.yml"
    taxonomy.write_text("toolchain:\n  cxx-missing: no compiler\n")
    target = tmp_path / "out.json"
    write_bundle(rules=rules, taxonomy=taxonomy, target=target)
    (entry,) = undump(target.read_bytes(), key="").entries
    assert entry.rule == rule_of(SOUND)


def test_a_bad_rule_never_gets_into_a_bundle(tmp_path: Path):
    (tmp_path / "TL101-cxx-missing.yml").write_text(changed("severity: fatal", "severity: deadly"))
    taxonomy = tmp_path / "taxonomy.txt"
    taxonomy.write_text("toolchain:\n  cxx-missing: no compiler\n")
    with pytest.raises(RuleFileError, match="severity"):
        write_bundle(rules=tmp_path, taxonomy=taxonomy, target=tmp_path / "out.json")
    assert not (tmp_path / "out.json").exists()
