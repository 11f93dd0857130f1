"""The export of a model with two inputs of one length."""

import torch
from torch.export import Dim, export


class Model(torch.nn.Module):
    def forward(self, ids, mask):
        return ids * mask


model, args = Model(), (torch.randn(4, 16), torch.ones(4, 16))
seq = Dim("seq")
export(model, args, dynamic_shapes={"ids": {1: seq}, "mask": {1: seq}})
print("ok")
