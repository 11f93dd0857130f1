"""A running mean that is kept in a buffer on the GPU."""

import torch


def update(x, buffer):
    return buffer + x


compiled = torch.compile(update)
buffer = torch.zeros(32, device="cuda")
for _ in range(4):
    buffer = compiled(torch.randn(32, device="cuda"), buffer).clone()
print("ok")
