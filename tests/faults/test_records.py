"""The faults of the lab fit their programs, and what was found of them is whole."""

from __future__ import annotations

import json
from collections import Counter

import pytest
import yaml

from corpus.faults.faults_cache import FAULTS as CACHE
from corpus.faults.faults_outside import FAULTS as OUTSIDE
from corpus.faults.faults_shapes import FAULTS as SHAPES
from corpus.faults.faults_toolchain import FAULTS as TOOLCHAIN
from corpus.faults.gpu_faults import FAULTS as GPU
from corpus.faults.results import FOLDER, SHOWN, show
from corpus.faults.trial import edited, source_of
from tests.command import CORPUS, REPOSITORY

FAULTS = {fault.name: fault for fault in (*SHAPES, *OUTSIDE, *CACHE, *TOOLCHAIN, *GPU)}
TAXONOMY = yaml.safe_load((REPOSITORY / "taxonomy.yml").read_text(encoding="utf-8"))
LABELS = {f"{cause}/{kind}" for cause, kinds in TAXONOMY.items() for kind in kinds}
RESULTS = [json.loads(file.read_text(encoding="utf-8")) for file in sorted(FOLDER.glob("results-*.json"))]
OUTCOMES = {name: outcome for record in RESULTS for name, outcome in record["outcomes"].items()}
PROOFS = sorted(file.parent.name for file in (CORPUS / "proofs").rglob("case.yml"))


def test_names_are_used_once():
    assert len(FAULTS) == len(SHAPES) + len(OUTSIDE) + len(CACHE) + len(TOOLCHAIN) + len(GPU)


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_edits_of_a_fault_fit_its_program(fault):
    broken = edited(source_of(fault.workload), fault.edit)
    compile(broken, fault.workload, "exec")
    for fix in fault.fixes:
        compile(edited(broken, fix.edit), fix.id, "exec")


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_fault_is_made_by_something_and_its_fixes_differ(fault):
    assert fault.prepare or fault.inject or fault.edit
    assert fault.label in LABELS
    assert [name for name, times in Counter(fix.id for fix in fault.fixes).items() if times > 1] == []


@pytest.mark.parametrize(("machine", "least"), [("cpu", 60), ("gpu", 12)])
def test_enough_was_tried(machine, least):
    outcomes = json.loads((FOLDER / f"results-{machine}.json").read_text(encoding="utf-8"))["outcomes"]
    assert sum(len(outcome["pairs"]) for outcome in outcomes.values()) >= least


@pytest.mark.parametrize("name", OUTCOMES)
def test_result_is_of_a_fault_that_there_is(name):
    assert {pair["fix"] for pair in OUTCOMES[name]["pairs"]} <= {fix.id for fix in FAULTS[name].fixes}


@pytest.mark.parametrize("name", OUTCOMES)
def test_fault_that_bit_was_named_rightly(name):
    outcome, fault = OUTCOMES[name], FAULTS[name]
    assert not outcome["pairs"] or outcome["answer"] in {fault.label, fault.visible}


def test_table_shows_the_results():
    assert SHOWN.read_text(encoding="utf-8") == show()


@pytest.mark.parametrize("name", PROOFS)
def test_proof_is_of_a_fix_that_helped(name):
    fault, _, fix = name.partition("--")
    assert [pair["helped"] for pair in OUTCOMES[fault]["pairs"] if pair["fix"] == fix] == [True]
