"""Control flow and functions of functions that stay in the graph."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn
from torch._higher_order_ops.associative_scan import associative_scan
from torch._higher_order_ops.map import map as map_rows
from torch._higher_order_ops.while_loop import while_loop
from torch.utils.checkpoint import checkpoint


def branch(compiled):
    def choose(x):
        return torch.cond(x.sum() > 0, lambda x: x + 1, lambda x: x.sin() - 1, (x,))

    compiled(choose)(torch.randn(4))


def nested_branch(compiled):
    def choose(x):
        def inner(x):
            return torch.cond(x.max() > 1, lambda x: x * 3, lambda x: x.cos(), (x,))

        return torch.cond(x.sum() > 0, inner, lambda x: x - 1, (x,))

    compiled(choose)(torch.randn(4))


def branch_with_weights(compiled):
    first, second = nn.Linear(4, 4), nn.Linear(4, 4)
    compiled(lambda x: torch.cond(x.sum() > 0, first, second, (x,)))(torch.randn(2, 4))


def loop(compiled):
    def double(x):
        return while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2), (torch.tensor(0), x))

    compiled(double)(torch.randn(4))


def scanned(compiled):
    from torch._higher_order_ops.scan import scan  # not in torch 2.5

    compiled(lambda x: scan(lambda carry, x: (carry + x, carry * x), torch.zeros(4), x))(torch.randn(5, 4))


def scanned_in_parallel(compiled):
    compiled(lambda x: associative_scan(lambda a, b: a + b, x, 0, combine_mode="generic"))(torch.randn(5, 4))


def mapped(compiled):
    compiled(lambda x, y: map_rows(lambda row, y: row * y + 1, x, y))(torch.randn(3, 4), torch.randn(4))


def flexible_attention(compiled):
    from torch.nn.attention.flex_attention import flex_attention

    def attend(q):
        return flex_attention(q, q, q, score_mod=lambda score, b, h, i, j: score + (i - j))

    with torch.no_grad():
        compiled(attend)(torch.randn(1, 2, 128, 16))


def flexible_attention_with_mask(compiled):
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    mask = create_block_mask(lambda b, h, i, j: i >= j, None, None, 128, 128, device="cpu")
    with torch.no_grad():
        compiled(lambda q: flex_attention(q, q, q, block_mask=mask))(torch.randn(1, 2, 128, 16))


def checkpointed(compiled):
    layer = nn.Linear(4, 4)

    def twice(x):
        return checkpoint(lambda y: torch.relu(layer(y)), x, use_reentrant=False)

    compiled(twice)(torch.randn(4, 4, requires_grad=True)).sum().backward()


def own_gradient(compiled):
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return 2 * x * grad

    compiled(lambda x: Square.apply(x).sum())(torch.randn(4, requires_grad=True)).backward()


def vectorised(compiled):
    compiled(torch.func.vmap(lambda x: (x * 2).sum()))(torch.randn(5, 4))


def gradient_inside(compiled):
    compiled(torch.func.grad(lambda x: (x**3).sum()))(torch.randn(5))


def per_sample_gradients(compiled):
    def loss(w, x):
        return (x @ w).square().mean()

    compiled(torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0)))(torch.randn(4), torch.randn(3, 2, 4))


def jacobian(compiled):
    compiled(torch.func.jacrev(lambda x: x.sin() * x.sum()))(torch.randn(3))


def half_precision_region(compiled):
    def mixed(x):
        with torch.autocast("cpu", dtype=torch.bfloat16), torch.no_grad():
            y = F.linear(x, x)
        return y.float() + x

    compiled(mixed)(torch.randn(4, 4, requires_grad=True)).sum().backward()


def repeated_layer(compiled):
    layer = nn.Linear(4, 4)

    @torch.compiler.nested_compile_region
    def block(x):
        return torch.relu(layer(x))

    compiled(lambda x: block(block(x)))(torch.randn(2, 4)).sum().backward()
