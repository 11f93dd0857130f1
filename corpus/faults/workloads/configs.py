"""A function that is given a class with its settings."""

import torch

# settings


class Config:
    scale = 2.0


multiply = torch.compile(lambda x, config: x * config.scale, backend="eager")
for _ in range(12):
    x = torch.randn(4)
    multiply(x, Config)
print("ok")
