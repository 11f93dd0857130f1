"""A function over batches of several sizes."""

import torch

# settings
double = torch.compile(lambda x: x * 2 + x.shape[0], backend="eager", dynamic=True)
for size in (2, 7, 5):
    x = torch.randn(size, 8)
    double(x)
print("ok")
