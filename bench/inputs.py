"""Make the inputs of the bench from the logs of the corpus.

All of them are the same bytes in each run of the same checkout: the noise comes
from a seeded generator, the crashes and the dense output are real logs.
"""

from __future__ import annotations

import gzip
import random
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

MEGABYTE = 1 << 20
#: Noise repeats after so many bytes: enough that no cache holds it.
_POOL = 48 * MEGABYTE
_CRASHES = 20
#: What each rank of a job prints at its end, and how many print at a time.
_LAST_WORDS = 26
_AT_ONCE = 500
_HEADER = re.compile(rb"(?m)^(?:[VDIWEC]\d{4} |\[\d{4}-\d\d-\d\d )")
_STAMP = re.compile(rb"(?m)^([VDIWEC]\d{4}) \d\d:\d\d:\d\d\.(\d+) +\d+ ")
_BAR = "█▉▊▋▌▍▎▏ "


def noise_lines(seed: int = 1) -> Iterator[bytes]:
    """Yield what an ordinary training run prints, for ever."""
    generator = random.Random(seed)  # noqa: S311 - noise, not secrets
    makers = (_bar, _logger, _logger, _logger, _rank, _rank, _rank, _wandb, _root, _record)
    step = 0
    while True:
        yield generator.choice(makers)(step, generator).encode() + b"\n"
        step += 1


def _bar(step: int, generator: random.Random) -> str:
    ticks = []
    for percent in range(step % 7, 100, 17):
        bar = "█" * (percent // 10) + generator.choice(_BAR)
        speed, loss = generator.random() * 20, generator.random() * 3
        ticks.append(
            f"\rTraining:  {percent}%|{bar:<10}| {percent * 12}/1200"
            f" [00:{percent % 60:02d}<01:{percent % 60:02d},  {speed:.2f}it/s, loss={loss:.4f}]"
        )
    return "".join(ticks)


def _logger(step: int, generator: random.Random) -> str:
    minute, second, milli = generator.randrange(60), generator.randrange(60), generator.randrange(1000)
    loss, rate, norm = generator.random() * 4, generator.random() * 1e-3, generator.random() * 9
    return (
        f"2025-11-{step % 30 + 1:02d} 10:{minute:02d}:{second:02d},{milli:03d} - trainer.loop - INFO - step {step}"
        f" loss={loss:.5f} lr={rate:.3e} grad_norm={norm:.3f} tokens/s={generator.randrange(90_000, 120_000)}"
    )


def _rank(step: int, generator: random.Random) -> str:
    loss, memory, speed = generator.random() * 4, generator.random() * 80, generator.random() * 900
    return f"[rank{step % 8}]: step={step} loss: {loss:.4f} | mem {memory:.2f} GiB | throughput {speed:.1f} samples/s"


def _wandb(step: int, generator: random.Random) -> str:
    return f"wandb: Syncing run fluffy-sun-{step} epoch {step // 100} val_acc {generator.random():.4f}"


def _root(step: int, generator: random.Random) -> str:
    seconds = generator.random() * 9
    return f"INFO:root:Saved checkpoint to /checkpoints/run-{generator.randrange(99)}/step_{step}.pt in {seconds:.2f}s"


def _record(step: int, generator: random.Random) -> str:
    micro, pid = generator.randrange(10**6), generator.randrange(10**5)
    return (
        f"I1201 10:{step % 60:02d}:{step // 60 % 60:02d}.{micro:06d} {pid} torch/distributed/agent.py:90] [default] ok"
    )


def write_noise(target: Path, size: int, corpus: Path) -> str:
    """Write noise of a size with crashes scattered through it; say what was made."""
    pool = bytearray()
    for line in noise_lines():
        pool += line
        if len(pool) >= min(_POOL, size // (_CRASHES + 1)):
            break
    crashes = _spread([path for path in corpus.glob("**/input.log") if _is_crash(path)], _CRASHES)
    with target.open("wb") as file:
        for number in range(_CRASHES + 1):
            while file.tell() < size * (number + 1) // (_CRASHES + 1):
                file.write(memoryview(pool)[: size * (number + 1) // (_CRASHES + 1) - file.tell()])
            file.write(b"\n")
            if number < len(crashes):
                file.write(crashes[number].read_bytes())
    return f"training noise with {len(crashes)} real crashes"


def write_dense(target: Path, size: int, corpus: Path) -> str:
    """Write what ``TORCH_LOGS`` prints, over and over with other times and process ids."""
    logs = (path.read_bytes() for path in sorted(corpus.glob("**/input.log")))
    seeds = [data for data in logs if _is_dense(data) and b"Traceback (most recent call last)" not in data]
    seed = b"".join(seeds)
    with target.open("wb") as file:
        pid = 1000
        while file.tell() < size:
            clock = b"%02d:%02d:%02d" % (pid // 3600 % 24, pid // 60 % 60, pid % 60)
            file.write(_STAMP.sub(rb"\g<1> %s.\g<2> %d " % (clock, pid), seed)[: size - file.tell()])
            pid += 1
    return f"dense TORCH_LOGS output, {len(seeds)} real logs of sound runs repeated"


def write_crashes(target: Path, size: int, corpus: Path) -> str:
    """Write nothing but crashes: compiler floods and tracebacks."""
    crashes = [data for path in sorted(corpus.glob("**/input.log")) if _is_flood(data := path.read_bytes())]
    with target.open("wb") as file:
        while file.tell() < size:
            for data in crashes:
                file.write(data)
    return f"crash text, {len(crashes)} real logs repeated"


def write_ranks(target: Path, size: int, corpus: Path) -> str:
    """Write a job of many ranks that all die alike, their lines interleaved as a launcher prints them."""
    lines = (corpus / "lab/2.13.0/inductor-no-gxx/input.log").read_bytes().splitlines(keepends=True)[-_LAST_WORDS:]
    generator = random.Random(1)  # noqa: S311 - a shuffle, not a secret
    ranks = size // sum(map(len, lines))
    waiting = iter(range(ranks))
    dying = [(rank, iter(lines)) for rank in islice(waiting, _AT_ONCE)]
    with target.open("wb") as file:
        while dying:
            place = generator.randrange(len(dying))
            rank, rest = dying[place]
            line = next(rest, None)
            if line is not None:
                file.write(b"[rank%d]: %s" % (rank, line))
                continue
            following = next(waiting, None)
            if following is None:
                dying.pop(place)
            else:
                dying[place] = following, iter(lines)
    return f"{ranks:,} ranks that die alike, line by line"


def small_crash(corpus: Path) -> Path:
    """Return the crash log that comes closest to 50 KB."""
    return min(
        (path for path in sorted(corpus.glob("**/input.log")) if _is_crash(path)),
        key=lambda path: abs(path.stat().st_size - 50_000),
    )


def compressors() -> dict[str, tuple[str, Callable[[Path, Path], None]]]:
    """Return suffix, the command that unpacks it, and how to pack, for what is installed."""
    found: dict[str, tuple[str, Callable[[Path, Path], None]]] = {}
    if shutil.which("gzip"):
        found[".gz"] = ("gzip", _pack_gzip)
    if shutil.which("zstd"):
        found[".zst"] = ("zstd", _pack_zstd)
    return found


def _pack_gzip(source: Path, target: Path) -> None:
    with source.open("rb") as plain, gzip.open(target, "wb", compresslevel=1) as packed:
        shutil.copyfileobj(plain, packed, MEGABYTE)


def _pack_zstd(source: Path, target: Path) -> None:
    subprocess.run(["zstd", "-q", "-f", "-o", target, source], check=True)  # noqa: S603, S607 - the user's own zstd


def _is_crash(path: Path) -> bool:
    data = path.read_bytes()
    return len(data) < 200_000 and b"Traceback (most recent call last)" in data and not _is_dense(data)


def _is_dense(data: bytes) -> bool:
    return len(data) > 80_000 and len(_HEADER.findall(data)) > data.count(b"\n") * 0.6


def _is_flood(data: bytes) -> bool:
    return data.count(b": warning: ") + data.count(b'  File "') > 200 and not _is_dense(data)


def _spread(paths: list[Path], count: int) -> list[Path]:
    """Return some of many, evenly spread over all."""
    paths = sorted(paths)
    return [paths[number * len(paths) // count] for number in range(count)] if len(paths) > count else paths
