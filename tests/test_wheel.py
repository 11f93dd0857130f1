"""What users get: the wheel, installed where there is no checkout and no torch."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import venv
import zipfile

import pytest

from tests.command import CORPUS, REPOSITORY, run_command
from tests.test_architecture import HEAVY, loaded_modules

CASE = CORPUS / "lab/2.13.0/inductor-no-gxx/input.log"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Build the source archive, and the wheel from it: so both are proven complete."""
    folder = tmp_path_factory.mktemp("dist")
    # A copy, so that a build cannot leave files in the checkout that other tests then find.
    checkout = folder / "checkout"
    shutil.copytree(
        REPOSITORY,
        checkout,
        ignore=shutil.ignore_patterns(".faults", ".git", ".venv", ".*_cache", "corpus", "tests", "__pycache__"),
    )
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(checkout)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """Install the wheel in a new environment and return the folder of its programs."""
    home = tmp_path_factory.mktemp("venv")
    venv.create(home, with_pip=True)
    programs = home / "bin"
    command = [programs / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return programs


@pytest.fixture
def environment(tmp_path):
    """Return the variables of a user who has never run tracelens."""
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG", "LC_ALL")}
    return {**kept, "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}


def test_wheel_holds_the_package_its_rules_and_nothing_else(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    rules = {f"tracelens/_rules/{file.name}" for file in (REPOSITORY / "rules").glob("*.yml")}
    assert rules
    assert rules <= set(names)
    assert {"tracelens/_rules.json", "tracelens/_taxonomy.yml", "tracelens/parsing/grammar/tables.json"} <= set(names)
    assert "tracelens/py.typed" in names
    tops = {name.partition("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"tracelens"}


def test_installed_wheel_diagnoses_a_case_without_torch(installed, environment):
    assert run_command(installed / "python", "-c", "import torch", env=environment).code != 0
    run = run_command(installed / "tracelens", "analyze", "--format", "json", CASE, env=environment)
    assert (run.code, run.errors) == (0, "")
    assert json.loads(run.output)["label"] == "toolchain/cxx-missing"


def test_installed_wheel_explains_a_rule_with_its_examples_and_checks_its_rules(installed, environment):
    explained = run_command(installed / "tracelens", "explain", "TL204", env=environment)
    assert (explained.code, explained.errors) == (0, "")
    assert b"JSONDecodeError" in explained.output
    checked = run_command(installed / "tracelens", "rules", "test", "TL204", "TL101", env=environment)
    assert (checked.code, checked.errors) == (0, "")
    assert b"there is no corpus here" in checked.output


def test_first_run_of_an_installed_wheel_loads_nothing_heavy(installed, environment):
    # Isolated: the tests run in the checkout, whose package would come first.
    command = [installed / "python", "-I", "-X", "importtime", "-m", "tracelens", "analyze", "--format", "json", CASE]
    run = run_command(*command, env=environment)
    assert run.code == 0
    assert loaded_modules(run.errors) & HEAVY == set()


def test_installed_wheel_works_where_no_cache_can_be_written(installed, environment):
    blocked = {**environment, "HOME": "/dev/null", "XDG_CACHE_HOME": "/dev/null"}
    run = run_command(installed / "tracelens", "analyze", CASE, env=blocked)
    assert (run.code, run.errors) == (0, "")
    assert b"toolchain/cxx-missing" in run.output


def test_version_is_that_of_the_distribution(installed, environment):
    script = "from importlib.metadata import version; print('tracelens', version('tracelens-torch'))"
    expected = run_command(installed / "python", "-c", script, env=environment)
    assert run_command(installed / "tracelens", "--version", env=environment).output == expected.output
