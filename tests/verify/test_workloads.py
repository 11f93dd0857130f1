"""What is run in the place of the program, by what the log says and what lies in the caches of the user."""

from __future__ import annotations

import importlib.util

import pytest

from tests.command import CORPUS
from tracelens.api import analyze_text
from tracelens.verification import BaselineStatus, GraphSource
from tracelens.verify.exact import exact_workload
from tracelens.verify.options import VerifyOptions, usual_memory
from tracelens.verify.places import PlaceMode
from tracelens.verify.private import PrivateFolders
from tracelens.verify.session import Session
from tracelens.verify.workload import Workload, choose_workload

needs_torch = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="no torch")
NO_COMPILER = "lab/2.13.0/inductor-no-gxx"
#: A graph for inference, as AOTAutograd prints it: before Inductor takes the random numbers in hand.
GRAPH = """\
TRACED GRAPH
 ===== Forward graph 0 =====
 /torch/fx/_lazy_graph_module.py class <lambda>(torch.nn.Module):
    def forward(self, arg0_1: "f32[64, 64][64, 1]cpu"):
        rand: "f32[64, 64][64, 1]cpu" = torch.ops.aten.rand.default([64, 64], device = device(type='cpu'))
        gt: "b8[64, 64][64, 1]cpu" = torch.ops.aten.gt.Scalar(rand, 0.5);  rand = None
        mul: "f32[64, 64][64, 1]cpu" = torch.ops.aten.mul.Tensor(gt, arg0_1);  gt = arg0_1 = None
        return (mul,)
"""
STAMP = "I1201 15:27:11.131000 11603 torch/_functorch/_aot_autograd/graph_capture.py:411] [0/0] [__aot_graphs] "


def log_of(case):
    return (CORPUS / case / "input.log").read_text(encoding="utf-8")


def chosen_for(case, home):
    log = CORPUS / case / "input.log"
    text = log.read_text(encoding="utf-8")
    return choose_workload(analyze_text(text), str(log), text, {"HOME": str(home), "TMPDIR": str(home)})


def test_broken_library_of_triton_is_met_by_a_probe_in_a_copy_of_its_cache(tmp_path):
    entry = tmp_path / ".triton/cache/XU5DT2AO"
    entry.mkdir(parents=True)
    (entry / "cuda_utils.so").write_bytes(b"\x7fELF")
    workload = chosen_for("lab/2.11.0-cuda/triton-helper-cut", tmp_path)
    assert isinstance(workload, Workload)
    assert (workload.graph.kind, workload.places, workload.device) == (GraphSource.PROBE, PlaceMode.COPIED, "cuda")


def test_broken_library_that_is_not_here_cannot_be_met(tmp_path):
    assert "not on this machine" in str(chosen_for("lab/2.11.0-cuda/triton-helper-cut", tmp_path))


@pytest.mark.parametrize(
    ("case", "device"),
    [
        ("lab/2.11.0-cuda/triton-home-noexec", "cuda"),
        ("lab/2.11.0-cuda/triton-home-read-only", "cuda"),
        ("lab/2.11.0-cuda/triton-home-full", "cuda"),
        ("lab/2.13.0/noexec-tmpfs", "cpu"),
        ("lab/2.13.0/tmpfs-64k", "cpu"),
    ],
)
def test_place_that_does_not_serve_is_met_by_the_compiler_that_met_it(case, device, tmp_path):
    workload = chosen_for(case, tmp_path)
    assert isinstance(workload, Workload)
    assert (workload.places, workload.device) == (PlaceMode.PLACED, device)


def baseline_of(workload, **chosen):
    """Return what a run on this machine says, and what else has to be said of the graph."""
    options = VerifyOptions(memory=usual_memory(), **chosen)
    with PrivateFolders() as folders:
        session = Session(workload, "toolchain/cxx-missing", options, folders, lambda _: None)
        return session.baseline(), session.notes


@needs_torch
def test_graph_of_random_numbers_gets_as_far_as_the_compiler(monkeypatch):
    monkeypatch.setenv("CXX", "/nonexistent/g++")
    log = "".join(f"{STAMP}{line}\n" for line in GRAPH.splitlines()) + log_of(NO_COMPILER)
    workload, why_not = exact_workload(analyze_text(log), log, [])
    assert workload is not None, why_not
    baseline, notes = baseline_of(workload)
    assert baseline.status is BaselineStatus.REPRODUCED
    assert any("random numbers" in note for note in notes)


@needs_torch
def test_graph_of_a_gpu_runs_on_the_processor_when_asked_to(monkeypatch):
    monkeypatch.setenv("CXX", "/nonexistent/g++")
    log = log_of(NO_COMPILER)
    trace = str(CORPUS / "artifacts/2.11.0-cuda/torch-trace-failed")
    workload, why_not = exact_workload(analyze_text(log), log, [trace])
    assert workload is not None, why_not
    assert workload.device == "cuda"
    baseline, notes = baseline_of(workload, device="cpu")
    assert baseline.status is BaselineStatus.REPRODUCED
    assert "run on another device than the log's" in notes
