from __future__ import annotations

from pathlib import Path

import pytest

from tests.ruleset.rule_text import LABELS, SOUND, changed
from tracelens.errors import InputError, RuleFileError
from tracelens.ruleset import load
from tracelens.ruleset.load import bundled_folder, bundled_taxonomy, load_folders, load_labels, rule_files


def write(folder: Path, text: str, code: str = "TL101", name: str = "cxx-missing") -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / f"{code}-{name}.yml"
    path.write_text(text.replace("TL101", code).replace("name: cxx-missing", f"name: {name}"))
    return path


def test_rules_come_in_order_of_codes_whatever_the_folder(tmp_path):
    write(tmp_path / "b", SOUND, "TL101", "one")
    write(tmp_path / "a", SOUND, "TL103", "three")
    write(tmp_path / "a", SOUND, "TL102", "two")
    rules = load_folders([tmp_path / "a", tmp_path / "b"], labels=LABELS, foreign=False)
    assert [rule.code for rule in rules] == ["TL101", "TL102", "TL103"]


def test_every_problem_of_every_file_is_reported_at_once(tmp_path):
    first = write(tmp_path, changed("severity: fatal", "severity: deadly").replace("kind: shell", "kind: bash"))
    second = write(tmp_path, changed("stage: cpp", "stage: c"), "TL102", "other")
    third = tmp_path / "TL103-broken.yml"
    third.write_text("a: [b")
    with pytest.raises(RuleFileError) as raised:
        load_folders([tmp_path], labels=LABELS, foreign=False)
    assert [(problem.file, problem.where) for problem in raised.value.problems] == [
        (str(first), "severity"),
        (str(first), "fixes[0].kind"),
        (str(second), "stage"),
        (str(third), "file"),
    ]
    assert str(raised.value).count("\n") == 3


def test_codes_names_and_aliases_are_taken_once(tmp_path):
    write(tmp_path / "a", SOUND)
    write(tmp_path / "b", SOUND, "TL101", "other")
    write(tmp_path / "c", changed("stage: cpp", "aliases: [other]\nstage: cpp"), "TL102", "third")
    with pytest.raises(RuleFileError) as raised:
        load_folders([tmp_path / "a", tmp_path / "b", tmp_path / "c"], labels=LABELS, foreign=False)
    assert [problem.problem for problem in raised.value.problems] == [
        "TL101 is taken by TL101-cxx-missing.yml",
        "other is taken by TL101-other.yml",
    ]


def test_a_foreign_rule_cannot_take_a_code_of_ours(tmp_path):
    write(tmp_path, SOUND)
    ours = load_folders([tmp_path], labels=LABELS, foreign=False)
    with pytest.raises(RuleFileError, match="TL101 is taken by TL101-cxx-missing"):
        load_folders([tmp_path], labels=LABELS, foreign=True, taken=ours)


def test_only_yaml_files_are_rules(tmp_path):
    write(tmp_path, SOUND)
    (tmp_path / "README.md").write_text("# no rule")
    (tmp_path / "folder.yml").mkdir()
    assert len(rule_files(tmp_path)) == 1


def test_a_folder_of_thousands_is_a_mistake(tmp_path, monkeypatch):
    monkeypatch.setattr(load, "MAX_FILES", 1)
    write(tmp_path, SOUND)
    write(tmp_path, SOUND, "TL102", "two")
    with pytest.raises(InputError, match="more than 1 rule files"):
        rule_files(tmp_path)


def test_a_folder_that_is_none_is_an_input_error(tmp_path):
    with pytest.raises(InputError, match="cannot read rules: No such file"):
        load_folders([tmp_path / "missing"], labels=LABELS, foreign=False)
    with pytest.raises(InputError, match="cannot be read"):
        load_labels(tmp_path / "missing.yml")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("toolchain: {a: b, a: c}", "stands here twice"),
        ("toolchains: {a: b}", "unknown key; did you mean toolchain?"),
        ("toolchain: {a: 1}", "expected a text"),
        ("toolchain: [a]", "expected keys and values"),
        ("toolchain: a: b", "not YAML"),
    ],
)
def test_a_bad_taxonomy_is_refused(tmp_path, text, problem):
    taxonomy = tmp_path / "taxonomy.yml"
    taxonomy.write_text(text)
    with pytest.raises(RuleFileError) as raised:
        load_labels(taxonomy)
    assert problem in str(raised.value)


def test_our_own_labels_and_rules_are_sound():
    labels = load_labels(bundled_taxonomy())
    assert "toolchain/cxx-missing" in labels
    assert labels[-1] == "none/clean"
    rules = load_folders([bundled_folder()], labels=labels, foreign=False)
    assert rules
