from __future__ import annotations

from dataclasses import replace

import pytest

from tests.engine.by_hand import RANK0, RANK1, chain, diagnostic, frame, log_of, span, text
from tracelens.engine.environment import environment_captures, read_machine
from tracelens.events import CompilerInvocation, EnvironmentReport, Event, StackFrame
from tracelens.findings import Environment


def report(**facts: str) -> EnvironmentReport:
    return EnvironmentReport(span=span(1), facts=tuple(facts.items()))


def at(*paths: str) -> Event:
    return chain("ValueError: x", frames=[frame(path) for path in paths])


def test_what_the_log_states_comes_first_and_the_first_statement_counts():
    log = log_of(
        report(torch="2.5.1+cu124", python="3.11.7", unknown="x"), report(torch="2.6"), at("/usr/lib/python3.9/a.py")
    )
    environment = read_machine(log).environment
    assert environment == Environment(torch="2.5.1+cu124", python="3.11.7")


@pytest.mark.parametrize(
    ("paths", "platforms", "manager", "system", "python"),
    [
        (["/opt/conda/lib/python3.10/site-packages/torch/x.py"], ("conda", "linux"), "conda", None, "3.10"),
        (["/home/u/miniconda3/envs/a/lib/python3.12/x.py"], ("conda", "linux"), "conda", None, "3.12"),
        (["/usr/local/lib/python3.10/dist-packages/torch/x.py"], ("debian", "linux"), "apt", None, "3.10"),
        (["/usr/lib64/python3.9/site-packages/x.py"], ("fedora", "linux"), "dnf", None, "3.9"),
        (["/home/u/a.py"], ("linux",), None, None, None),
        ([r"C:\Users\u\Python311\Lib\site-packages\torch\x.py"], ("windows",), None, "Windows", "3.11"),
        ([r"D:\a\miniconda3\envs\x\Lib\a.py"], ("conda", "windows"), "conda", "Windows", None),
        (["/Users/u/a.py", "/opt/homebrew/lib/python3.13/x.py"], ("macos",), "brew", "macOS", "3.13"),
        (["<frozen runpy>"], (), None, None, None),
    ],
)
def test_paths_give_away_the_platform(paths, platforms, manager, system, python):
    machine = read_machine(log_of(at(*paths)))
    assert machine.platforms == platforms
    environment = machine.environment
    assert (environment.package_manager, environment.os, environment.python) == (manager, system, python)


@pytest.mark.parametrize(
    ("system", "platform"),
    [
        ("Ubuntu 22.04.3 LTS (x86_64)", "debian"),
        ("Debian GNU/Linux 12 (bookworm)", "debian"),
        ("Red Hat Enterprise Linux 9.2", "fedora"),
        ("Rocky Linux 8.9", "fedora"),
        ("Amazon Linux 2023", "fedora"),
        ("Alpine Linux v3.19", "alpine"),
        ("Arch Linux", "arch"),
        ("openSUSE Tumbleweed", "suse"),
        ("Microsoft Windows 11 Pro", "windows"),
        ("macOS 14.5 (arm64)", "macos"),
    ],
)
def test_the_name_of_the_system_says_the_platform(system, platform):
    machine = read_machine(log_of(report(os=system)))
    assert machine.platforms == (platform,)
    assert machine.environment.os == system


def test_compilers_give_the_platform_away_too():
    assert read_machine(log_of(replace(diagnostic("C1083", 1), tool="msvc", path=None))).platforms == ("windows",)
    assert read_machine(log_of(diagnostic("x", 1, path="/Users/u/a.c"))).platforms == ("macos",)
    invocation = CompilerInvocation(span=span(1), program="/usr/bin/g++", command="/usr/bin/g++ x.c")
    assert read_machine(log_of(invocation)).platforms == ("linux",)


def test_ranks_root_and_script_are_read():
    deep = [
        StackFrame(path="/root/app/train.py", line=3, function="<module>"),
        StackFrame(path="/root/app/model.py", line=3, function="forward"),
    ]
    machine = read_machine(log_of(chain("ValueError: x", frames=deep, process=RANK0), text("x", 50, RANK1)))
    assert machine.environment.ranks == 2
    assert machine.is_root
    assert machine.script == "train.py"
    assert environment_captures(machine)["script"] == "train.py"


def test_a_script_with_a_strange_name_is_not_repeated():
    frames = [StackFrame(path="/a/$(reboot).py", line=3, function="<module>")]
    assert read_machine(log_of(chain("ValueError: x", frames=frames))).script is None


def test_captures_hold_what_is_known():
    captures = environment_captures(read_machine(log_of(report(torch="2.5.1", python="3.11.7", cuda="12.4"))))
    assert captures == {"torch": "2.5.1", "python": "3.11.7", "python_minor": "3.11", "cuda": "12.4"}
