from __future__ import annotations

import pytest

from tests.engine.by_hand import rule
from tracelens.engine.environment import Machine
from tracelens.engine.fixes import fit_fixes
from tracelens.findings import Environment, Fix

RULE = rule(
    "said: missing (?P<header>\\S+)",
    more="""\
fixes:
  - id: install
    title: Install {header|it}
    kind: shell
    risk: safe
    needs_root: true
    commands:
      debian: [sudo apt-get update, sudo apt-get install -y g++]
      fedora: sudo dnf install -y gcc-c++
      conda: conda install -y gxx
    unproven: a reason
  - id: anywhere
    title: Elsewhere
    kind: env
    risk: review
    commands: {any: 'export CPATH={header}', windows: 'set CPATH={header}'}
    proven: lab/2.13.0/x
""",
)


def fixes(*platforms: str, is_root: bool = False, **captures: str) -> dict[str, Fix]:
    machine = Machine(environment=Environment(), platforms=platforms, is_root=is_root, script=None)
    return {fix.id: fix for fix in fit_fixes(RULE, captures, machine)}


@pytest.mark.parametrize(
    ("platforms", "platform", "first", "root"),
    [
        ((), "debian", "sudo apt-get update", True),
        (("linux",), "debian", "sudo apt-get update", True),
        (("fedora", "linux"), "fedora", "sudo dnf install -y gcc-c++", True),
        (("conda", "debian", "linux"), "conda", "conda install -y gxx", False),
        (("conda", "linux"), "conda", "conda install -y gxx", False),
    ],
)
def test_commands_fit_the_platform_and_need_no_root_where_there_is_a_choice(platforms, platform, first, root):
    fix = fixes(*platforms)["install"]
    assert (fix.platform, fix.commands[0], fix.needs_root) == (platform, first, root)


@pytest.mark.parametrize("platforms", [("alpine", "linux"), ("windows",), ("macos",)])
def test_a_fix_that_has_nothing_for_the_platform_is_left_out(platforms):
    assert "install" not in fixes(*platforms)


def test_commands_for_any_platform_name_none():
    assert fixes("alpine")["anywhere"].platform is None
    assert fixes("windows")["anywhere"].commands == ("set CPATH=<header>",)
    assert fixes("linux")["anywhere"].commands == ("export CPATH=<header>",)


def test_root_needs_no_sudo():
    assert fixes("debian", is_root=True)["install"].commands == ("apt-get update", "apt-get install -y g++")


def test_captures_fill_titles_and_commands():
    found = fixes("linux", header="omp.h")
    assert found["install"].title == "Install omp.h"
    assert found["anywhere"].commands == ("export CPATH=omp.h",)
    assert fixes("linux", header="x; reboot")["anywhere"].commands == ("export CPATH=<header>",)


def test_proofs_are_kept():
    assert fixes()["anywhere"].proven == "lab/2.13.0/x"
    assert fixes()["install"].proven is None
