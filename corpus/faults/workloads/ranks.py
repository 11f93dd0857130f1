"""A function over tensors with leading dimensions."""

import torch

# settings
scale = torch.compile(lambda x: x * 0.5 + x.sum(), backend="eager")
for rank in range(2, 14):
    shape = (rank, 2, 16)
    x = torch.randn(shape)
    scale(x)
print("ok")
