"""A function over tensors of several memory layouts."""

import itertools

import torch

# settings
halve = torch.compile(lambda x: (x / 2).flatten(), backend="eager")
for order in itertools.permutations(range(4)):
    x = torch.permute(torch.randn(2, 2, 2, 2), order).contiguous()
    halve(x)
print("ok")
