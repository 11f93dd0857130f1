"""Packs of rules are found by the metadata of what is installed; none of its code runs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.command import CORPUS, run_tracelens
from tests.ruleset.rule_text import SOUND

RULE = SOUND.replace("TL101", "ACME101").replace("name: cxx-missing", "name: cxx-missing-acme")
LOG = CORPUS / "lab/2.13.0/inductor-no-gxx/input.log"


def install(site: Path, *, name: str = "acme", value: str = "acme_rules.data", points: str | None = None) -> None:
    metadata = site / f"{name}-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(points or f"[tracelens.rules]\n{name} = {value}\n")
    package = site / "acme_rules"
    (package / "data").mkdir(parents=True, exist_ok=True)
    for code in (package / "__init__.py", package / "data" / "__init__.py"):
        code.write_text(f"open({str(site / 'ran')!r}, 'w')\nraise SystemExit('imported')\n")
    (package / "data" / "ACME101-cxx-missing-acme.yml").write_text(RULE)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    return tmp_path / "site"


def run(site: Path, *arguments: str | Path):
    return run_tracelens(*arguments, env={**os.environ, "PYTHONPATH": str(site)})


def test_a_pack_is_used_when_it_is_named_and_its_code_never_runs(site):
    install(site)
    assert b"ACME101" in run(site, "analyze", LOG, "--rules", "pack:acme", "--format", "json").output
    assert b"ACME101" not in run(site, "analyze", LOG, "--format", "json").output
    assert run(site, "explain", "ACME101", "--rules", "pack:acme").code == 0
    listed = run(site, "rules", "packs")
    assert listed.output.decode() == f"pack:acme  acme 1.0  {site}/acme_rules/data\n"
    assert not (site / "ran").exists()


def test_a_pack_that_is_not_installed_is_refused_with_those_that_are(site):
    install(site)
    refused = run(site, "analyze", LOG, "--rules", "pack:other")
    assert refused.code == 2
    assert "pack:other: no such pack of rules is installed; there are: acme" in refused.errors


@pytest.mark.parametrize("value", ["../../etc", "/etc", "acme_rules.none", "acme_rules.data:main", "acme rules", ""])
def test_a_value_that_is_no_folder_of_the_distribution_is_no_pack(site, value):
    install(site, value=value)
    assert run(site, "rules", "packs").output == b""


def test_damaged_metadata_does_not_hide_other_packs(site):
    install(site)
    install(site, name="broken", points="tracelens.rules [ \x00 = = \n")
    (site / "half-1.0.dist-info").mkdir()
    (site / "half-1.0.dist-info" / "entry_points.txt").write_bytes(b"[tracelens.rules]\n\xff\xfe = x\n")
    listed = run(site, "rules", "packs")
    assert listed.output.startswith(b"pack:acme ")


def test_a_folder_may_be_called_like_a_pack(tmp_path):
    folder = tmp_path / "pack:acme"
    folder.mkdir()
    (folder / "ACME101-cxx-missing-acme.yml").write_text(RULE)
    assert run_tracelens("explain", "ACME101", "--rules", folder).code == 0
