from __future__ import annotations

import pytest

from tests.ruleset.rule_text import FILE, LABELS, SOUND, changed
from tracelens.errors import RuleProblem
from tracelens.findings import Confidence, FixKind, Risk, Role, Severity, Stage
from tracelens.ruleset.model import Carrier, Examples, Rule
from tracelens.ruleset.read_rule import read_rule


def read(text: str, *, file: str = FILE, foreign: bool = False) -> Rule:
    rule, problems = read_rule(text.encode(), file=file, labels=LABELS, foreign=foreign)
    assert problems == ()
    assert rule is not None
    return rule


def problems_of(text: str, *, file: str = FILE) -> tuple[RuleProblem, ...]:
    rule, problems = read_rule(text.encode(), file=file, labels=LABELS, foreign=False)
    assert rule is None
    assert problems
    return problems


def test_a_sound_rule_is_read_whole():
    rule = read(SOUND)
    assert (rule.code, rule.name, rule.label) == ("TL101", "cxx-missing", "toolchain/cxx-missing")
    assert (rule.severity, rule.confidence, rule.stage) == (Severity.FATAL, Confidence.CERTAIN, Stage.CPP)
    assert (rule.role, rule.weight, rule.carrier) == (Role.CAUSE, 0, Carrier.LOWER)
    assert rule.unless == ()
    assert rule.handles is None
    (fix,) = rule.fixes
    assert (fix.kind, fix.risk, fix.needs_root, fix.proven) == (FixKind.SHELL, Risk.SAFE, True, "lab/2.13.0/fix-cxx")
    assert fix.commands == (
        ("any", ("export CXX={compiler|c++}",)),
        ("debian", ("sudo apt-get install -y g++",)),
    )
    assert rule.not_helpful[0].advice == "clearing the cache"
    assert rule.matches == ("lab/2.13.0/no-gxx",)


def test_every_optional_field_is_read():
    text = changed(
        "when:",
        "aliases: [no-gxx]\nrole: fallback\nweight: -5\ncarrier: keep\nversions: {torch: '>=2.6,<2.9'}\n"
        "unless:\n  - said: hello there\n    within: 3\nwhen:",
    )
    rule = read(text)
    assert (rule.aliases, rule.role, rule.weight, rule.carrier) == (("no-gxx",), Role.FALLBACK, -5, Carrier.KEEP)
    assert rule.versions == (("torch", ">=2.6,<2.9"),)
    assert len(rule.unless) == 1


def test_a_harmless_rule_may_handle_its_neighbourhood():
    text = changed("label: toolchain/cxx-missing", "label: none/clean").replace("TL101", "TL001")
    text = text.replace("severity: fatal", "severity: handled")
    rule = read(text + "handles: {as: degraded, before: 60, after: 5, quiet: true}\n", file="TL001-cxx-missing.yml")
    assert rule.handles is not None
    assert (rule.handles.severity, rule.handles.before, rule.handles.after) == (Severity.DEGRADED, 60, 5)
    assert rule.handles.quiet


def test_what_is_harmless_cannot_be_severe():
    text = changed("label: toolchain/cxx-missing", "label: none/clean").replace("TL101", "TL001")
    (found,) = problems_of(text, file="TL001-cxx-missing.yml")
    assert (found.where, found.problem) == ("severity", "what is none/clean is handled: it never ends a run")


def test_stage_may_be_null_or_missing():
    assert read(changed("stage: cpp", "stage: null")).stage is None
    assert read(changed("stage: cpp\n", "")).stage is None


ONE_PROBLEM = [
    ("code: TL101", "code: 101", 1, "code", "expected a text, got a number ('101'); quote it"),
    ("code: TL101", "code: T-1", 1, "code", "capitals and three digits"),
    ("code: TL101", "code: TL201", 1, "code", "starts with TL1"),
    ("name: cxx-missing", "name: Cxx", 2, "name", "small letters"),
    ("name: cxx-missing", "name: yes", 2, "name", "got true or false ('yes'); quote it"),
    ("label: toolchain/cxx-missing", "label: toolchain/cxx-mising", 3, "label", "did you mean toolchain/cxx-missing?"),
    ("title: No C++ compiler", "title: ''", 4, "title", "is empty"),
    ("title: No C++ compiler", "title: No {thing}", 4, "title", "nothing captures {thing}; allowed: compiler,"),
    ("title: No C++ compiler", "title: [a]", 4, "title", "expected a text, got a list"),
    ("severity: fatal", "severity: deadly", 6, "severity", "allowed: fatal, degraded, handled"),
    ("stage: cpp", "stage: c", 8, "stage", "allowed: dynamo, aot_autograd"),
    ("stage: cpp", "stages: cpp", 8, "stages", "unknown key; did you mean stage?"),
    ("stage: cpp", "stage: cpp\nweight: heavy", 9, "weight", "expected a whole number"),
    ("stage: cpp", "stage: cpp\nweight: '5'", 9, "weight", "expected a whole number, got a text ('5')"),
    ("stage: cpp", "stage: cpp\nweight: 5000", 9, "weight", "between -1000 and 1000"),
    ("stage: cpp", "stage: cpp\nseverity: fatal", 9, "severity", "stands here twice, first on line 6"),
    ("stage: cpp", "stage: cpp\nversions: {torch: '2.6'}", 9, "versions.torch", "no range"),
    ("stage: cpp", "stage: cpp\nversions: {numpy: '>=2'}", 9, "versions.numpy", "allowed: torch, triton, cuda, python"),
    ("stage: cpp", "stage: cpp\nhandles: {as: handled}", 9, "handles", "for rules with the label none/clean"),
    ("stage: cpp", "stage: cpp\naliases: no-gxx", 9, "aliases", "expected a list, got a text"),
    ("  - id: install-gxx", "  - id: Install", 15, "fixes[0].id", "small letters"),
    ("title: Install one", "title: {a: b}", 16, "fixes[0].title", "got keys and values"),
    ("title: Install one", "title: Install {it}", 16, "fixes[0].title", "nothing captures {it}"),
    ("    kind: shell", "    kind: bash", 17, "fixes[0].kind", "allowed: shell, env, code, config"),
    ("needs_root: true", "needs_root: 'true'", 19, "fixes[0].needs_root", "expected true or false, got a text"),
    (
        "needs_root: true",
        "needs_root: yes",
        19,
        "fixes[0].needs_root",
        "expected true or false, got true or false ('yes')",
    ),
    ("debian: sudo", "ubuntu: sudo", 21, "fixes[0].commands.ubuntu", "allowed: any, debian"),
    ("install -y g++", "install -y {package}", 21, "fixes[0].commands.debian", "nothing captures {package}"),
    ("    proven: lab/2.13.0/fix-cxx\n", "", 15, "fixes[0]", "give either proven"),
    ("proven: lab/2.13.0/fix-cxx", "proven: yesterday", 23, "fixes[0].proven", "is not a case"),
    ("    why: nothing was built yet.\n", "", 25, "not_helpful[0].why", "missing"),
    ("references: [https:", "references: [ftp:", 27, "references[0]", "is not a plain URL"),
    ("matches: [lab/2.13.0/no-gxx]", "matches: [a/b, a/b]", 28, "matches[1]", "stands here twice"),
    ("rejects: [lab/2.13.0/mlp]", "rejects: [mlp]", 29, "rejects[0]", "is not a case"),
]


@pytest.mark.parametrize(("old", "new", "line", "where", "problem"), ONE_PROBLEM)
def test_each_problem_is_named_once_with_its_line_and_path(old, new, line, where, problem):
    (found,) = problems_of(changed(old, new))
    assert (found.file, found.line, found.where) == (FILE, line, where)
    assert problem in found.problem
    assert str(found) == f"{FILE}:{line}: {where}: {found.problem}"


@pytest.mark.parametrize(
    "key", ["code", "name", "label", "title", "summary", "severity", "confidence", "when", "explanation"]
)
def test_a_missing_key_is_named(key):
    lines = SOUND.split("\n")
    start = next(number for number, line in enumerate(lines) if line.startswith(f"{key}:"))
    end = next(number for number in range(start + 1, len(lines)) if not lines[number].startswith(" "))
    found = problems_of("\n".join([*lines[:start], *lines[end:]]))
    assert any((problem.where, problem.problem) == (key, "missing") for problem in found)


def test_all_problems_of_a_file_come_at_once():
    text = changed("severity: fatal", "severity: deadly").replace("kind: shell", "kind: bash")
    assert [problem.where for problem in problems_of(text.replace("title: No", "titel: No"))] == [
        "titel",
        "title",
        "severity",
        "fixes[0].kind",
    ]


def test_a_file_is_called_after_its_rule():
    (found,) = problems_of(SOUND, file="rules/TL101-gxx.yml")
    assert found.problem == "must be called TL101-cxx-missing.yml"


@pytest.mark.parametrize("text", ["just a text", "- a list", "a: [b", "null"])
def test_what_is_no_mapping_is_one_problem_or_more_and_never_a_crash(text):
    assert problems_of(text)


def test_two_fixes_of_one_name_are_refused():
    start, end = SOUND.index("  - id: install-gxx"), SOUND.index("not_helpful:")
    (found,) = problems_of(SOUND[:end] + SOUND[start:end] + SOUND[end:])
    assert (found.where, found.problem) == ("fixes[1].id", "'install-gxx' stands here twice")


def test_a_fix_without_commands_is_no_fix():
    start, end = SOUND.index("    commands:"), SOUND.index("    proven:")
    (found,) = problems_of(f"{SOUND[:start]}    commands: {{}}\n{SOUND[end:]}")
    assert found.where == "fixes[0].commands"
    assert "names no platform" in found.problem


def test_commands_may_be_a_list_or_lines_of_one_text():
    text = changed(
        "any: export CXX={compiler|c++}", "any: [first, second]\n      fedora: |\n        third\n        fourth"
    )
    commands = dict(read(text).fixes[0].commands)
    assert commands["any"] == ("first", "second")
    assert commands["fedora"] == ("third", "fourth")


def test_foreign_rules_may_have_codes_of_their_own():
    text = SOUND.replace("TL101", "ACME0001")
    rule = read(text, file="ACME0001-cxx-missing.yml", foreign=True)
    assert rule.foreign
    assert rule.code == "ACME0001"


EXAMPLES = "examples:\n  positive: ['error: a', 'error: b']\n  negative:\n    - |-\n      two\n      lines\n"


def test_examples_are_read_as_they_stand():
    assert read(SOUND + EXAMPLES).examples == Examples(positive=("error: a", "error: b"), negative=("two\nlines",))
    assert read(SOUND).examples == Examples()


@pytest.mark.parametrize(
    ("old", "new", "where", "problem"),
    [
        ("'error: b'", "'error: a'", "examples.positive[1]", "stands here twice"),
        ("'error: b'", "12", "examples.positive[1]", "expected a text"),
        ("'error: b'", f"'{'x' * 2001}'", "examples.positive[1]", "longer than 2000 characters"),
        ("negative", "negatives", "examples.negatives", "did you mean negative?"),
        ("['error: a', 'error: b']", "'error: a'", "examples.positive", "expected a list"),
    ],
)
def test_examples_that_cannot_be_meant_are_refused(old, new, where, problem):
    (found,) = problems_of(SOUND + EXAMPLES.replace(old, new))
    assert found.where == where
    assert problem in found.problem
