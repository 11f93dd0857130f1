from __future__ import annotations

import pytest
import yaml

from corpus.lab.inventory.decisions import MAP, NOT_A_FAILURE, WRAPPER, decide, load_map
from corpus.lab.inventory.ledger import load_ledger
from corpus.lab.inventory.tools import load_tool_messages
from tests.command import REPOSITORY
from tests.inventory.release_on_disk import sites_of

TAXONOMY = yaml.safe_load((REPOSITORY / "taxonomy.yml").read_text(encoding="utf-8"))
LABELS = {f"{cause}/{kind}" for cause, kinds in TAXONOMY.items() for kind in kinds} | {NOT_A_FAILURE, WRAPPER}
MAP_OF_OURS = load_map()


@pytest.mark.parametrize(
    "rule", [rule for chapter in MAP_OF_OURS for rule in chapter.rules], ids=lambda rule: rule.decision.where
)
def test_decision_uses_labels_that_exist_and_says_why(rule):
    assert set(rule.decision.labels) <= LABELS
    assert rule.decision.because


def test_facts_about_tools_use_labels_that_exist():
    assert {label for told in load_tool_messages() for label in told.labels} <= LABELS


@pytest.mark.parametrize("package", ["torch", "triton"])
def test_ledger_knows_no_message_without_a_decision(package):
    assert {label for labels in load_ledger(package).labels.values() for label in labels.split(" or ")} <= LABELS


def test_first_rule_that_fits_decides(tmp_path):
    (site,) = sites_of(tmp_path, 'def f():\n    raise RuntimeError("Compiler: g++ is not found.")\n')
    first = write_map(tmp_path, "text: is not found", "text: Compiler")
    assert decide(site, load_map(first)).where.endswith("rule 1")  # type: ignore[union-attr]  # None fails as well


@pytest.mark.parametrize(
    "condition",
    ["modules: [torch/_dynamo/*]", "functions: [g]", "kinds: [OSError]", "how: [logged]", "text: ^is not found"],
)
def test_each_condition_can_keep_a_rule_from_fitting(tmp_path, condition):
    (site,) = sites_of(tmp_path, 'def f():\n    raise RuntimeError("Compiler: g++ is not found.")\n')
    assert decide(site, load_map(write_map(tmp_path, condition))) is None


def test_new_message_where_compilers_are_sought_is_unmapped(tmp_path):
    source = 'def f():\n    raise RuntimeError("the moon is full")\n'
    for place in ("_inductor/cpp_builder.py", "_inductor/codecache.py", "utils/cpp_extension.py"):
        (site,) = sites_of(tmp_path / place.replace("/", "_"), source, place=place)
        assert decide(site, MAP_OF_OURS) is None, place


@pytest.mark.parametrize("entry", ["label: cache/no-space", "because: x", "label: a\n    because: b\n    txt: c"])
def test_entry_that_is_not_whole_is_refused(tmp_path, entry):
    (tmp_path / "a.yml").write_text(f"modules: ['*']\nrules:\n  - {entry}\n", encoding="utf-8")
    with pytest.raises(ValueError, match="rule 1"):
        load_map(tmp_path)


def test_folder_of_the_map_holds_nothing_else():
    assert {file.suffix for file in MAP.iterdir()} == {".yml"}


def write_map(folder, *conditions):
    """Write a map with one rule for each condition, and return its folder."""
    place = folder / "map"
    place.mkdir(exist_ok=True)
    entries = "".join(
        f"  - {condition}\n    label: toolchain/cxx-missing\n    because: test\n" for condition in conditions
    )
    (place / "a.yml").write_text(f"modules: ['torch/*']\nrules:\n{entries}", encoding="utf-8")
    return place
