"""A function over tensors of several types."""

import torch

# settings
halve = torch.compile(lambda x: x / 2, backend="eager")
for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
    x = torch.ones(4, dtype=dtype)
    halve(x.float())
print("ok")
