"""No line that a log is full of is looked at for any of our rules: one such text made a large log ten times as slow."""

from __future__ import annotations

import pytest

from tests.corpus_cases import our_rules
from tracelens.parsing.anchors import ANCHORS
from tracelens.scan.engines import PythonEngine
from tracelens.scan.gates import COSTS, make_plan


@pytest.fixture(scope="module", params=COSTS)
def engine(request) -> PythonEngine:
    return PythonEngine(make_plan([*ANCHORS, *our_rules().anchors], request.param).gates())


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
