"""The compilation that failed is the one that the same process named last before the failure, or that of the trace."""

from __future__ import annotations

import pytest

from tests.command import CORPUS
from tracelens.api import analyze_beside, analyze_text
from tracelens.events import CompileId
from tracelens.findings import Diagnosis
from tracelens.ruleset.bundled import load_ruleset
from tracelens.source import expand_inputs
from tracelens.verify.exact import exact_workload
from tracelens.verify.failed_compile import failed_compile, is_in_backward

PRINTED = """TRACED GRAPH
 ===== __compiled_fn_1 =====
 class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[4][1]cpu"):
        y: "f32[4][1]cpu" = x + 1
        return (y,)"""
FAILURE = """\
Traceback (most recent call last):
  File "/opt/venv/lib/python3.11/site-packages/torch/_inductor/cpp_builder.py", line 108, in cpp_compiler_search
    raise exc.InvalidCxxCompiler
torch._inductor.exc.InductorError: InvalidCxxCompiler: No working C++ compiler found in \
torch._inductor.config.cpp.cxx: (None, 'g++')
"""
FIRST, SECOND = (CompileId(frame_id=number, frame_compile_id=0) for number in (0, 1))
TRACE = str(CORPUS / "artifacts/2.13.0/torch-trace-failed")


def graph(frame: int) -> str:
    """Return a graph as TORCH_LOGS=graph_code prints it."""
    head = f"V1201 10:00:00.000000 7 torch/_dynamo/output_graph.py:1340] [{frame}/0] [__graph_code]"
    return "".join(f"{head} {line}\n" for line in PRINTED.splitlines())


def diagnosed(log: str) -> tuple[Diagnosis, list[str]]:
    diagnosis = analyze_text(log)
    assert diagnosis.label == "toolchain/cxx-missing"
    return diagnosis, log.split("\n")


def test_failure_that_the_program_survived_is_of_the_graph_before_it():
    log = graph(0) + FAILURE + graph(1)
    assert failed_compile(*diagnosed(log)) == FIRST
    workload, _ = exact_workload(analyze_text(log), log, [])
    assert workload is not None
    assert workload.graph.compile_id == "0/0"


def test_last_graph_is_that_of_a_failure_at_the_end():
    assert failed_compile(*diagnosed(graph(0) + graph(1) + FAILURE)) == SECOND


def test_graph_of_another_rank_is_not_that_of_the_failure():
    ours, theirs = ([f"[rank{rank}]: {line}\n" for line in graph(rank).splitlines()] for rank in (0, 1))
    failure = [f"[rank0]: {line}\n" for line in FAILURE.splitlines()]
    assert failed_compile(*diagnosed("".join([*ours, *theirs, *failure]))) == FIRST


def test_log_that_names_no_compilation_has_none():
    assert failed_compile(*diagnosed(FAILURE)) is None


def test_log_without_ids_is_helped_by_the_trace(tmp_path):
    (tmp_path / "train.log").write_text(FAILURE)
    (log,) = expand_inputs([str(tmp_path / "train.log")])
    with log.open() as feed:
        diagnosis = analyze_beside(feed, load_ruleset(), list(expand_inputs([TRACE])))
    root = diagnosis.findings[0].root
    assert root is not None
    assert root.source is None
    assert failed_compile(diagnosis, FAILURE.split("\n")) == FIRST


@pytest.mark.parametrize(("frame", "expected"), [("_engine_run_backward", True), ("fw_compiler_base", None)])
def test_backward_pass_is_known_by_the_functions_that_run_it(frame, expected):
    frames = f'  File "/opt/venv/lib/python3.11/site-packages/torch/autograd/graph.py", line 825, in {frame}\n'
    first, _, rest = FAILURE.partition("\n")
    assert is_in_backward(*diagnosed(f"{first}\n{frames}{rest}")) is expected
