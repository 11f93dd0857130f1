"""A penalty on a gradient, which is differentiated again."""

import torch


def critic(x):
    return (x**3).sin().sum()


compiled = torch.compile(critic, backend="eager")
x = torch.randn(4, requires_grad=True)
(gradient,) = torch.autograd.grad(compiled(x), x, create_graph=True)
gradient.pow(2).sum().backward()
print("ok")
