"""Lint finds everything at once, and says where."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import CORPUS, REPOSITORY, run_tracelens
from tests.corpus_cases import our_rules
from tests.ruleset.rule_text import LABELS, SOUND, changed
from tracelens.authoring.lint import Gravity, Remark, lint_folders, lint_labels
from tracelens.ruleset.load import bundled_taxonomy, load_labels

EXAMPLES = "examples:\n  positive: ['InvalidCxxCompiler: none']\n"
TYPE = "    - exception: {type: 'InvalidCxxCompiler$'}\n"


def lint(folder: Path, *texts: str, corpus: Path | None = None) -> list[Remark]:
    for number, text in enumerate(texts):
        code = f"TL10{number + 1}"
        body = text.replace("TL101", code).replace("name: cxx-missing", f"name: n{number + 1}")
        (folder / f"{code}-n{number + 1}.yml").write_text(body)
    return list(lint_folders([folder], labels=LABELS, corpus=corpus)[1])


def said(remarks: list[Remark]) -> list[str]:
    return [f"{remark.gravity.value} {remark.problem.where}: {remark.problem.problem}" for remark in remarks]


def test_a_good_rule_has_no_remarks(tmp_path):
    assert lint(tmp_path, SOUND + EXAMPLES) == []


def test_our_own_rules_have_no_errors():
    count, remarks = lint_folders([REPOSITORY / "rules"], labels=load_labels(bundled_taxonomy()), corpus=CORPUS)
    assert count > 200
    assert [remark.problem for remark in remarks if remark.gravity is Gravity.ERROR] == []


@pytest.mark.parametrize(
    ("old", "new", "where", "problem"),
    [
        (TYPE, f"{TYPE}    - said: 'compiler^found'\n", "when.any[1].said", "can match nothing"),
        (TYPE, f"{TYPE}    - said: {{pattern: 'compiler$ x', in: [text]}}\n", "when.any[1].said.pattern", "nothing"),
        ("stage: cpp", "versions: {torch: '>=2.9,<2.6'}\nstage: cpp", "versions.torch", "no version lies in"),
        ("none']", "none', 'all is well']", "examples.positive[1]", "is not matched by this rule"),
        ("['Inv", "['x']\n  negative: ['Inv", "examples.positive[0]", "is not matched"),
    ],
)
def test_an_error_stands_at_its_line(old, new, where, problem, tmp_path):
    text = SOUND + EXAMPLES
    assert old in text
    text = text.replace(old, new)
    remark = next(remark for remark in lint(tmp_path, text) if remark.problem.where == where)
    assert remark.gravity is Gravity.ERROR
    assert problem in remark.problem.problem
    number = where.partition("[")[2][:1]
    assert text.splitlines()[remark.problem.line - 1].strip()
    assert number == "" or remark.problem.line > 1


def test_a_negative_example_that_matches_is_an_error(tmp_path):
    remarks = lint(tmp_path, SOUND + EXAMPLES + "  negative: ['InvalidCxxCompiler: again']\n")
    assert said(remarks) == ["error examples.negative[0]: the example is matched by this rule"]


def test_cases_that_are_not_there_are_errors(tmp_path):
    (tmp_path / "corpus/lab/2.13.0/mlp").mkdir(parents=True)
    (tmp_path / "rules").mkdir()
    remarks = lint(tmp_path / "rules", SOUND + EXAMPLES, corpus=tmp_path / "corpus")
    assert said(remarks) == [
        "error fixes[0].proven: there is no case lab/2.13.0/fix-cxx in corpus",
        "error matches[0]: there is no case lab/2.13.0/no-gxx in corpus",
    ]


@pytest.mark.parametrize(
    ("missing", "where"),
    [
        ("references: [https://docs.pytorch.org/docs/stable/index.html]\n", "references"),
        ("matches: [lab/2.13.0/no-gxx]\n", "matches"),
        ("rejects: [lab/2.13.0/mlp]\n", "rejects"),
    ],
)
def test_what_is_missing_is_a_warning(missing, where, tmp_path):
    remarks = lint(tmp_path, changed(missing, "") + EXAMPLES)
    assert [(remark.gravity, remark.problem.where) for remark in remarks] == [(Gravity.WARNING, where)]


def test_no_example_is_a_warning(tmp_path):
    assert [remark.problem.where for remark in lint(tmp_path, SOUND)] == ["examples"]


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("said: 'gadget found'", "said: 'No gadget found here'"),
        ("said: 'gadget found'", "said: {pattern: 'gadget found', in: [text]}"),
        ("exception: {}", "exception: {type: 'KeyError$'}"),
        ("exception: {owner: [user, torch]}", "exception: {owner: [user], message: 'x y'}"),
        ("said: 'gadget found'", "all: [{said: 'gadget found'}, {exit: {}}]"),
    ],
)
def test_a_member_that_never_leads_is_found(earlier, later, tmp_path):
    text = SOUND.replace(TYPE, f"{TYPE}    - {earlier}\n    - {later}\n") + EXAMPLES
    remarks = [remark for remark in lint(tmp_path, text) if "never leads" in remark.problem.problem]
    assert [remark.problem.where for remark in remarks] == ["when.any[2]"]
    assert "when.any[1] holds wherever it does" in remarks[0].problem.problem


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("said: 'No gadget found here'", "said: 'gadget found'"),
        ("said: {pattern: 'gadget found', in: [text]}", "said: 'gadget found'"),
        ("{said: 'gadget found', count: 3}", "said: 'gadget found'"),
        ("exception: {owner: [user]}", "exception: {owner: [user, torch]}"),
        ("said: 'gadget found'", "said: '(?i)gadget found'"),
    ],
)
def test_a_member_that_may_lead_is_left_alone(earlier, later, tmp_path):
    text = SOUND.replace(TYPE, f"{TYPE}    - {earlier}\n    - {later}\n") + EXAMPLES
    assert [remark for remark in lint(tmp_path, text) if "never leads" in remark.problem.problem] == []


def test_two_rules_that_only_their_codes_tell_apart_are_found(tmp_path):
    other = changed("label: toolchain/cxx-missing", "label: outside/other").replace("TL101", "TL902")
    (tmp_path / "TL902-twin.yml").write_text(other.replace("name: cxx-missing", "name: twin") + EXAMPLES)
    remarks = said(lint(tmp_path, SOUND + EXAMPLES))
    assert remarks == [
        "warning examples.positive[0]: TL902 claims it too, and only the order of the codes decides",
        "warning examples.positive: TL101 answers for every example: this rule is shadowed",
    ]


def test_every_problem_of_every_file_is_told_at_once(tmp_path):
    (tmp_path / "TL109-broken.yml").write_text("a: [b")
    remarks = lint(tmp_path, SOUND, changed("severity: fatal", "severity: deadly").replace("kind: shell", "kind: bash"))
    files = [(Path(remark.problem.file).name, remark.problem.where) for remark in remarks]
    assert files == [
        ("TL101-n1.yml", "examples"),
        ("TL102-n2.yml", "severity"),
        ("TL102-n2.yml", "fixes[0].kind"),
        ("TL109-broken.yml", "file"),
    ]


def test_a_label_that_no_rule_answers_is_told_by_its_line(tmp_path):
    taxonomy = tmp_path / "taxonomy.yml"
    taxonomy.write_text("cache:\n  permission: one\n  imaginary: another\n")
    (remark,) = lint_labels(taxonomy, our_rules())
    assert (remark.gravity, remark.problem.line) == (Gravity.WARNING, 3)
    assert remark.problem.where == "cache.imaginary"


def test_one_rule_file_can_be_looked_at_by_itself() -> None:
    """A file of our own is not held to be a second one of the same code."""
    file = next((REPOSITORY / "rules").glob("TL101-*.yml"))
    ended = run_tracelens("rules", "lint", file)
    assert (ended.code, ended.output) == (0, b"rules: 1, errors: 0, warnings: 0\n")
