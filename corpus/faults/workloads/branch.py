"""One of two functions, by the sum of the input."""

import torch


def choose(x):
    return torch.where(x.sum() > 0, torch.relu(x), torch.sigmoid(x))


compiled = torch.compile(choose, backend="eager", fullgraph=True)
compiled(torch.randn(8))
print("ok")
