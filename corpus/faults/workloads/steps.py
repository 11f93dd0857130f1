"""A module that counts its calls."""

import torch


class Counter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.step = torch.tensor(0)

    def forward(self, x):
        self.step += 1
        return x * self.step


# settings
model = Counter()
compiled = torch.compile(model, backend="eager")
for _ in range(12):
    compiled(torch.randn(4))
print("ok")
