"""What each real artifact of the corpus says, through the command that a user types."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.command import CORPUS, run_tracelens

ARTIFACTS = CORPUS / "artifacts"
FOLDERS = sorted(folder.relative_to(ARTIFACTS).as_posix() for folder in ARTIFACTS.glob("*/*") if folder.is_dir())

#: label (or "unexplained"), torch, compilations (None without a trace).
EXPECTED: dict[str, tuple[str, str | None, int | None]] = {
    "2.11.0-cuda/compile-debug-clean": ("none/clean", "2.11.0+cu130", None),
    "2.11.0-cuda/minifier-aot": ("unexplained", "2.11.0+cu130", None),
    "2.11.0-cuda/torch-trace-clean": ("none/clean", "2.11.0+cu130", 1),
    "2.11.0-cuda/torch-trace-failed": ("toolchain/cc-missing", "2.11.0+cu130", 1),
    "2.13.0/compile-debug-clean": ("none/clean", "2.13.0+cpu", 1),
    "2.13.0/compile-debug-failed": ("toolchain/cxx-missing", "2.13.0+cpu", 1),
    "2.13.0/minifier-aot": ("unexplained", "2.13.0+cpu", None),
    "2.13.0/minifier-dynamo": ("unexplained", None, None),
    "2.13.0/torch-trace-breaks": ("outside/graph-break", "2.13.0+cpu", 12),
    "2.13.0/torch-trace-cache-hit": ("none/clean", "2.13.0+cpu", 2),
    "2.13.0/torch-trace-clean": ("none/clean", "2.13.0+cpu", 1),
    "2.13.0/torch-trace-failed": ("toolchain/cxx-missing", "2.13.0+cpu", 1),
    "2.13.0/torch-trace-killed": ("unexplained", "2.13.0+cpu", 1),
    "2.13.0/torch-trace-recompiles": ("dynamic-shapes/recompile-limit", "2.13.0+cpu", 29),
    "2.5.1/compile-debug-clean": ("none/clean", "2.5.1+cu124", None),
    "2.5.1/compile-debug-failed": ("unexplained", "2.5.1+cu124", None),
    "2.5.1/minifier-aot": ("unexplained", "2.5.1+cu124", None),
    "2.5.1/minifier-dynamo": ("unexplained", None, None),
    "2.5.1/torch-trace-clean": ("none/clean", "2.5.1+cu124", 1),
    "2.5.1/torch-trace-failed": ("toolchain/cxx-missing", "2.5.1+cu124", 1),
}


def answer_for(*arguments: str) -> dict[str, Any]:
    run = run_tracelens("analyze", "--format", "json", *arguments)
    assert run.errors == ""
    answer: dict[str, Any] = json.loads(run.output)
    return answer


@pytest.mark.parametrize("folder", FOLDERS)
def test_artifact_is_read(folder):
    label, torch, compilations = EXPECTED[folder]
    answer = answer_for(str(ARTIFACTS / folder))
    assert (answer["label"] or answer["outcome"], answer["environment"]["torch"]) == (label, torch)
    timeline = answer["timeline"]
    assert (None if timeline is None else len(timeline["compilations"])) == compilations
    assert answer["diagnostics"] == []


#: No line says of a file that it was never written.
UNSAID = {"2.5.1/compile-debug-failed"}
FAILED = [folder for folder in FOLDERS if ("failed" in folder or "minifier" in folder) and folder not in UNSAID]


@pytest.mark.parametrize("folder", FAILED)
def test_evidence_is_the_line_of_the_artifact_that_it_names(folder):
    answer = answer_for(str(ARTIFACTS / folder))
    evidence = answer["findings"][0]["evidence"] if answer["findings"] else answer["unexplained"]["evidence"]
    (first, *_) = [item for item in evidence if item["role"] == "root"]
    with open(first["source"], encoding="utf-8") as file:  # noqa: PTH123  # the name as it was printed
        lines = file.read().split("\n")
    assert first["text"].split("\n")[0].strip("…") in lines[first["line"] - 1]


def test_every_kind_of_guard_has_the_fix_that_fits_it():
    timeline = answer_for(str(ARTIFACTS / "2.13.0/torch-trace-recompiles"))["timeline"]
    fixes = {
        (group["guard_kind"], group["subject"]): (group["code"], group["fixes"][0]["commands"][0])
        for group in reversed(timeline["recompiles"])  # of two sizes the one that changed most often
    }
    assert fixes["size", "x"] == ("TL301", "torch._dynamo.mark_dynamic(x, 1)")
    assert fixes["symbolic shape", "x"] == ("TL302", "torch._dynamo.decorators.mark_unbacked(x, 0)")
    assert fixes["stride", "x"][0] == "TL303"
    assert fixes["rank", "x"][0] == "TL304"
    assert fixes["int", "n"][0] == "TL305"
    code, command = fixes["int", "self.step"]
    assert (code, command.partition("  #")[0]) == ("TL305", "torch._dynamo.config.allow_unspec_int_on_nn_module = True")
    assert fixes["float", "n"][0] == "TL306"
    assert fixes["string", "mode"][0] == "TL307"
    assert fixes["object id", "function.__code__"][0] == "TL308"
    assert fixes["length", "items"][0] == "TL309"
    assert fixes["dtype", "x"][0] == fixes["requires_grad", "x"][0] == "TL310"
    assert fixes["grad mode", None][0] == "TL311"
    assert all("dynamic=True" not in command for _, command in fixes.values())


def test_graph_breaks_have_their_numbers():
    timeline = answer_for(str(ARTIFACTS / "2.13.0/torch-trace-breaks"))["timeline"]
    assert {group["gb_id"]: group["count"] for group in timeline["graph_breaks"]} == {
        "GB0059": 2, "GB0170": 2, "GB0124": 2, "GB0025": 1, "GB0036": 1,
    }  # fmt: skip


def test_cache_hits_and_what_they_saved():
    timeline = answer_for(str(ARTIFACTS / "2.13.0/torch-trace-cache-hit"))["timeline"]
    caches = {cache["cache"]: cache for cache in timeline["caches"]}
    assert (caches["fx_graph"]["hits"], caches["aotautograd"]["hits"]) == (4, 2)
    assert caches["aotautograd"]["saved_seconds"] > 10


def test_compilation_in_which_the_process_was_killed_is_named():
    answer = answer_for(str(ARTIFACTS / "2.13.0/torch-trace-killed"))
    assert answer["timeline"]["compilations"][0]["ended_in"] == "compile_file"
    assert "ends inside the compilation 0/0 of model" in answer["unexplained"]["seen"]
