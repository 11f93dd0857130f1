"""Networks, trained for a step or used once."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn


class Residual(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.first = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(width)
        self.second = nn.Conv2d(width, width, 3, padding=1)

    def forward(self, x):
        return F.relu(self.second(F.relu(self.norm(self.first(x)))) + x)


def _convolutional():
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, stride=2),
        Residual(),
        nn.MaxPool2d(2),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(8, 5),
    )


def _step(compiled, model, *inputs, **options):
    compiled(model, **options)(*inputs).float().sum().backward()


def residual_training(compiled):
    _step(compiled, _convolutional().train(), torch.randn(2, 3, 16, 16))


def residual_inference(compiled):
    with torch.no_grad():
        compiled(_convolutional().eval())(torch.randn(2, 3, 16, 16))


def depthwise_training(compiled):
    model = nn.Sequential(
        nn.Conv2d(4, 4, 3, groups=4, padding=1), nn.BatchNorm2d(4), nn.Hardswish(), nn.Conv2d(4, 8, 1), nn.ReLU6()
    )
    _step(compiled, model, torch.randn(2, 4, 8, 8))


def channels_last_training(compiled):
    model = _convolutional().to(memory_format=torch.channels_last)
    _step(compiled, model, torch.randn(2, 3, 16, 16).to(memory_format=torch.channels_last))


def sequence_convolution(compiled):
    model = nn.Sequential(nn.Conv1d(4, 8, 3, dilation=2), nn.GroupNorm(2, 8), nn.SiLU(), nn.AvgPool1d(2))
    _step(compiled, model, torch.randn(2, 4, 16))


def volume_convolution(compiled):
    _step(compiled, nn.Sequential(nn.Conv3d(1, 2, 3), nn.BatchNorm3d(2), nn.ELU()), torch.randn(1, 1, 6, 6, 6))


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = nn.Conv2d(1, 4, 3, stride=2, padding=1)
        self.up = nn.ConvTranspose2d(4, 4, 2, stride=2)
        self.out = nn.Conv2d(5, 1, 1)

    def forward(self, x):
        hidden = F.leaky_relu(self.down(x), 0.1)
        return torch.sigmoid(self.out(torch.cat([self.up(hidden), x], 1)))


def unet_training(compiled):
    _step(compiled, Encoder(), torch.randn(2, 1, 8, 8))


def upsampling_decoder(compiled):
    model = nn.Sequential(
        nn.Upsample(scale_factor=2), nn.Conv2d(2, 8, 3, padding=1), nn.PixelShuffle(2), nn.InstanceNorm2d(2), nn.Tanh()
    )
    _step(compiled, model, torch.randn(1, 2, 4, 4))


def embedding_training(compiled):
    model = nn.Sequential(nn.Embedding(50, 16), nn.LayerNorm(16), nn.Linear(16, 50))
    _step(compiled, model, torch.randint(0, 50, (4, 7)))


def embedding_bag(compiled):
    _step(compiled, nn.EmbeddingBag(20, 8, mode="mean"), torch.randint(0, 20, (12,)), torch.tensor([0, 4, 9]))


def lstm_inference(compiled):
    with torch._dynamo.config.patch(allow_rnn=True), torch.no_grad():
        compiled(nn.LSTM(8, 8))(torch.randn(3, 2, 8))


def lstm_training(compiled):
    class Last(nn.Module):
        def __init__(self):
            super().__init__()
            self.cells = nn.LSTM(8, 8, num_layers=2, batch_first=True)

        def forward(self, x):
            return self.cells(x)[0][:, -1]

    with torch._dynamo.config.patch(allow_rnn=True):
        _step(compiled, Last(), torch.randn(2, 5, 8))


def gru_inference(compiled):
    with torch._dynamo.config.patch(allow_rnn=True), torch.no_grad():
        compiled(nn.GRU(8, 8, bidirectional=True))(torch.randn(3, 2, 8))


def recurrent_cell(compiled):
    cell = nn.LSTMCell(4, 8)

    def unroll(x):
        h = c = torch.zeros(x.shape[1], 8)
        for step in x:
            h, c = cell(step, (h, c))
        return h

    _step(compiled, unroll, torch.randn(3, 2, 4))


def classifier_loss(compiled):
    model = nn.Linear(8, 5)

    def loss(x, y):
        return F.cross_entropy(model(x), y, label_smoothing=0.1)

    _step(compiled, loss, torch.randn(4, 8), torch.randint(0, 5, (4,)))


def losses(compiled):
    def loss(x, y):
        near = F.mse_loss(x, y) + F.smooth_l1_loss(x, y) + F.l1_loss(x, y) + F.huber_loss(x, y)
        probable = F.binary_cross_entropy_with_logits(x, y.sigmoid()) + F.kl_div(x.log_softmax(-1), y.softmax(-1))
        return near + probable + F.cosine_similarity(x, y).mean() + F.hinge_embedding_loss(x, y.sign())

    _step(compiled, loss, torch.randn(4, 4, requires_grad=True), torch.randn(4, 4))


def normalisations(compiled):
    model = nn.Sequential(nn.RMSNorm(8), nn.LayerNorm(8), nn.Linear(8, 8), nn.BatchNorm1d(8), nn.PReLU(), nn.Softplus())
    _step(compiled, model, torch.randn(4, 8))


def bfloat16_training(compiled):
    _step(compiled, nn.Linear(8, 8).bfloat16(), torch.randn(2, 8, dtype=torch.bfloat16))


def float64_training(compiled):
    _step(compiled, nn.Sequential(nn.Linear(8, 8), nn.Softsign()).double(), torch.randn(2, 8, dtype=torch.float64))


def autocast_training(compiled):
    model = nn.Linear(4, 4)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        out = compiled(model)(torch.randn(4, 4)).float().sum()
    out.backward()


def buffers_and_blocks(compiled):
    class Blocks(nn.Module):
        def __init__(self):
            super().__init__()
            self.blocks = nn.ModuleList([nn.Linear(4, 4) for _ in range(2)])
            self.register_buffer("shift", torch.randn(4))

        def forward(self, x):
            for block in self.blocks:
                x = block(x) + self.shift
            return x

    _step(compiled, Blocks(), torch.randn(2, 4))


class StateSpace(nn.Module):
    def __init__(self):
        super().__init__()
        self.rate = nn.Linear(4, 4)
        self.decay = nn.Parameter(torch.rand(4, 8))

    def forward(self, x):
        rate = F.softplus(self.rate(x))
        state, out = torch.zeros(x.shape[0], 4, 8), []
        for t in range(x.shape[1]):
            step = rate[:, t, :, None]
            state = torch.exp(-step * self.decay) * state + step * x[:, t, :, None]
            out.append(state.sum(-1))
        return torch.stack(out, 1)


def state_space_training(compiled):
    _step(compiled, StateSpace(), torch.randn(2, 4, 4))


def graph_convolution(compiled):
    linear = nn.Linear(4, 4)

    def convolve(x, source, target):
        messages = linear(x)[source]
        total = torch.zeros(5, 4).index_add(0, target, messages)
        degree = torch.zeros(5).scatter_add(0, target, torch.ones(6)).clamp(min=1)
        return total / degree[:, None]

    edges = torch.tensor([0, 1, 2, 3, 4, 0]), torch.tensor([1, 2, 3, 4, 0, 2])
    _step(compiled, convolve, torch.randn(5, 4), *edges)


def recommendation(compiled):
    tables = nn.ModuleList([nn.Embedding(10, 4) for _ in range(3)])
    top = nn.Linear(7, 1)

    def score(dense, ids):
        parts = torch.stack([dense, *(table(ids[:, n]) for n, table in enumerate(tables))], 1)
        rows, columns = torch.triu_indices(4, 4, 1)
        crossed = (parts @ parts.mT)[:, rows, columns][:, :3]
        return torch.sigmoid(top(torch.cat([dense, crossed], 1)))

    _step(compiled, score, torch.randn(2, 4), torch.randint(0, 10, (2, 3)))
