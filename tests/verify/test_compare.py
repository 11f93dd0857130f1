"""What compiled code gives is right if it is as near to float64 as eager is, and wrong if not."""

from __future__ import annotations

import importlib.util
import json
import sys

import pytest

from tests.command import REPOSITORY, run_command

pytestmark = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="no torch")
PROGRAM = """
import json, sys
sys.path.insert(0, sys.argv[1])
import torch
from torch import inf, nan, tensor
from tracelens.verify.child.compare import compare_named
from tracelens.verify.child.result import Result

torch.manual_seed(0)
EXACT = torch.randn(1000, dtype=torch.float64)
SMALL = EXACT * 1e-5
NEAR = (EXACT + torch.randn(1000) * 1e-6).float()
HALF = EXACT.half()

def judged(want, have, exact=None):
    result = Result(-1)
    compare_named({"output 0": want}, {} if have is None else {"output 0": have}, {"output 0": exact}, result)
    return result.facts["wrong"]

print(json.dumps({name: judged(*values) for name, values in {
    "rounded otherwise": (EXACT.float(), NEAR, EXACT),
    "nearer to float64 than eager": (HALF, EXACT.to(torch.float16) + 0, EXACT),
    "overflow in eager alone": (tensor([inf, 1.0]).half(), tensor([6e4, 1.0]).half(), tensor([6e4, 1.0]).double()),
    "nan in both": (tensor([nan, 1.0]), tensor([nan, 1.0])),
    "infinity in both": (tensor([-inf, 1.0]), tensor([-inf, 1.0])),
    "a comparison that float64 decides": (tensor([True, False]), tensor([True, True]), tensor([True, True])),
    "number that is no tensor": (3, 3),
    "WRONG: small gradients are gone": (SMALL.float(), torch.zeros(1000), SMALL),
    "WRONG: far from float64": (EXACT.float(), EXACT.float() + 0.01, EXACT),
    "WRONG: far from eager": (EXACT.float(), EXACT.float() + 0.01),
    "WRONG: infinity for a number": (tensor([1.0, 2.0]), tensor([inf, 2.0]), tensor([1.0, 2.0]).double()),
    "WRONG: a number for infinity": (tensor([inf, 2.0]), tensor([1.0, 2.0])),
    "WRONG: infinity of the other sign": (tensor([inf, 2.0]), tensor([-inf, 2.0])),
    "WRONG: nan for a number": (tensor([1.0, 2.0]), tensor([nan, 2.0])),
    "WRONG: imaginary part": (tensor([1 + 2j, 3j]), tensor([1 + 0j, 3j])),
    "WRONG: an integer": (tensor([1, 2]), tensor([1, 3])),
    "WRONG: other dtype": (EXACT.float(), EXACT),
    "WRONG: other shape": (EXACT.float(), EXACT.float()[:5]),
    "WRONG: missing": (EXACT.float(), None),
}.items()}))
"""


def test_values_are_judged():
    run = run_command(sys.executable, "-W", "ignore", "-c", PROGRAM, str(REPOSITORY))
    assert run.code == 0, run.errors
    answer = json.loads(run.output)
    assert len(answer) > 15
    assert {name: words for name, words in answer.items() if name.startswith("WRONG") is not bool(words)} == {}
