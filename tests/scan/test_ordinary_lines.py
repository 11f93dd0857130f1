"""No line that a log is full of is looked at for any of our rules: one such text made a large log ten times as slow."""

from __future__ import annotations

from collections import Counter

import pytest

from bench.inputs import write_crashes, write_dense, write_noise
from tests.command import CORPUS
from tests.corpus_cases import our_rules
from tracelens.parsing.anchors import ANCHORS
from tracelens.scan.engines import GATE_MASK, HyperscanEngine, PythonEngine
from tracelens.scan.finder import HitFinder
from tracelens.scan.gates import COSTS, make_plan
from tracelens.scan.options import EngineName
from tracelens.scan.plan import Plan

#: One gate in so many lines may be found for nothing: five times what is, and a poor text stands in every seventh line.
LINES_PER_WASTE = 100


def our_plan(engine: EngineName) -> Plan:
    return make_plan([*ANCHORS, *our_rules().anchors], engine)


@pytest.fixture(scope="module", params=COSTS)
def engine(request) -> PythonEngine:
    return PythonEngine(our_plan(request.param).gates())


@pytest.fixture(scope="module")
def native() -> tuple[Plan, HyperscanEngine]:
    plan = our_plan("hyperscan")
    return plan, HyperscanEngine(plan.gates())


@pytest.mark.parametrize(
    "line",
    [
        b"V1201 02:32:05.123456 77 torch/_dynamo/guards.py:2890] [0/0] [__guards] GUARDS:\n",
        b"I1201 02:32:05.123456 77 torch/_inductor/compile_fx.py:914] [0/1] FX codegen and compilation took 1.2s\n",
        b"2026-12-01 02:32:05,123 INFO trainer.py:88: step 1200 loss 2.4310 lr 3.0e-04 tokens/s 18234\n",
        b"[rank3]: INFO:trainer:saved checkpoint to /data/run/step_1200.pt in 3.4 s\n",
        b"Epoch 3:  41%|####1     | 410/1000 [01:23<01:59,  4.93it/s, loss=2.41]\r\n",
        b"(Worker pid=4021) INFO 12-01 02:32:05 [worker.py:214] model weights take 14.99 GB\n",
        b'  File "/usr/lib/python3.11/site-packages/torch/nn/modules/module.py", line 1751, in _wrapped_call_impl\n',
    ],
)
def test_no_gate_stands_in_an_ordinary_line(engine, line):
    assert engine.occurrences(bytearray(b"\n" + line), 1, len(line) + 1) == []


@pytest.mark.parametrize("write", [write_noise, write_dense, write_crashes])
def test_few_looks_are_wasted_on_what_the_bench_is_made_of(native, write, tmp_path):
    plan, engine = native
    log = tmp_path / "bench.log"
    write(log, 2 << 20, CORPUS)
    text = bytearray(b"\n" + log.read_bytes())
    hits = HitFinder(plan, engine, lambda _: engine).hit_lines(text, 1, len(text))
    assert hits
    for start, end in hits:
        text[start : end - 1] = bytes(end - 1 - start)
    wasted = Counter(plan.gate(code & GATE_MASK).text for code in engine.occurrences(text, 1, len(text)))
    assert wasted.total() < text.count(b"\n") / LINES_PER_WASTE, wasted.most_common(3)
