"""A pointwise kernel and a reduction on a GPU, compiled by worker processes as on any machine of several cores."""

import os

os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "4"

import torch
from torch._inductor.async_compile import AsyncCompile


def model(x, y):
    return (x.sin() + y).relu().sum(-1)


if __name__ == "__main__":
    AsyncCompile.wait_pool_ready()
    compiled = torch.compile(model)
    x, y = torch.randn(64, 256, device="cuda"), torch.randn(64, 256, device="cuda")
    torch.testing.assert_close(compiled(x, y), model(x, y))
    print("ok")
