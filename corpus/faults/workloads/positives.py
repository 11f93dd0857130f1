"""The positive ones of many numbers."""

import torch

# settings


def positives(x):
    return torch.where(x > 0, x, 0) * 2


compiled = torch.compile(positives, backend="eager", fullgraph=True)
compiled(torch.randn(64))
print("ok")
