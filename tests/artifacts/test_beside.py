"""Logs and artifacts judged as one: what confirms, what corrects, and which file a line is in."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tests.artifacts.traces import artifact, metrics, start
from tests.command import CORPUS, run_tracelens

LOG = CORPUS / "lab/2.13.0/inductor-no-gxx/input.log"
TRACE = CORPUS / "artifacts/2.13.0/torch-trace-failed/dedicated_log_torch_trace_a.log"
CUT = """\
Traceback (most recent call last):
  File "/app/train.py", line 3, in <module>
    step(x)
torch._dynamo.exc.BackendCompilerFailed: backend='inductor' raised:
"""


def answer_for(*arguments: str | Path, stdin: bytes = b"") -> dict[str, Any]:
    run = run_tracelens("analyze", "--format", "json", *arguments, stdin=stdin)
    assert run.errors == ""
    found: dict[str, Any] = json.loads(run.output)
    return found


def test_trace_confirms_what_the_log_says():
    alone, both = answer_for(LOG), answer_for(LOG, "--artifacts", TRACE)
    (first, *_), (before, *_) = both["findings"], alone["findings"]
    assert both["label"] == alone["label"] == "toolchain/cxx-missing"
    assert (first["occurrences"], first["evidence"]) == (before["occurrences"], before["evidence"])
    assert first["sources"] == [str(LOG), str(TRACE)]
    assert "confirms it" in first["because"]
    assert (alone["timeline"], len(both["timeline"]["compilations"])) == (None, 1)


def test_trace_says_what_a_cut_log_does_not(tmp_path):
    log = tmp_path / "cut.log"
    log.write_text(CUT)
    assert answer_for(log)["outcome"] == "unexplained"
    answer = answer_for(log, "--artifacts", TRACE.parent)
    assert answer["label"] == "toolchain/cxx-missing"
    evidence = answer["findings"][0]["evidence"][0]
    assert (evidence["source"], evidence["line"]) == (str(TRACE), 1658)
    assert TRACE.read_text().split("\n")[evidence["line"] - 1] == evidence["text"]


def test_trace_tells_of_recompiles_that_a_quiet_log_does_not(tmp_path):
    log = tmp_path / "quiet.log"
    log.write_text("step 1\nstep 2\n")
    answer = answer_for(log, "--artifacts", CORPUS / "artifacts/2.13.0/torch-trace-recompiles")
    assert answer["label"] == "dynamic-shapes/recompile-limit"


def test_recompile_of_the_log_and_of_its_trace_counts_once(tmp_path):
    place = "torch/_dynamo/guards.py:1]"
    reasons = [f"0/{n - 1}: tensor 'x' size mismatch at index 0. expected {n}, actual {n + 1}" for n in (1, 2)]
    log, trace = tmp_path / "train.log", tmp_path / "dedicated_log_torch_trace_x.log"
    log.write_text("".join(
        f"V1201 02:50:30.4 7 {place} [0/{n}] [__recompiles] Recompiling function step in /app/train.py:3\n"
        f"V1201 02:50:30.4 7 {place} [0/{n}] [__recompiles]     triggered by the following guard failure(s):\n"
        f"V1201 02:50:30.4 7 {place} [0/{n}] [__recompiles]     - {reason}\n" for n, reason in enumerate(reasons, 1)
    ))  # fmt: skip
    trace.write_text("".join(
        artifact("recompile_reasons", reason, 0, n) + start(0, n) + metrics(0, n) for n, reason in enumerate(reasons, 1)
    ))  # fmt: skip
    # Four of them would be a finding.
    assert answer_for(log, "--artifacts", trace)["label"] == "none/clean"


@pytest.mark.parametrize("form", ["pipe", "gzip", "renamed"])
def test_trace_is_known_by_its_first_bytes(form, tmp_path):
    content = TRACE.read_bytes()
    if form == "pipe":
        answer = answer_for("-", stdin=content)
    else:
        path = tmp_path / "some.log"
        path.write_bytes(gzip.compress(content) if form == "gzip" else content)
        answer = answer_for(path)
    assert answer["label"] == "toolchain/cxx-missing"
    assert answer["findings"][0]["evidence"][0]["line"] == 1658
    assert len(answer["timeline"]["compilations"]) == 1


def test_artifacts_alone_need_no_log():
    assert answer_for("--artifacts", TRACE.parent)["label"] == "toolchain/cxx-missing"


def test_artifacts_of_several_logs_are_an_input_of_their_own(tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.log").write_text("step 1\n")
    answer = answer_for(tmp_path / "a.log", tmp_path / "b.log", "--artifacts", TRACE.parent)
    assert answer["label"] == "toolchain/cxx-missing"
    assert len(answer["inputs"]) == 3
    assert len(answer["timeline"]["compilations"]) == 1


def test_ranks_of_one_directory_are_one_answer(tmp_path):
    for rank in range(3):
        name = f"dedicated_log_torch_trace_rank_{rank}_x.log"
        (tmp_path / name).write_bytes(TRACE.read_bytes())
    answer = answer_for(tmp_path)
    assert answer["findings"][0]["ranks"] == [0, 1, 2]
    assert {item["process"] for item in answer["timeline"]["compilations"]} == {"rank 0", "rank 1", "rank 2"}


def test_what_is_not_there_is_told():
    run = run_tracelens("analyze", LOG, "--artifacts", "/nonexistent/trace")
    assert run.code == 2
    assert "/nonexistent/trace" in run.errors
