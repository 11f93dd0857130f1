"""A function that looks a setting up."""

import torch

scale = torch.compile(lambda x, config: x * config["scale"], backend="eager")
print(scale(torch.ones(4), {"scale": 2.0}).sum().item())
print("ok")
