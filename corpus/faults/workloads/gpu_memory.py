"""All distances between the rows of a matrix on a GPU."""

import torch

ROWS = 3000


@torch.compile
def distances(x):
    return torch.cdist(x, x).softmax(-1) + 1


print(distances(torch.randn(ROWS, 64, device="cuda")).shape)
print("ok")
