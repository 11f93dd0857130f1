"""Training and evaluation by turns."""

import torch

# settings


def step(x):
    return x * 2 + 1


train = torch.compile(step, backend="eager")
evaluate = torch.compile(lambda x: x * 2 + 1, backend="eager")
for _ in range(3):
    train(torch.randn(4, requires_grad=True))
    with torch.no_grad():
        evaluate(torch.randn(4, requires_grad=True))
print("ok")
