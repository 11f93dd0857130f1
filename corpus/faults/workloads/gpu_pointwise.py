"""A pointwise kernel and a reduction on a GPU."""

import torch


def model(x, y):
    return (x.sin() + y).relu().sum(-1)


compiled = torch.compile(model)
x, y = torch.randn(64, 256, device="cuda"), torch.randn(64, 256, device="cuda")
torch.testing.assert_close(compiled(x, y), model(x, y))
print("ok")
