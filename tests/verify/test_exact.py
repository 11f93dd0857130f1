"""The graph that failed is taken from what torch left, for failures that are about a compilation."""

from __future__ import annotations

import pytest

from tests.command import CORPUS
from tracelens.api import analyze_text
from tracelens.verification import GraphSource
from tracelens.verify.exact import exact_workload
from tracelens.verify.matrix import matrix_workload

HOSTILE = """\
import os
import torch
class Repro(torch.nn.Module):
    def forward(self, x):
        os.system('id')
        return x
"""
TRACE = str(CORPUS / "artifacts/2.13.0/torch-trace-failed")


def log_of(case):
    return (CORPUS / case / "input.log").read_text(encoding="utf-8")


def test_graph_of_a_trace_is_run_for_a_failure_of_the_compiler():
    log = log_of("lab/2.13.0/inductor-no-gxx")
    workload, why_not = exact_workload(analyze_text(log), log, [TRACE])
    assert why_not is None
    assert workload is not None
    assert workload.graph.kind is GraphSource.EXACT
    assert workload.graph.compile_id == "0/0"
    assert workload.graph.ops


@pytest.mark.parametrize("case", ["lab/2.13.0/seq-static-logs", "lab/2.13.0/ext-inline-no-ninja"])
def test_graph_is_of_no_use_for_guards_and_for_extensions(case):
    log = log_of(case)
    assert exact_workload(analyze_text(log), log, [TRACE]) == (None, None)


def test_log_without_a_graph_has_none():
    log = log_of("lab/2.13.0/inductor-no-gxx")
    assert exact_workload(analyze_text(log), log, []) == (None, None)


def test_graph_that_cannot_be_read_is_named(tmp_path):
    (tmp_path / "fx_graph_runnable.py").write_text(HOSTILE)
    log = log_of("lab/2.13.0/inductor-no-gxx")
    workload, why_not = exact_workload(analyze_text(log), log, [str(tmp_path)])
    assert workload is None
    assert why_not is not None
    assert "no graph could be read" in why_not


def test_matrix_measures_the_graph_where_the_machine_can_run_it():
    log = log_of("lab/2.13.0/inductor-no-gxx")
    exact, _ = exact_workload(analyze_text(log), log, [TRACE])
    assert matrix_workload("cpu", exact).graph.kind is GraphSource.EXACT
    assert matrix_workload("cuda", None).job["size"] == "decoder"
    assert matrix_workload("cpu", None).job["size"] == "medium"
