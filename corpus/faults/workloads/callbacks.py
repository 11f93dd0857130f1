"""A function that is given another one."""

import torch

# settings


def increase(y):
    return y + 1


apply = torch.compile(lambda x, function: function(x) * 2, backend="eager")
kept = []
for _ in range(12):
    x = torch.randn(4)
    apply(x, increase)
print("ok")
