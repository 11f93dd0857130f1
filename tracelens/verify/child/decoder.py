"""A decoder layer in the shape of LLaMA-7B, forward and backward in bfloat16: what people compile on a GPU."""

from __future__ import annotations

from typing import Any

from .trial import Subject

_BATCH, _LENGTH, _WIDTH, _HEADS, _HIDDEN = 16, 512, 4096, 32, 11008


def decoder(device: str) -> Subject:
    """Return the layer as a function of its input and its weights, so that all gradients are compared."""
    import torch

    half = _WIDTH // _HEADS // 2

    def turned(x: Any, angles: Any) -> Any:  # noqa: ANN401 - tensors
        first, second = x[..., :half], x[..., half:]
        cosine, sine = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
        return torch.cat((first * cosine - second * sine, second * cosine + first * sine), dim=-1)

    def normed(x: Any, scale: Any) -> Any:  # noqa: ANN401 - tensors
        return x * torch.rsqrt(x.float().square().mean(-1, keepdim=True) + 1e-5).to(x.dtype) * scale

    def layer(x: Any, scales: Any, attention: Any, out: Any, gates: Any, down: Any, angles: Any) -> Any:  # noqa: ANN401, PLR0913, PLR0917 - tensors
        batch, length, _ = x.shape
        mixed = (normed(x, scales[0]) @ attention).view(batch, length, 3, _HEADS, 2 * half)
        query, key, value = mixed.permute(2, 0, 3, 1, 4).unbind(0)
        seen = torch.nn.functional.scaled_dot_product_attention(
            turned(query, angles), turned(key, angles), value, is_causal=True
        )
        x = x + seen.transpose(1, 2).reshape(batch, length, _WIDTH) @ out
        gate, up = (normed(x, scales[1]) @ gates).chunk(2, dim=-1)
        return x + (torch.nn.functional.silu(gate) * up) @ down

    def make_inputs() -> list[Any]:
        generator = torch.Generator(device=device).manual_seed(0)

        def weight(*shape: int) -> Any:  # noqa: ANN401 - a tensor
            value = torch.randn(shape, generator=generator, device=device) / shape[-2] ** 0.5
            return value.to(torch.bfloat16).requires_grad_()

        x = weight(_BATCH, _LENGTH, _WIDTH)
        scales = torch.ones(2, _WIDTH, device=device, dtype=torch.bfloat16, requires_grad=True)
        rates = 10000.0 ** (-torch.arange(half, device=device) / half)
        angles = torch.arange(_LENGTH, device=device)[:, None] * rates
        shapes = ((_WIDTH, 3 * _WIDTH), (_WIDTH, _WIDTH), (_WIDTH, 2 * _HIDDEN), (_HIDDEN, _WIDTH))
        return [x, scales, *(weight(*shape) for shape in shapes), angles]

    return Subject(layer, make_inputs, train=True, samples=_BATCH, operators=40)
