"""Sizes that are symbols, and values that only the data knows."""

from __future__ import annotations

import torch
import torch.nn.functional as F


def joined_batches(compiled):
    def join(x, w):
        return torch.cat([x @ w, x[:, :3]], 1).view(x.size(0), -1) * x.shape[0]

    compiled(join, dynamic=True)(torch.randn(5, 7), torch.randn(7, 9))


def size_expressions(compiled):
    def fold(x):
        return F.pad(x.reshape(x.shape[0] * x.shape[1] // 2, 2), (0, x.shape[0] - 2)).sum(0)

    compiled(fold, dynamic=True)(torch.randn(6, 10))


def dynamic_linear(compiled):
    model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.GELU(), torch.nn.Linear(16, 4))
    step = compiled(model, dynamic=True)
    step(torch.randn(5, 8)).sum().backward()


def dynamic_attention(compiled):
    def attend(x):
        q = x.view(x.shape[0], x.shape[1], 2, x.shape[2] // 2).transpose(1, 2)
        return F.scaled_dot_product_attention(q, q, q).transpose(1, 2).reshape(x.shape)

    compiled(attend, dynamic=True)(torch.randn(3, 5, 16))


def dynamic_convolution(compiled):
    model = torch.nn.Conv2d(3, 4, 3, stride=2, padding=1)
    compiled(model, dynamic=True)(torch.randn(2, 3, 9, 11)).sum().backward()


def second_size(compiled):
    step = compiled(lambda x: (x * 2).sum(0) + x.shape[0])
    step(torch.randn(4, 3))
    step(torch.randn(7, 3))


def marked_dimension(compiled):
    x = torch.randn(6, 3)
    torch._dynamo.mark_dynamic(x, 0)
    compiled(lambda x: x.mean(0) * x.size(0))(x)


def integer_argument(compiled):
    compiled(lambda x, n: x * n + n, dynamic=True)(torch.randn(4), 7)


def float_argument(compiled):
    compiled(lambda x, s: x * s, dynamic=True)(torch.randn(4), 0.37)


def numbers_of_sizes(compiled):
    def scale(x):
        n = x.shape[0]
        return x * (n**0.5) + torch.full((max(n, 4),), n / 2).sum() + torch.arange(n // 2).sum() + (n % 3)

    compiled(scale, dynamic=True)(torch.randn(9))


def position_ids(compiled):
    table = torch.nn.Embedding(64, 8)

    def embed(tokens):
        return table(torch.arange(tokens.shape[1])) + tokens.unsqueeze(-1)

    compiled(embed, dynamic=True)(torch.randint(0, 9, (3, 7)))


def masked_by_length(compiled):
    def mask(x, lengths):
        inside = torch.arange(x.shape[1])[None, :] < lengths[:, None]
        return (x * inside[..., None]).sum(1) / lengths[:, None]

    compiled(mask, dynamic=True)(torch.randn(3, 6, 4), torch.tensor([2, 6, 3]))


def nonzero_count(compiled):
    with torch._dynamo.config.patch(capture_scalar_outputs=True, capture_dynamic_output_shape_ops=True):
        compiled(lambda x: x.nonzero() + x.max().int().item(), fullgraph=True)(torch.tensor([0.0, 3.0, 4.0]))


def boolean_mask(compiled):
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
        compiled(lambda x: x[x > 0].sum() + x.unique().sum(), fullgraph=True)(torch.randn(8))


def slice_by_item(compiled):
    def head(x, n):
        k = n.item()
        torch._check(k >= 0)
        torch._check(k <= 4)
        return x[:k].sum() * k

    with torch._dynamo.config.patch(capture_scalar_outputs=True):
        compiled(head, fullgraph=True)(torch.randn(4), torch.tensor(3))


def split_by_items(compiled):
    def parts(x, n):
        sizes = n.tolist()
        for size in sizes:
            torch._check_is_size(size)
        return [part.sum() for part in x.split(sizes)]

    with torch._dynamo.config.patch(capture_scalar_outputs=True):
        compiled(parts, fullgraph=True)(torch.randn(6), torch.tensor([2, 4]))


def repeated_by_counts(compiled):
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
        compiled(lambda x, n: x.repeat_interleave(n, 0))(torch.randn(3, 2), torch.tensor([1, 0, 2]))
