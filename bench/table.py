"""Lay figures out as Markdown."""

from __future__ import annotations

import datetime as dt
import os
import platform
import shutil
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from bench.inputs import MEGABYTE
from bench.measure import Series

_PACKAGES = ("tracelens-torch", "hyperscan", "google-re2", "stringzilla", "zstandard")


def describe_machine(rounds: int) -> str:
    """Return date, machine and versions."""
    found = [f"Python {platform.python_version()}", *map(_versioned, _PACKAGES)]
    found += [_first_line(peer, "--version") or f"no {peer}" for peer in ("rg", "grep")]
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    return (
        f"{dt.datetime.now(dt.timezone.utc):%Y-%m-%d}; {_cpu()}, {os.cpu_count()} CPUs, load {load};"
        f" {platform.system()} {platform.release()}; {', '.join(found)}.\n\n"
        f"CPU seconds are user plus system of whole processes: the median of {rounds} interleaved rounds, and the"
        " spread between them. MB are 2^20 bytes."
    )


def lay_out(title: str, size: int, series: dict[str, Series], yardstick: str, bars: dict[str, str]) -> str:
    """Return a table; ``x`` is the yardstick's CPU time over each row's."""
    lines = [
        f"### {title}, {size / MEGABYTE:,.2f} MB",
        "",
        "| command | CPU s | spread | MB per CPU s | peak MB | x | bar |",
        "|---|---|---|---|---|---|---|",
    ]
    reference = series[yardstick].median if yardstick in series else 0.0
    for name, each in series.items():
        low, high = each.spread
        ratio = f"{reference / each.median:.2f}" if reference and each.median else "-"
        speed = f"{size / MEGABYTE / each.median:,.0f}" if each.median else "-"
        bar = bars.get(name, "")
        lines.append(
            f"| {name} | {each.median:.3f} | {low:.3f}-{high:.3f} | {speed} | {each.peak:.0f} | {ratio} | {bar} |"
        )
    return "\n".join([*lines, ""])


def _versioned(package: str) -> str:
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return f"no {package}"


def _cpu() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _first_line(*command: str) -> str:
    if not shutil.which(command[0]):
        return ""
    run = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - a fixed command
    return run.stdout.partition("\n")[0]
