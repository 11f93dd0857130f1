"""Optimizers, random numbers, quantised arithmetic, and operators of the user's own."""

from __future__ import annotations

import torch
import torch.ao.quantization.fx._decomposed
import torch.nn.functional as F
from torch import nn


def _parameters():
    made = [torch.randn(4, requires_grad=True) for _ in range(3)]
    for parameter in made:
        parameter.grad = torch.randn(4)
    return made


def adam_step(compiled):
    compiled(torch.optim.Adam(_parameters(), lr=torch.tensor(0.01)).step)()


def sgd_step(compiled):
    compiled(torch.optim.SGD(_parameters(), lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.01).step)()


def adamw_step(compiled):
    compiled(torch.optim.AdamW(_parameters(), lr=torch.tensor(1e-3), amsgrad=True, capturable=False).step)()


def whole_step(compiled):
    model = nn.Linear(4, 2)

    def step(x, y):
        loss = F.cross_entropy(model(x), y)
        gradients = torch.autograd.grad(loss, list(model.parameters()))
        with torch.no_grad():
            for parameter, gradient in zip(model.parameters(), gradients, strict=True):
                parameter.sub_(0.1 * gradient)
        return loss

    compiled(step)(torch.randn(3, 4), torch.tensor([0, 1, 0]))


def clipped_gradients(compiled):
    def clip(gradients):
        total = torch.linalg.vector_norm(torch.stack([g.norm() for g in gradients]))
        return [g * (1.0 / (total + 1e-6)).clamp(max=1.0) for g in gradients]

    compiled(clip)([torch.randn(4) for _ in range(3)])


def averaged_weights(compiled):
    def average(old, new):
        torch._foreach_lerp_(old, new, 0.1)
        return old

    compiled(average)([torch.randn(4), torch.randn(2)], [torch.randn(4), torch.randn(2)])


def dropout_training(compiled):
    model = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.3)).train()
    compiled(model)(torch.randn(4, 8)).sum().backward()


def random_numbers(compiled):
    def draw(x):
        return x + torch.rand_like(x) + torch.randn(3, 4) + torch.randint(0, 9, (3, 4)) + torch.bernoulli(x.sigmoid())

    compiled(draw)(torch.randn(3, 4))


def random_order(compiled):
    compiled(lambda x: x + torch.randperm(4) + torch.empty(4).uniform_() + torch.normal(0.0, 1.0, (4,)))(torch.randn(4))


def sampled_token(compiled):
    compiled(lambda logits: torch.multinomial(logits.softmax(-1), 2))(torch.randn(2, 8))


def gumbel(compiled):
    compiled(lambda x: F.gumbel_softmax(x, tau=0.5) + F.rrelu(x, training=True))(torch.randn(4, 4))


def latent_sample(compiled):
    encoder = nn.Linear(8, 8)

    def sample(x):
        mean, spread = encoder(x).chunk(2, -1)
        z = mean + torch.exp(0.5 * spread) * torch.randn_like(spread)
        return z.sum() - 0.5 * (1 + spread - mean.square() - spread.exp()).sum()

    compiled(sample)(torch.randn(2, 8)).backward()


def attention_dropout(compiled):
    q = torch.randn(1, 2, 6, 8, requires_grad=True)
    compiled(lambda q: F.scaled_dot_product_attention(q, q, q, dropout_p=0.2))(q).sum().backward()


def fake_quantised(compiled):
    def quantise(x):
        ops = torch.ops.quantized_decomposed
        stored = ops.quantize_per_tensor(x, 0.1, 3, 0, 255, torch.uint8)
        back = ops.dequantize_per_tensor(stored, 0.1, 3, 0, 255, torch.uint8)
        return torch.fake_quantize_per_tensor_affine(x, 0.1, 3, 0, 255) + back

    compiled(quantise)(torch.randn(4, 4))


def quantised_per_channel(compiled):
    def quantise(x, scales, zeros):
        ops = torch.ops.quantized_decomposed
        stored = ops.quantize_per_channel(x, scales, zeros, 0, -128, 127, torch.int8)
        return ops.dequantize_per_channel(stored, scales, zeros, 0, -128, 127, torch.int8)

    compiled(quantise)(torch.randn(3, 4), torch.full((3,), 0.1), torch.zeros(3, dtype=torch.int64))


def integer_matmul(compiled):
    def multiply(a, b, scale):
        return torch._int_mm(a, b).float() * scale

    a, b = torch.randint(-5, 5, (32, 16), dtype=torch.int8), torch.randint(-5, 5, (16, 32), dtype=torch.int8)
    compiled(multiply)(a, b, torch.tensor(0.1))


def weight_only_int8(compiled):
    weights, scales = torch.randint(-127, 127, (8, 16), dtype=torch.int8), torch.rand(8)
    compiled(lambda x: F.linear(x, weights.to(x.dtype)) * scales)(torch.randn(4, 16))


def packed_int4(compiled):
    def unpack(x, packed, scale):
        weights = torch.stack([packed & 15, packed >> 4], -1).flatten(-2).to(x.dtype) - 8
        return x @ (weights * scale).t()

    compiled(unpack)(torch.randn(2, 8), torch.randint(0, 255, (4, 4), dtype=torch.uint8), torch.rand(4, 1))


def dynamic_quantisation(compiled):
    def quantise(x, w):
        scale = x.abs().amax(-1, keepdim=True) / 127
        stored = (x / scale).round().clamp(-128, 127).to(torch.int8)
        return torch._int_mm(stored, w).float() * scale

    compiled(quantise)(torch.randn(32, 16), torch.randint(-5, 5, (16, 32), dtype=torch.int8))


def float8_cast(compiled):
    compiled(lambda x: x.to(torch.float8_e4m3fn).to(torch.float32) + x.to(torch.float8_e5m2).float())(torch.randn(4, 4))


def own_operator(compiled):
    @torch.library.custom_op("tracelens_material::triple", mutates_args=())
    def triple(x: torch.Tensor) -> torch.Tensor:
        return x * 3

    triple.register_fake(torch.empty_like)
    compiled(lambda x: triple(x) + 1)(torch.randn(4))


def own_operator_in_place(compiled):
    @torch.library.custom_op("tracelens_material::increase", mutates_args={"x"})
    def increase(x: torch.Tensor) -> None:
        x.add_(1)

    def twice(x):
        increase(x)
        return x * 2

    compiled(twice)(torch.randn(4))
