"""Attention in its many forms, and mixtures of experts."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    def __init__(self, causal=True):
        super().__init__()
        self.inputs = nn.Linear(32, 96)
        self.outputs = nn.Linear(32, 32)
        self.causal = causal

    def forward(self, x):
        heads = [part.view(*part.shape[:2], 4, 8).transpose(1, 2) for part in self.inputs(x).chunk(3, -1)]
        mixed = F.scaled_dot_product_attention(*heads, is_causal=self.causal)
        return self.outputs(mixed.transpose(1, 2).reshape(x.shape))


def attention_training(compiled):
    compiled(Attention())(torch.randn(2, 16, 32)).sum().backward()


def attention_inference(compiled):
    with torch.no_grad():
        compiled(Attention(causal=False))(torch.randn(2, 16, 32))


def attention_bfloat16(compiled):
    with torch.no_grad():
        compiled(Attention().bfloat16())(torch.randn(2, 16, 32, dtype=torch.bfloat16))


def attention_by_hand(compiled):
    def attend(q, k, v, mask):
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        return scores.masked_fill(mask == 0, float("-inf")).softmax(-1) @ v

    tensors = [torch.randn(2, 4, 6, 8, requires_grad=True) for _ in range(3)]
    compiled(attend)(*tensors, torch.tril(torch.ones(6, 6))).sum().backward()


def masked_attention(compiled):
    q = torch.randn(2, 4, 6, 8)
    compiled(lambda q, mask: F.scaled_dot_product_attention(q, q, q, attn_mask=mask))(q, torch.ones(6, 6).bool().tril())


def grouped_queries(compiled):
    q, k = torch.randn(1, 8, 6, 8), torch.randn(1, 2, 6, 8)
    compiled(lambda q, k: F.scaled_dot_product_attention(q, k, k, enable_gqa=True))(q, k)


def encoder_layer_training(compiled):
    model = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.1, batch_first=True)
    compiled(model)(torch.randn(2, 5, 16)).sum().backward()


def decoder_layer_inference(compiled):
    model = nn.TransformerDecoderLayer(16, 2, 32, batch_first=True, norm_first=True).eval()
    with torch.no_grad():
        compiled(model)(torch.randn(2, 5, 16), torch.randn(2, 7, 16))


def multihead_attention(compiled):
    model = nn.MultiheadAttention(16, 2, batch_first=True)
    x = torch.randn(2, 5, 16)
    compiled(lambda x: model(x, x, x, need_weights=True))(x)[0].sum().backward()


class RotaryBlock(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.RMSNorm(16)
        self.query, self.key, self.value, self.out = (nn.Linear(16, 16, bias=False) for _ in range(4))
        self.gate, self.up, self.down = nn.Linear(16, 32), nn.Linear(16, 32), nn.Linear(32, 16)
        self.register_buffer("angles", torch.outer(torch.arange(8.0), 1e4 ** (-torch.arange(0, 8, 2) / 8)))

    def rotate(self, x):
        cos, sin = self.angles.cos(), self.angles.sin()
        first, second = x.chunk(2, -1)
        return torch.cat([first * cos - second * sin, second * cos + first * sin], -1)

    def forward(self, x):
        y = self.norm(x)
        q, k, v = (layer(y).view(*y.shape[:2], 2, 8).transpose(1, 2) for layer in (self.query, self.key, self.value))
        mixed = F.scaled_dot_product_attention(self.rotate(q), self.rotate(k), v, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).flatten(2))
        y = self.norm(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


def rotary_block_training(compiled):
    compiled(RotaryBlock())(torch.randn(2, 8, 16)).sum().backward()


def key_value_cache(compiled):
    cache = torch.zeros(1, 2, 16, 8)

    def decode(q, k, position):
        cache.index_copy_(2, position, k)
        mask = torch.arange(16) <= position
        return F.scaled_dot_product_attention(q, cache, cache, attn_mask=mask[None, None, None])

    with torch.no_grad():
        compiled(decode)(torch.randn(1, 2, 1, 8), torch.randn(1, 2, 1, 8), torch.tensor([5]))


class Experts(nn.Module):
    def __init__(self):
        super().__init__()
        self.router = nn.Linear(16, 4)
        self.up = nn.Parameter(torch.randn(4, 16, 32) * 0.1)
        self.down = nn.Parameter(torch.randn(4, 32, 16) * 0.1)

    def forward(self, x):
        weights, chosen = self.router(x).softmax(-1).topk(2, dim=-1)
        weights = weights / weights.sum(-1, keepdim=True)
        hidden = F.silu(torch.einsum("td,tdh->th", x, self.up[chosen[:, 0]]))
        first = torch.einsum("th,thd->td", hidden, self.down[chosen[:, 0]])
        load = F.one_hot(chosen, 4).sum((0, 1)).float()
        return first * weights[:, :1] + x * weights[:, 1:], (load / load.sum()).square().sum()


def expert_routing_training(compiled):
    out, balance = compiled(Experts())(torch.randn(6, 16))
    (out.sum() + balance).backward()


def expert_dispatch(compiled):
    def dispatch(x, chosen):
        order = chosen.argsort(stable=True)
        counts = torch.bincount(chosen, minlength=4)
        starts = counts.cumsum(0) - counts
        back = torch.empty_like(order).scatter_(0, order, torch.arange(6))
        return x[order], starts, x[order][back]

    compiled(dispatch)(torch.randn(6, 4), torch.tensor([3, 0, 1, 0, 2, 3]))


def next_token(compiled):
    def sample(logits):
        kept = logits.topk(4).values[..., -1:]
        logits = logits.masked_fill(logits < kept, float("-inf")) / 0.7
        return logits.softmax(-1).argmax(-1), logits.log_softmax(-1)

    compiled(sample)(torch.randn(2, 10))


def relative_positions(compiled):
    table = nn.Embedding(8, 2)

    def bias(x):
        distance = torch.arange(x.shape[1])[None] - torch.arange(x.shape[1])[:, None]
        near = distance.abs() < 4
        far = (torch.log(distance.abs().clamp(min=1).float() / 4) * 2).long() + 4
        return table(torch.where(near, distance.abs(), far.clamp(max=7))).permute(2, 0, 1)

    compiled(bias)(torch.randn(1, 6)).sum().backward()


def vision_patches(compiled):
    model = nn.Sequential(nn.Unfold(4, stride=4), nn.Flatten(1), nn.Linear(192, 16), nn.GELU(approximate="tanh"))
    compiled(model)(torch.randn(2, 3, 8, 8)).sum().backward()
