"""Recompiles for every kind of guard, graph breaks and failures; run with TORCH_TRACE set."""
import sys

import torch
import torch._dynamo.config as config

BACKEND = "eager"


def run(function, calls, **options):
    torch._dynamo.reset()
    compiled = torch.compile(function, **{"backend": BACKEND, **options})
    for call in calls:
        try:
            compiled(*call)
        except Exception as error:
            print(type(error).__name__)


def scale(x):
    return x * 2


def times(x, n):
    return x * n


def named(x, mode):
    return x * 2 if mode == "a" else x + len(mode)


def apply(x, function):
    return function(x)


def total(items):
    return sum(item.sum() for item in items)


class Counter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.step = 0

    def forward(self, x):
        self.step += 1
        return x * self.step


def recompiles():
    config.recompile_limit = 3
    run(scale, [(torch.randn(4, n),) for n in range(5, 10)], dynamic=False)
    config.recompile_limit = 8
    run(named, [(torch.randn(4), "a" * n) for n in (1, 2)])
    run(times, [(torch.randn(4), n) for n in (2, 3)], dynamic=False)
    run(times, [(torch.randn(4), n + 0.5) for n in (2, 3)], dynamic=False)
    run(Counter(), [(torch.randn(4),)] * 2)
    run(apply, [(torch.randn(4), lambda x: x + 1), (torch.randn(4), lambda x: x + 2)])
    run(scale, [(torch.randn(4),), (torch.randn(4, 4),), (torch.randn(4, dtype=torch.float64),)])
    run(scale, [(torch.randn(4),), (torch.randn(4, requires_grad=True),), (torch.randn(4, device="meta"),)])
    run(scale, [(torch.randn(4, 4),), (torch.randn(4, 4).t(),)])
    run(scale, [(torch.randn(n, 4),) for n in (5, 6, 1)])
    run(total, [([torch.randn(3)] * n,) for n in (1, 2)])
    torch._dynamo.reset()
    compiled = torch.compile(scale, backend=BACKEND)
    x = torch.randn(4, requires_grad=True)
    compiled(x)
    with torch.no_grad():
        compiled(x)


def branch(x):
    x = x + 1
    print("here")
    torch._dynamo.graph_break()
    if x.sum() > 0:
        x = x * 2
    return x * int(x.sum().item())


def broken(graph, inputs):
    raise RuntimeError("this backend is broken")


def breaks():
    run(branch, [(torch.ones(4),), (torch.ones(5),)])
    run(torch.nonzero, [(torch.randn(4),)])
    run(branch, [(torch.ones(4),)], fullgraph=True)
    config.suppress_errors = True
    run(scale, [(torch.randn(4),)], backend=broken)


def inductor():
    weights = torch.randn(8, 8, requires_grad=True)

    def model(x, w):
        return torch.relu(x @ w).softmax(-1).sum()

    compiled = torch.compile(model, backend="inductor")
    for n in (3, 4):
        compiled(torch.randn(n, 8), weights).backward()


{"recompiles": recompiles, "breaks": breaks, "inductor": inductor}[sys.argv[1]]()
