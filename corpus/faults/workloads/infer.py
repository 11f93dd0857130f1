"""Inference with a small network on the CPU."""

import torch


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(16, 32)
        self.last = torch.nn.Linear(32, 4)

    def forward(self, x):
        return self.last(torch.relu(self.first(x))).softmax(-1)


torch.manual_seed(0)
model = Network()
compiled = torch.compile(model)
x = torch.randn(8, 16)
with torch.no_grad():
    torch.testing.assert_close(compiled(x), model(x))
print("ok")
