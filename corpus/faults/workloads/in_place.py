"""An output that is changed before the gradient is taken."""

import torch

linear = torch.nn.Linear(8, 8)
layer = torch.compile(lambda x: torch.sigmoid(linear(x)), backend="aot_eager")
y = layer(torch.randn(4, 8))
y = y + 1
y.sum().backward()
print("ok")
