"""Run commands in interleaved rounds and take what the kernel says they used."""

from __future__ import annotations

import os
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

Command = Sequence[str | Path]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What one process and those that it waited for used."""

    cpu_seconds: float
    peak_megabytes: float


@dataclass(slots=True)
class Series:
    """What the rounds of one command cost."""

    costs: list[Cost] = field(default_factory=list)

    @property
    def median(self) -> float:
        """Return the median of the CPU seconds."""
        return statistics.median(cost.cpu_seconds for cost in self.costs)

    @property
    def spread(self) -> tuple[float, float]:
        """Return the least and the most CPU seconds."""
        seconds = [cost.cpu_seconds for cost in self.costs]
        return min(seconds), max(seconds)

    @property
    def peak(self) -> float:
        """Return the highest peak of memory, in megabytes."""
        return max(cost.peak_megabytes for cost in self.costs)


class CommandError(Exception):
    """A command of the bench failed, so that its figures would mean nothing."""


def run(command: Command, good: Sequence[int] = (0, 1), env: Mapping[str, str] | None = None) -> Cost:
    """Run a command to its end, with its output thrown away."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    actions = [(os.POSIX_SPAWN_DUP2, nowhere, stream) for stream in (0, 1, 2)]
    arguments = [os.fspath(part) for part in command]
    try:
        pid = os.posix_spawnp(arguments[0], arguments, {**os.environ, **(env or {})}, file_actions=actions)
    finally:
        os.close(nowhere)
    _, status, usage = os.wait4(pid, 0)
    code = os.waitstatus_to_exitcode(status)
    if code not in good:
        message = f"{' '.join(arguments)} ended with {code}"
        raise CommandError(message)
    return Cost(cpu_seconds=usage.ru_utime + usage.ru_stime, peak_megabytes=usage.ru_maxrss / 1024)


def measure(
    commands: Mapping[str, Command], rounds: int, env: Mapping[str, Mapping[str, str]] | None = None
) -> dict[str, Series]:
    """Run each command once a round, so that a busy minute hits all of them alike.

    One round before the first is not counted: it fills caches, ours and the kernel's.
    """
    series = {name: Series() for name in commands}
    for number in range(rounds + 1):
        for name, command in commands.items():
            cost = run(command, env=(env or {}).get(name))
            if number:
                series[name].costs.append(cost)
    return series
