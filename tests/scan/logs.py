"""Inputs for the scan: feeds, noise, blocks, and anchors to look for."""

from __future__ import annotations

import io
import random
from collections.abc import Iterator
from pathlib import Path

from tests.command import CORPUS, REPOSITORY
from tracelens.parsing.anchors import ANCHORS
from tracelens.scan import ScanLedger, ScanOptions, find_regions
from tracelens.text import Region

ENGINES = ("hyperscan", "re2", "python")
#: What is measured against ripgrep, and what the grammar asks for.
PATTERNS = tuple((REPOSITORY / "bench/rg-patterns.txt").read_text(encoding="utf-8").splitlines())
GRAMMAR = ANCHORS
LOGS = tuple(sorted(CORPUS.glob("**/input.log")))

#: Bounds so small that every one of them matters in an input of some kilobytes.
TIGHT = ScanOptions(
    whole_bytes=0,
    read_bytes=512,
    line_bytes=1024,
    head_lines=3,
    tail_lines=4,
    end_bytes=300,
    before_lines=3,
    before_bytes=200,
    after_lines=4,
    after_bytes=300,
    edge_bytes=150,
    back_bytes=400,
    growth_bytes=2000,
    join_bytes=120,
    region_bytes=6000,
    cache=False,
)
#: The usual bounds on an input of any size.
USUAL = ScanOptions(whole_bytes=0, cache=False)


class CutFeed:
    """A feed that gives what is asked for in pieces of the given sizes, over and over."""

    def __init__(self, data: bytes, sizes: tuple[int, ...] = (1 << 30,)) -> None:
        self._file = io.BytesIO(data)
        self._sizes = sizes
        self._reads = 0

    def readinto(self, buffer: memoryview, /) -> int:
        size = self._sizes[self._reads % len(self._sizes)]
        self._reads += 1
        return self._file.readinto(buffer[:size])


class EndlessFeed:
    """A feed of one block repeated up to a total, without holding it."""

    def __init__(self, block: bytes, total: int, last: bytes = b"") -> None:
        self._block = block * max(1, (1 << 20) // len(block))
        self._left = total
        self._last = io.BytesIO(last)

    def readinto(self, buffer: memoryview, /) -> int:
        if not self._left:
            return self._last.readinto(buffer)
        count = min(len(buffer), len(self._block), self._left)
        buffer[:count] = self._block[:count]
        self._left -= count
        return count


def scan(
    data: bytes,
    anchors: tuple[str, ...] = GRAMMAR,
    *,
    options: ScanOptions = USUAL,
    sizes: tuple[int, ...] = (1 << 30,),
) -> tuple[list[Region], ScanLedger]:
    """Return all regions of some bytes, and the ledger."""
    ledger = ScanLedger()
    regions = list(find_regions(CutFeed(data, sizes), anchors, options=options, ledger=ledger))
    return regions, ledger


def noise(lines: int, seed: int = 0) -> list[bytes]:
    """Return lines of an ordinary training run, newlines included."""
    generator = random.Random(seed)
    return [_noise_line(number, generator) for number in range(lines)]


def _noise_line(number: int, generator: random.Random) -> bytes:
    loss = generator.random()
    kinds = (
        f"2025-11-03 10:22:{number % 60:02},113 - trainer.loop - INFO - step {number} loss={loss:.5f}",
        f"[rank{number % 8}]: step={number} loss: {loss:.4f} | mem {loss * 80:.2f} GiB",
        f"\rTraining: {number % 100}%|███   | {number}/1200 [00:49<06:02, {loss:.2f}it/s]",
        f"wandb: Syncing run fluffy-sun-{number}",
        "",
    )
    return generator.choice(kinds).encode() + b"\n"


def line_slices(data: bytes) -> list[bytes]:
    """Return lines as the scan counts them: only a newline ends one."""
    lines = data.split(b"\n")
    return [line + b"\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def raw(region: Region) -> bytes:
    """Return the bytes that a region was decoded from."""
    return region.text.encode("utf-8", "surrogateescape")


def windows(data: bytes, regions: list[Region]) -> Iterator[tuple[bytes, bytes]]:
    """Yield for each region what it holds and what the input has in those lines."""
    lines = line_slices(data)
    for region in regions:
        held = raw(region)
        first = region.first_line - 1
        yield held, b"".join(lines[first : first + len(line_slices(held))])


def read_log(path: Path) -> bytes:
    """Return the bytes of a log of the corpus."""
    return path.read_bytes()
