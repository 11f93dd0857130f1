"""Functions of tensors: views, indices, types, in-place changes, odd outputs."""

from __future__ import annotations

import torch
import torch.nn.functional as F


def mutation(compiled):
    def change(x, y):
        x.add_(1)
        y[:, 0] = 2.0
        return x * y

    compiled(change)(torch.randn(4, 4), torch.randn(4, 4))


def nested_outputs(compiled):
    compiled(lambda x: (x.max(0), {"a": x.topk(2).indices, "b": [x + 1, None, 3]}, x.split(2)))(torch.randn(4, 4))


def complex_numbers(compiled):
    def spectrum(x):
        return torch.fft.fft(x).abs() + torch.view_as_real(torch.complex(x, x) * (1 + 2j)).sum(-1)

    compiled(spectrum)(torch.randn(8))


def infinities(compiled):
    def mask(x):
        soft = x.masked_fill(x > 0, float("-inf")).softmax(-1)
        return soft + torch.where(x > 1, float("nan"), x).clamp(max=float("inf"))

    compiled(mask)(torch.randn(4, 4))


def strided_inputs(compiled):
    compiled(lambda x, y: x.t() @ y + 1)(torch.randn(8, 6)[:, ::2].t().t(), torch.randn(16, 8)[::2, 1:])


def dtypes_and_formats(compiled):
    def convert(x):
        half = x.to(torch.float16).to(memory_format=torch.channels_last).contiguous()
        made = torch.arange(4, device=x.device), torch.full((2,), True), torch.empty_like(x).fill_(1)
        return half, x.to(torch.int64), made, x.double(), x.bfloat16(), x.to(torch.uint8), x.type(torch.float64)

    compiled(convert)(torch.randn(2, 3, 4, 4))


def aliased_views(compiled):
    compiled(lambda x: (x.view(-1), x[1:], x.t(), x.unfold(0, 2, 1), x.diagonal()))(torch.randn(4, 4))


def shared_storage(compiled):
    base = torch.randn(64)
    compiled(lambda a, b: (a.mul_(2), a + b))(base[:32], base[16:48])


def constant_tensors(compiled):
    outside = torch.tensor([1.0, 2.0, 3.0, 4.0])
    compiled(lambda x: x * torch.tensor([1.0, 2.0, 3.0, 4.0]) + torch.tensor(2) + outside)(torch.randn(4))


def indexing(compiled):
    def index(x, i):
        mask = x > 0
        put = x.index_put((i,), torch.ones(2)), x.scatter(0, i, 1.5), x.scatter_reduce(0, i, torch.ones(2), "amax")
        return (
            put,
            x.index_select(0, i),
            x[i],
            x.gather(0, i),
            torch.where(mask, x, 0),
            x.index_add(0, i, torch.ones(2)),
        )

    compiled(index)(torch.randn(6), torch.tensor([1, 2]))


def slices(compiled):
    def take(x):
        return x[..., None, 1:3:1], x[0, :, -1], x[:, [0, 2]], x[None, ...], x[1:, :-1, ::2], x[torch.tensor([0, 1])]

    compiled(take)(torch.randn(4, 4, 4))


def methods(compiled):
    def chain(x):
        y = x.view(2, -1).permute(1, 0).contiguous().clamp_(min=0).to("cpu", torch.float64, non_blocking=True)
        return y.squeeze(-1).type(torch.float32).expand(8, 2).repeat(1, 2).flatten().unflatten(0, (4, 8))

    compiled(chain)(torch.randn(4, 4))


def sorting_and_statistics(compiled):
    def statistics(x):
        sums = x.cumsum(0), x.std(0), x.var(1, correction=0), x.logsumexp(-1), x.norm(), x.median(), x.prod(0)
        return x.sort(), sums, torch.einsum("ij,kj->ik", x, x), x.flip(0), x.roll(1), x.argmax(-1), x.aminmax()

    compiled(statistics)(torch.randn(4, 4))


def elementwise(compiled):
    def compute(x, y):
        one = torch.erf(x) + torch.lgamma(y) + torch.atan2(x, y) + torch.hypot(x, y) + x.sigmoid().logit(1e-3)
        two = torch.special.expit(x) + torch.xlogy(y, y) + x.lerp(y, 0.3) + x.nan_to_num() + x.remainder(2)
        return one + two, x.bool() & y.bool(), x.sign().signbit(), torch.isclose(x, y), x.floor().int() // 2

    compiled(compute)(torch.randn(4, 4), torch.rand(4, 4) + 0.5)


def integers(compiled):
    def compute(a, b):
        return (
            a & b,
            a | b,
            a ^ b,
            ~a,
            a << 1,
            a >> 1,
            a // 3,
            a % 3,
            a**2,
            torch.gcd(a, b),
            a.clamp(1, 3),
            a.float() / b,
        )

    compiled(compute)(torch.randint(0, 9, (6,)), torch.randint(1, 9, (6,)))


def matrices(compiled):
    def solve(a, b):
        spd = a @ a.mT + 4 * torch.eye(4)
        return (
            torch.linalg.solve(spd, b),
            torch.linalg.cholesky(spd),
            torch.linalg.vector_norm(a),
            torch.linalg.inv(spd),
        )

    compiled(solve)(torch.randn(4, 4), torch.randn(4, 2))


def joining(compiled):
    def join(a, b):
        return (
            torch.cat([a, b]),
            torch.stack([a, b], 1),
            a.chunk(2),
            torch.meshgrid(a[0], b[0], indexing="ij"),
            a.tile(2),
        )

    compiled(join)(torch.randn(4, 4), torch.randn(4, 4))


def padding_and_pooling(compiled):
    def pool(x):
        wide = F.pad(x, (1, 2, 1, 1), mode="reflect"), F.pad(x, (1, 1, 1, 1), value=0.5), F.max_pool2d(x, 2)
        return (
            wide,
            F.adaptive_avg_pool2d(x, 2),
            F.interpolate(x, scale_factor=2.0, mode="bilinear"),
            F.avg_pool2d(x, 2),
        )

    compiled(pool)(torch.randn(1, 2, 8, 8))


def empty_tensors(compiled):
    compiled(lambda x, y: torch.cat([x, y]) + torch.zeros(()))(torch.randn(0, 3), torch.randn(2, 3))


def foreach(compiled):
    def update(a, b):
        return torch._foreach_add(torch._foreach_mul([a, b], 2.0), [b, a], alpha=0.5), torch._foreach_norm([a, b])

    compiled(update)(torch.randn(4), torch.randn(4))


def bucketed(compiled):
    edges = torch.linspace(-1, 1, 5)
    compiled(lambda x: (torch.bucketize(x, edges), torch.searchsorted(edges, x), x.histc(4)))(torch.randn(8))


def one_hot_and_triangles(compiled):
    compiled(lambda i: (F.one_hot(i, 5), torch.tril(torch.ones(4, 4)), torch.triu_indices(3, 3)))(torch.tensor([0, 3]))


def no_grad_region(compiled):
    def partly(x):
        with torch.no_grad():
            y = x * 2
        return (y + x).sum()

    compiled(partly)(torch.randn(4, requires_grad=True)).backward()


def autocast(compiled):
    def mixed(x, w):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return (x @ w).float().sum()

    compiled(mixed)(torch.randn(4, 4), torch.randn(4, 4))


def spectrogram(compiled):
    window = torch.hann_window(16)
    compiled(lambda x: torch.stft(x, 16, 8, window=window, return_complex=True).abs())(torch.randn(2, 64))


def as_strided(compiled):
    compiled(lambda x: x.as_strided((3, 3), (1, 2)).sum(0) + x.new_zeros(3) + x.new_full((3,), 2))(torch.randn(16))


def image_filters(compiled):
    def filtered(x, grid):
        return (
            F.grid_sample(x, grid, align_corners=False),
            F.unfold(x, 3),
            F.pixel_shuffle(x, 2),
            F.local_response_norm(x, 2),
        )

    compiled(filtered)(torch.randn(1, 4, 6, 6), torch.rand(1, 3, 3, 2))
