"""Outputs of a compiled layer that are collected and used later."""

import torch

model = torch.nn.Linear(64, 64).cuda()
compiled = torch.compile(model)
x = torch.randn(8, 64, device="cuda")
with torch.no_grad():
    outputs = [compiled(x + step) for step in range(4)]
    print(torch.stack(outputs).sum().item())
print("ok")
