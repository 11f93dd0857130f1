"""A function that is compiled as a whole."""

import torch

# settings


def normalise(x):
    y = torch.relu(x)
    # logged
    return y / (1 + y.sum())


compiled = torch.compile(normalise, backend="eager", fullgraph=True)
compiled(torch.randn(8))
print("ok")
