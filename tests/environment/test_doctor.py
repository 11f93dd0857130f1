"""``tracelens doctor`` as a user types it: a healthy machine, and machines that lack something."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import sys

import pytest

from tests.command import run_tracelens
from tests.environment.machines import path_without
from tracelens.ruleset.bundled import load_ruleset

NEEDED = ("g++", "ninja", "openssl")
pytestmark = pytest.mark.skipif(
    not all(map(shutil.which, NEEDED)) or importlib.util.find_spec("torch") is None,
    reason="the machine lacks something itself",
)


def examine(folder, code: int, *options: str, **more: str):
    folder.mkdir(exist_ok=True)
    own = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("TORCH", "TRITON", "CUDA_", "CXX", "XDG_"))
    }
    quick = () if "--python" in options else ("--quick",)
    done = run_tracelens(
        "doctor", "--json", *quick, *options, env={**own, "TMPDIR": str(folder), "HOME": str(folder), **more}
    )
    assert done.code == code, (done.output, done.errors)
    return json.loads(done.output)


def looks(answer, status: str) -> dict[str, str]:
    return {check["name"]: check["detail"] for check in answer["checks"] if check["status"] == status}


def test_healthy_machine_gives_no_finding(tmp_path):
    answer = examine(tmp_path / "home", 0, "--python", sys.executable)
    assert (answer["outcome"], answer["label"], answer["findings"]) == ("clean", "none/clean", [])
    assert answer["environment"]["torch"]
    assert looks(answer, "failed") == {}
    assert {"C++ compiler", "ninja", "openssl", "torch loads", "cache entries"} <= set(looks(answer, "passed"))
    assert all(looks(answer, "not run").values())


def test_missing_compiler_is_named_with_the_words_of_its_rule(tmp_path):
    path = path_without(tmp_path / "bin", "g++*", "*-g++*", "c++*")
    answer = examine(tmp_path / "home", 1, PATH=path)
    rule = next(entry.rule for entry in load_ruleset().entries if entry.code == "TL101")
    finding = answer["findings"][0]
    assert (answer["label"], finding["code"], finding["title"]) == ("toolchain/cxx-missing", "TL101", rule.title)
    assert [item["advice"] for item in finding["not_helpful"]] == [item.advice for item in rule.not_helpful]
    assert finding["fixes"][0]["id"] == "install-gxx"
    assert "PATH has no g++" in finding["evidence"][0]["text"]


def test_ninja_is_missed_though_the_rest_works(tmp_path):
    answer = examine(tmp_path / "home", 1, PATH=path_without(tmp_path / "bin", "ninja"))
    (finding,) = answer["findings"]
    assert (finding["label"], finding["severity"]) == ("toolchain/ninja-missing", "degraded")
    assert "Inductor needs none" in looks(answer, "failed")["ninja"]


def test_broken_entry_and_dead_lock_are_found(tmp_path):
    home = tmp_path / "home"
    baton = home / ".cache" / "torch_extensions" / "py311_cpu" / "ops" / "lock"
    library = home / "inductor" / "ab" / "cab.main.so"
    for file in (baton, library):
        file.parent.mkdir(parents=True)
        file.touch()
    answer = examine(home, 1, TORCHINDUCTOR_CACHE_DIR=str(home / "inductor"))
    found = {finding["label"]: finding for finding in answer["findings"]}
    assert {"cache/truncated-artifact", "cache/stale-lock"} == set(found)
    assert found["cache/truncated-artifact"]["fixes"][0]["commands"] == [f"rm -f {library}"]


def test_python_without_torch_leaves_the_rest_to_look_at(tmp_path):
    answer = examine(tmp_path / "home", 0, "--python", "/usr/bin/python3", PATH=path_without(tmp_path / "bin"))
    assert "has no torch" in looks(answer, "not run")["torch loads"]
    assert "C++ compiler" in looks(answer, "passed")


def test_terminal_names_every_look_and_hides_no_escape(tmp_path):
    home = tmp_path / "home"
    (home / "a\x1b[31m").mkdir(parents=True)
    done = run_tracelens("doctor", "--quick", env={**os.environ, "TORCHINDUCTOR_CACHE_DIR": str(home / "a\x1b[31m")})
    text = done.output.decode()
    assert "\x1b" not in text
    assert "\\x1b[31m" in text.replace("\n", "").replace(" ", "")
    assert "not looked at: " in text


def test_usage(tmp_path):
    assert run_tracelens("doctor", "--python", tmp_path / "none").code == 2
    assert run_tracelens("doctor", "--format", "yaml").code == 2
