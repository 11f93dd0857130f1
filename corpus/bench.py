"""Measure the installed ``tracelens`` command: CPU time and memory, on logs made here.

The inputs are built from the corpus: ordinary training noise with real crashes
scattered through it, dense ``TORCH_LOGS`` output, and one small crash log.
Figures are CPU seconds (user and system) of whole processes, since wall time on
a shared machine says little: the median of interleaved rounds and the spread
between them. Where ``rg`` is installed it counts lines of the same files with
the patterns of ``bench-patterns.txt``, as a yardstick in the same run.
"""

from __future__ import annotations

import argparse
import datetime as dt
import os
import platform
import shutil
import statistics
import sys
import tempfile
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

CORPUS = Path(__file__).resolve().parent
COMMAND = Path(sys.executable).parent / "tracelens"
PATTERNS = CORPUS / "bench-patterns.txt"
CRASHES = ("inductor-no-gxx", "inductor-no-pythonh", "so-zero", "nocxx-torchrun", "fake-cat")
DENSE = (
    "2.13.0/mlp-verbose",
    "2.13.0/inductor-no-pythonh-verbose",
    "2.5.1/inductor-no-gxx-verbose",
    "2.11.0-cuda/train-default-verbose",
)
SMALL = CORPUS / "lab/2.13.0/suppress-so-zero/input.log"
MEGABYTE = 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What one process used."""

    cpu_seconds: float
    peak_megabytes: float


def noise(steps: int) -> bytes:
    """Make training output: steps, bars with bare CR, rank prefixes, loggers."""
    made = []
    for step in range(steps):
        loss = 1 + 1000 / (step + 100)
        ticks = (
            f"{tick:3d}%|{'█' * (tick // 10):<10}| {tick}/100 [00:01<00:09, 9.91it/s]" for tick in range(0, 101, 10)
        )
        clock = f"12:{step // 60 % 60:02d}:{step % 60:02d}"
        made += [
            f"[rank{step % 8}]: step {step} loss {loss:.4f} lr 3.0e-04 tokens/s {48_000 + step % 977}",
            f"2026-01-{1 + step % 28:02d} {clock},123 - trainer - INFO - epoch {step // 1000} step {step}",
            f"wandb: Synced run-{step:06d}: 3 W&B file(s), 0 media file(s), 0 artifact file(s)",
            f"I0101 {clock}.000000 {4000 + step % 8} torch/distributed/elastic/agent.py:90] [default] alive",
            "\r".join(ticks),
        ]
    return ("\n".join(made) + "\n").encode()


def write_noise(target: Path, size: int) -> None:
    """Write ``size`` bytes of noise with 20 crashes spread over it."""
    block = noise(4_000)
    crashes = [(CORPUS / "lab/2.13.0" / name / "input.log").read_bytes() for name in CRASHES]
    with target.open("wb") as file:
        written = 0
        for number in range(20):
            while written < size * (number + 1) // 20:
                written += file.write(block)
            written += file.write(crashes[number % len(crashes)])


def write_dense(target: Path, size: int) -> None:
    """Write ``size`` bytes of what TORCH_LOGS prints, repeated."""
    block = b"".join((CORPUS / "lab" / name / "input.log").read_bytes() for name in DENSE)
    with target.open("wb") as file:
        for _ in range(-(-size // len(block))):
            file.write(block)


def run(command: list[str | Path]) -> Cost:
    """Run a command and return what it used; a failure to run is an error."""
    output = os.open(os.devnull, os.O_RDWR)
    actions = [(os.POSIX_SPAWN_DUP2, output, stream) for stream in (0, 1, 2)]
    pid = os.posix_spawn(command[0], [os.fspath(part) for part in command], os.environ, file_actions=actions)
    os.close(output)
    _, status, usage = os.wait4(pid, 0)
    code = os.waitstatus_to_exitcode(status)
    if code not in (0, 1):
        message = f"{command[0]} ended with exit code {code}"
        raise RuntimeError(message)
    return Cost(cpu_seconds=usage.ru_utime + usage.ru_stime, peak_megabytes=usage.ru_maxrss / 1024)


def measure(commands: dict[str, list[str | Path]], rounds: int) -> dict[str, list[Cost]]:
    """Run every command once a round, so that a busy minute hits all of them."""
    costs: dict[str, list[Cost]] = {name: [] for name in commands}
    for command in commands.values():
        run(command)
    for _ in range(rounds):
        for name, command in commands.items():
            costs[name].append(run(command))
    return costs


def report(title: str, size: int, costs: dict[str, list[Cost]]) -> None:
    """Print a table; the ratio is against its last row."""
    yardstick = statistics.median(cost.cpu_seconds for cost in list(costs.values())[-1])
    print(f"\n{title}, {size / MEGABYTE:.2f} MB\n")
    print("| command | CPU s | spread | MB per CPU s | peak MB | CPU time, last row = 1 |")
    print("|---|---|---|---|---|---|")
    for name, runs in costs.items():
        seconds = [cost.cpu_seconds for cost in runs]
        median = statistics.median(seconds)
        peak = max(cost.peak_megabytes for cost in runs)
        spread = f"{min(seconds):.3f}-{max(seconds):.3f}"
        speed = f"{size / MEGABYTE / median:.0f}" if median else "-"
        print(f"| {name} | {median:.3f} | {spread} | {speed} | {peak:.0f} | {median / yardstick:.2f} |")


def main() -> int:
    """Make the inputs, measure, print."""
    parser = argparse.ArgumentParser(description="Measure the installed tracelens command.")
    parser.add_argument("--megabytes", type=int, default=128, help="size of the two big logs (default: 128)")
    parser.add_argument("--rounds", type=int, default=3, help="measured rounds (default: 3)")
    options = parser.parse_args()
    ripgrep = shutil.which("rg")
    today = f"{dt.datetime.now(dt.timezone.utc):%Y-%m-%d}"
    versions = f"Python {platform.python_version()}, tracelens {version('tracelens-torch')}"
    print(f"{today}, {platform.platform()}, {os.cpu_count()} CPUs, {versions}, {options.rounds} rounds")
    if not ripgrep:
        print("rg is not installed: no yardstick for the big logs")
    with tempfile.TemporaryDirectory() as folder:
        for title, write in (("training noise with 20 crashes", write_noise), ("TORCH_LOGS output", write_dense)):
            log = Path(folder) / "big.log"
            write(log, options.megabytes * MEGABYTE)
            commands: dict[str, list[str | Path]] = {"tracelens": [COMMAND, "analyze", "--format", "json", log]}
            if ripgrep:
                commands["rg -c"] = [ripgrep, "-c", "-f", PATTERNS, log]
            report(title, log.stat().st_size, measure(commands, options.rounds))
    small: dict[str, list[str | Path]] = {
        "tracelens, terminal": [COMMAND, "analyze", SMALL],
        "tracelens, json": [COMMAND, "analyze", "--format", "json", SMALL],
        "python -I -c pass": [sys.executable, "-I", "-c", "pass"],
    }
    report("one small crash, cold start", SMALL.stat().st_size, measure(small, max(options.rounds, 9)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
