"""A matrix product by a Triton kernel of the user's own, called from a compiled function."""

import torch
import triton
import triton.language as tl

SIZE = 256
BLOCK = 64


@triton.jit
def multiply(a, b, c, size: tl.constexpr, block: tl.constexpr):
    rows = tl.program_id(0) * block + tl.arange(0, block)
    columns = tl.program_id(1) * block + tl.arange(0, block)
    total = tl.zeros((block, block), dtype=tl.float32)
    for start in range(0, size, block):
        inner = start + tl.arange(0, block)
        left = tl.load(a + rows[:, None] * size + inner[None, :])
        right = tl.load(b + inner[:, None] * size + columns[None, :])
        total += tl.dot(left, right)
    tl.store(c + rows[:, None] * size + columns[None, :], total)


@torch.compile
def product(a, b):
    c = torch.empty_like(a)
    multiply[(SIZE // BLOCK, SIZE // BLOCK)](a, b, c, SIZE, BLOCK)
    return c + 1


a = torch.randn(SIZE, SIZE, device="cuda")
torch.testing.assert_close(product(a, a), a @ a + 1, atol=1.0, rtol=0.1)
print("ok")
