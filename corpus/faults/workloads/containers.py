"""A sum over the parts in a list."""

import torch

# settings


def total(x, parts):
    for part in parts:
        x = x + part
    return x


add = torch.compile(total, backend="eager")
parts = []
for _ in range(12):
    x = torch.randn(4)
    parts.append(x)
    add(x, parts[-1:])
print("ok")
