from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.ruleset.rule_text import SOUND, changed
from tracelens.errors import InputError, RuleFileError
from tracelens.ruleset import bundled
from tracelens.ruleset.bundled import load_ruleset
from tracelens.ruleset.dump import write_bundle
from tracelens.ruleset.linear import find_problems
from tracelens.ruleset.load import bundled_folder, bundled_taxonomy
from tracelens.ruleset.model import AllOf, AnyOf, Condition, Leaf, Not
from tracelens.ruleset.patterns import Pattern, compile_linear

LONG_LINES = [
    "/" + "a" * 20_000,
    "a " * 10_000,
    "(" * 20_000,
    "'" * 20_000,
    "x=1, " * 4_000,
    "error: " * 3_000,
    "0" * 20_000,
    " " * 20_000 + "x",
    "::" * 10_000,
]


def patterns_of(condition: Condition) -> list[Pattern]:
    if isinstance(condition, Leaf):
        return [pattern for _, pattern in condition.patterns]
    members = (condition.condition,) if isinstance(condition, Not) else condition.conditions
    return [pattern for member in members for pattern in patterns_of(member)]


def all_patterns() -> list[Pattern]:
    conditions = [condition for rule in load_ruleset().rules for condition in (rule.when, *rule.unless)]
    return list({pattern: None for condition in conditions for pattern in patterns_of(condition)})


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "tracelens"


def test_each_bundled_pattern_compiles_in_re2():
    patterns = all_patterns()
    assert patterns
    for pattern in patterns:
        compile_linear(pattern.source)
        assert find_problems(pattern.source) == []


def test_no_bundled_pattern_is_slow_on_long_lines():
    slow = []
    for pattern in all_patterns():
        started = time.process_time()
        for line in LONG_LINES:
            pattern.search(line[:2000])
        if time.process_time() - started > 1:
            slow.append(pattern.source)
    assert slow == []


def test_rules_are_read_from_the_cache_and_are_the_same(cache):
    fresh = load_ruleset().rules
    (path,) = cache.glob("rules-*.json")
    before = path.stat().st_mtime_ns
    assert load_ruleset().rules == fresh
    assert path.stat().st_mtime_ns == before


def test_a_broken_cache_is_made_anew(cache):
    fresh = load_ruleset().rules
    (path,) = cache.glob("rules-*.json")
    path.write_text("{")
    assert load_ruleset().rules == fresh
    assert len(path.read_text()) > len("{")


@pytest.mark.usefixtures("cache")
def test_a_start_from_the_cache_imports_no_yaml():
    load_ruleset()
    code = (
        "import sys; from tracelens.ruleset.bundled import load_ruleset; load_ruleset();"
        "print(sorted({'yaml', 're2', 'hashlib', 'tempfile'} & set(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


@pytest.mark.usefixtures("cache")
def test_a_file_of_rules_that_is_open_to_the_end_of_python_is_closed_in_silence():
    code = (
        "import sys, tracelens.ruleset.bundled as bundled, tracelens.ruleset.compiled as compiled\n"
        "kept = bundled.kept = compiled.kept = sys.kept = bundled.load_ruleset()\n"
        "kept.entries[0].rule"
    )
    for _ in range(2):  # the first may make the file
        run = subprocess.run([sys.executable, "-X", "dev", "-c", code], check=True, capture_output=True, text=True)
    assert run.stderr == ""


def test_rules_of_other_folders_join_ours_and_run_on_re2(tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "ACME001-mine.yml").write_text(
        SOUND.replace("TL101", "ACME001").replace("name: cxx-missing", "name: mine")
    )
    ruleset = load_ruleset([folder])
    (entry,) = [entry for entry in ruleset.entries if entry.code == "ACME001"]
    assert all(pattern.foreign for pattern in patterns_of(entry.rule.when))
    assert len(ruleset.entries) == len(load_ruleset().entries) + 1
    (folder / "ACME001-mine.yml").write_text(changed("title", "titel"))
    with pytest.raises(RuleFileError):
        load_ruleset([folder])


def test_a_wheel_reads_its_bundle_and_nothing_else(tmp_path, monkeypatch):
    package = tmp_path / "tracelens"
    (package / "ruleset").mkdir(parents=True)
    write_bundle(rules=bundled_folder(), taxonomy=bundled_taxonomy(), target=package / "_rules.json")
    expected = load_ruleset().rules
    monkeypatch.setattr(bundled, "__file__", str(package / "ruleset" / "bundled.py"))
    assert load_ruleset().rules == expected


def test_an_installation_without_rules_says_so(tmp_path, monkeypatch):
    package = tmp_path / "tracelens"
    (package / "ruleset").mkdir(parents=True)
    monkeypatch.setattr(bundled, "__file__", str(package / "ruleset" / "bundled.py"))
    with pytest.raises(InputError, match="the rules of tracelens cannot be read"):
        load_ruleset()


def test_foreign_rules_are_looked_for_in_large_logs_too(tmp_path):
    text = SOUND.replace("TL101", "ACME001").replace("name: cxx-missing", "name: mine")
    (tmp_path / "ACME001-mine.yml").write_text(text.replace("No working", "Acme said no to"))
    anchors = load_ruleset([tmp_path]).anchors
    assert any("Acme" in anchor for anchor in anchors)
    assert len(anchors) > len(load_ruleset().anchors)


def test_every_condition_kind_is_used_or_at_least_readable():
    kinds = {type(rule.when) for rule in load_ruleset().rules}
    assert kinds <= {AnyOf, AllOf, Leaf}
