"""A layer whose weight is replaced by one of another size."""

import torch

# settings


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(4))

    def forward(self, x):
        return self.weight * x


layer = Layer()
compiled = torch.compile(layer, backend="eager")
for size in [4] * 12:
    layer.weight = torch.nn.Parameter(torch.randn(size))
    compiled(torch.tensor(2.0))
print("ok")
