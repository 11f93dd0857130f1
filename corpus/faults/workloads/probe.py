"""A tiny kernel, after which torch knows the processor and the compiler."""

import torch


@torch.compile
def shift(x):
    return x + 1


print(shift(torch.zeros(8)).sum().item())
print("ok")
