"""A descent with a rate that changes."""

import torch

# settings
descend = torch.compile(lambda x, rate: x - rate * x, backend="eager")
for step in range(12):
    x, rate = torch.randn(4), 1.0 / (step + 1.5)
    descend(x, torch.tensor(rate))
print("ok")
