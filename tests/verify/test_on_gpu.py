"""Graphs that only a GPU runs, and how the device is chosen; a fault of the C compiler makes each fail."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command import CORPUS, run_tracelens

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("torch") is None or not any(Path("/dev").glob("nvidia[0-9]*")), reason="no NVIDIA GPU"
)
BROKEN = {"CC": "/bin/false"}
PLAIN = "torch.compile(lambda x: x.sin().sum(-1))(torch.randn(64, 64, device='cuda'))"
DROPOUT = """\
model = lambda x: torch.nn.functional.dropout(x.sin(), 0.5, training=True).sum(-1)
torch.compile(model)(torch.randn(64, 64, device="cuda"))
"""
FLEX = """\
from torch.nn.attention.flex_attention import flex_attention
def bias(score, batch, head, query, key):
    return score + (query - key)
q, k, v = (torch.randn(1, 2, 128, 64, device="cuda") for _ in range(3))
torch.compile(lambda q, k, v: flex_attention(q, k, v, score_mod=bias))(q, k, v)
"""
OWN_KERNEL = """\
import triton, triton.language as tl
@triton.jit
def double(source, target, count, BLOCK: tl.constexpr):
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = places < count
    tl.store(target + places, tl.load(source + places, mask=inside) * 2, mask=inside)
def model(x):
    target = torch.empty_like(x)
    double[(1,)](x, target, 64, BLOCK=64)
    return target.sin()
torch.compile(model)(torch.randn(64, device="cuda"))
"""
TOO_MUCH = """\
x = torch.empty(200_000, 100_000, device="cuda")
torch.compile(lambda x: torch.cat([x.sin(), x.cos()]))(x)
"""


@pytest.fixture
def home(tmp_path):
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


def environment(home, **more):
    kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
    return {**kept, "HOME": str(home), "TMPDIR": str(home), "USER": "user", "LC_ALL": "C.UTF-8", **more}


def failed(home, program, **environ):
    """Run a program that fails, and return its log, with the graphs that torch printed."""
    script, log = home.parent / "train.py", home.parent / "train.log"
    script.write_text(f"import torch\n{program}")
    env = environment(home, TORCH_LOGS="graph_code,aot_graphs", **environ)
    with log.open("wb") as output:
        done = subprocess.run([sys.executable, script], stdout=output, stderr=subprocess.STDOUT, env=env, check=False)
    assert done.returncode != 0
    return log


def verify(home, log, *arguments, **environ):
    """Return what the command said of the log, and what it left in the home folder."""
    before = {path.name for path in home.iterdir()}
    env = environment(home, **environ)
    run = run_tracelens("verify", log, "--format", "json", *arguments, env=env, timeout=300)
    assert run.output, run.errors
    left = {path.name for path in home.iterdir()} - before
    return json.loads(run.output)["verification"], left


def statuses(verification):
    return {run["fix"]: run["status"] for run in verification["runs"]}


def test_graph_of_random_numbers_is_run_and_only_its_shapes_compared(home):
    log = failed(home, DROPOUT, **BROKEN)
    verification, left = verify(home, log, "--try", "clear-the-cache", **BROKEN)
    assert (verification["graph"]["kind"], verification["baseline"]["status"]) == ("exact", "reproduced")
    found = statuses(verification)
    assert (found["unset-cc"], found["clear-the-cache"]) == ("fixes", "does not fix")
    assert "values not compared: random numbers" in verification["graph"]["note"]
    assert left <= {".cache"}  # of tracelens itself; nothing of Triton's or the driver's


def test_graph_of_flex_attention_is_run(home):
    log = failed(home, FLEX, **BROKEN)
    verification, _ = verify(home, log, **BROKEN)
    assert (verification["graph"]["kind"], verification["baseline"]["status"]) == ("exact", "reproduced")
    assert statuses(verification)["unset-cc"] == "fixes"


def test_graph_with_a_kernel_of_the_user_is_refused_and_a_probe_takes_its_place(home):
    log = failed(home, OWN_KERNEL, **BROKEN)
    verification, _ = verify(home, log, **BROKEN)
    assert (verification["graph"]["kind"], verification["baseline"]["status"]) == ("probe", "reproduced")
    assert "triton_kernel_wrapper" in verification["graph"]["note"]
    assert statuses(verification)["unset-cc"] == "fixes"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('  File "/venv/torch/_inductor/compile_fx.py", line 2447, in bw_compiler', "forward and backward"),
        ("TORCHINDUCTOR_CPP_WRAPPER=1 python train.py", "called from a C++ wrapper"),
    ],
)
def test_probe_of_a_stage_compiles_and_is_right(home, line, words):
    log = home.parent / "train.log"
    failure = (CORPUS / "lab/2.11.0-cuda/triton-cc-bad/input.log").read_text(encoding="utf-8")
    log.write_text(f"{line}\n{failure}", encoding="utf-8")
    verification, _ = verify(home, log, **BROKEN)
    assert words in verification["graph"]["source"]
    assert verification["baseline"]["status"] == "reproduced"
    assert statuses(verification)["unset-cc"] == "fixes"


def test_program_out_of_memory_is_told_as_such_and_no_fix_is_believed(home):
    log = failed(home, TOO_MUCH)
    command = f"{home.parent / 'train.py'}"
    verification, _ = verify(home, log, "--script", command)
    baseline = verification["baseline"]
    assert (baseline["status"], baseline["label"]) == ("reproduced", "outside/gpu-oom")
    assert "it fails without compiling, too" in verification["graph"]["note"]
    assert "fixes" not in statuses(verification).values()


def test_device_that_the_user_names_is_taken(home):
    log = failed(home, PLAIN, **BROKEN)
    verification, _ = verify(home, log, "--device", "cuda:0", CUDA_VISIBLE_DEVICES="0", **BROKEN)
    assert verification["baseline"]["status"] == "reproduced"
    assert statuses(verification)["unset-cc"] == "fixes"
    assert verification["device"] != "cpu"


@pytest.mark.parametrize(
    ("arguments", "environ", "words"),
    [
        ((), {"CUDA_VISIBLE_DEVICES": ""}, "torch sees no GPU on this machine"),
        (("--device", "cuda:99"), {}, "torch sees no cuda:99 on this machine"),
    ],
)
def test_device_that_is_hidden_or_absent_is_not_looked_for(home, arguments, environ, words):
    log = home.parent / "train.log"
    log.write_text(
        "torch._inductor.exc.InductorError: RuntimeError: Failed to find C compiler. "
        "Please specify via CC environment variable or set triton.knobs.build.impl.\n"
    )
    verification, _ = verify(home, log, *arguments, **environ, **BROKEN)
    assert (verification["baseline"]["status"], verification["baseline"]["note"]) == ("could not run", words)
