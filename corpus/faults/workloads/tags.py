"""A function that is told a name."""

import torch

# settings


def weigh(x, name):
    return x * (name if isinstance(name, torch.Tensor) else len(name))


tag = torch.compile(weigh, backend="eager")
for count in range(12):
    x, name = torch.randn(4), "x" * count
    tag(x, torch.tensor(len(name)))
print("ok")
