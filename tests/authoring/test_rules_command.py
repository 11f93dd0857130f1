"""``tracelens rules``, run as a user runs it, also on files that mean harm."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
import yaml

from tests.command import CORPUS, REPOSITORY, run_tracelens
from tests.ruleset.rule_text import SOUND

FOREIGN = SOUND.replace("TL101", "AC101").replace("name: cxx-missing", "name: cxx-missing-ac")
ODD = b'Traceback (most recent call last):\n  File "/opt/acme/a.py", line 3, in f\nacme.WidgetError: widget 17 is odd\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rules = tmp_path / "rules"
    rules.mkdir()
    (rules / "AC101-cxx-missing-ac.yml").write_text(FOREIGN)
    return rules


def test_list_gives_one_line_for_each_rule_and_json_for_programs(folder):
    run = run_tracelens("rules", "list", "--rules", folder)
    lines = run.output.decode().splitlines()
    assert len(lines) == len(list((REPOSITORY / "rules").glob("*.yml"))) + 1
    assert all(len(line) <= 80 for line in lines)
    data = json.loads(run_tracelens("rules", "list", "--cause", "cache", "--json").output)
    assert {rule["cause"] for rule in data["rules"]} == {"cache"}
    narrowed = json.loads(run_tracelens("rules", "list", "--label", "cache/permission", "--json").output)
    assert {rule["label"] for rule in narrowed["rules"]} == {"cache/permission"}


@pytest.mark.parametrize("option", [("--cause", "caches"), ("--label", "cache/none")])
def test_list_refuses_what_is_no_cause_or_label(option):
    assert run_tracelens("rules", "list", *option).code == 2


def test_show_prints_yaml_that_is_the_rule(folder):
    shown = yaml.safe_load(run_tracelens("rules", "show", "TL204").output)
    assert shown["code"] == "TL204"
    assert shown["examples"]["positive"]
    data = json.loads(run_tracelens("rules", "show", "AC101", "--json", "--rules", folder).output)
    assert data["name"] == "cxx-missing-ac"
    assert run_tracelens("rules", "show", "TL000").code == 2


def test_schema_is_json():
    assert json.loads(run_tracelens("rules", "schema").output)["$schema"].endswith("2020-12/schema")


def test_lint_of_our_own_rules_finds_no_error():
    run = run_tracelens("rules", "lint")
    assert run.code in (0, 1), run.output


def test_lint_prints_as_compilers_do_and_exits_by_gravity(folder):
    warned = run_tracelens("rules", "lint", folder)
    path = folder / "AC101-cxx-missing-ac.yml"
    assert warned.code == 1
    assert f"{path}:1: warning: examples: " in warned.output.decode()
    path.write_text(FOREIGN.replace("severity: fatal", "severity: deadly"))
    failed = run_tracelens("rules", "lint", folder)
    assert failed.code == 2
    assert f"{path}:6: error: severity: " in failed.output.decode()
    (remark,) = json.loads(run_tracelens("rules", "lint", folder, "--json").output)["remarks"]
    assert (remark["gravity"], remark["line"], remark["where"]) == ("error", 6, "severity")


def test_test_tries_examples_and_cases(folder):
    tried = run_tracelens("rules", "test", "TL204", "--json")
    assert tried.code == 0
    kinds = {trial["where"].partition("[")[0] for trial in json.loads(tried.output)["trials"]}
    assert kinds == {"examples.positive", "examples.negative", "matches", "rejects"}
    path = folder / "AC101-cxx-missing-ac.yml"
    path.write_text(FOREIGN + "examples: {positive: ['odd'], negative: ['InvalidCxxCompiler: x']}\n")
    failed = run_tracelens("rules", "test", "AC101", "--rules", folder, "--corpus", CORPUS)
    assert failed.code == 1
    assert "AC101: examples.positive[0]: does not match, and should: odd" in failed.output.decode()
    assert "AC101: examples.negative[0]: matches, and should not" in failed.output.decode()
    assert "AC101: matches[0]: there is no such case: lab/2.13.0/no-gxx" in failed.output.decode()


def test_coverage_names_what_no_rule_looks_at(tmp_path):
    log = tmp_path / "a.log"
    log.write_bytes(b"[2025-01-01 00:00:00,000] acme.widget: [ERROR] widget \x1b[2J is odd\n")
    run = run_tracelens("rules", "coverage", log)
    assert run.code == 1
    assert "  1: record: " in run.output.decode()
    assert b"\x1b" not in run.output
    (one,) = json.loads(run_tracelens("rules", "coverage", log, "--json").output)["logs"]
    assert one["unseen"][0]["line"] == 1


def test_new_writes_a_draft_that_answers(tmp_path):
    log = tmp_path / "odd.log"
    log.write_bytes(ODD)
    rules = tmp_path / "drafts"
    rules.mkdir()
    assert run_tracelens("rules", "new", "--from", log, "-o", rules).code == 0
    (written,) = rules.iterdir()
    assert run_tracelens("rules", "lint", rules).code == 1
    answer = json.loads(run_tracelens("analyze", log, "--rules", rules, "--format", "json").output)
    assert answer["findings"][0]["code"] == "DRAFT001"
    again = run_tracelens("rules", "new", "--from", log, "-o", rules)
    assert (again.code, "is there already" in again.errors) == (2, True)
    assert run_tracelens("rules", "new", "--from", "-", stdin=ODD).output == written.read_bytes().replace(
        str(log).encode(), b"<stdin>"
    )


@pytest.mark.parametrize("code", ["TL101", "tl1", "X\x1b[2J"])
def test_new_refuses_a_code_that_cannot_be(code):
    run = run_tracelens("rules", "new", "--from", "-", "--code", code, stdin=ODD)
    assert run.code == 2
    assert "\x1b" not in run.errors


BOMB = b"a: &a [x,x,x,x,x,x,x,x,x]\n" + b"".join(
    b"%c: &%c [%s]\n" % (98 + n, 98 + n, b",".join([b"*%c" % (97 + n)] * 9)) for n in range(9)
)
HOSTILE = {
    "bomb": BOMB,
    "alias": FOREIGN.encode() + b"x: &x 1\ny: *x\n",
    "huge": b"code: " + b"x" * 5_000_000,
    "deep": b"[" * 60_000,
    "wide": b"a: [" + b"1," * 30_000 + b"]\n",
    "binary": bytes(range(256)) * 64,
    "tag": b"!!python/object/apply:os.system ['touch ran']\n",
    "merge": b"<<: {a: 1}\n",
    "documents": b"--- a\n--- b\n",
    "empty": b"",
    "escape": b'code: "\\e[2J##[error]\\u202e"\n',
}


@pytest.mark.parametrize(
    ("name", "command"),
    [*((name, ("lint",)) for name in HOSTILE), *((name, ("list", "--rules")) for name in ("bomb", "huge", "escape"))],
)
def test_a_hostile_file_is_refused_with_its_name_and_nothing_happens(name, command, tmp_path):
    (tmp_path / "AC101-x.yml").write_bytes(HOSTILE[name])
    run = run_tracelens("rules", *command, tmp_path)
    assert run.code == 2
    said = run.output.decode() + run.errors
    assert "AC101-x.yml:" in said
    assert "Traceback" not in said
    assert "\x1b" not in said
    assert "##[" not in said
    assert run.cpu_seconds < 5
    assert len(said) < 10_000


def test_what_is_no_file_is_passed_over_and_no_folder_is_refused(tmp_path):
    os.mkfifo(tmp_path / "AC101-x.yml")
    (tmp_path / "AC102-y.yml").symlink_to("/dev/zero")
    assert run_tracelens("rules", "lint", tmp_path).code == 0
    assert run_tracelens("rules", "lint", tmp_path / "none").code == 2
