"""A small layer under CUDA graphs, with inputs of many lengths."""

import torch

model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU()).cuda()
compiled = torch.compile(model)
with torch.no_grad():
    for length in range(2, 40):
        compiled(torch.randn(length, 64, device="cuda"))
print("ok")
