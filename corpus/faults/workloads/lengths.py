"""A layer over inputs of growing length."""

import torch

# settings
linear = torch.nn.Linear(8, 8)
layer = torch.compile(lambda x: torch.relu(linear(x)).sum(-1), backend="eager")
for length in range(16, 16 + 3 * 12, 3):
    x = torch.randn(2, length, 8)
    layer(x)
print("ok")
