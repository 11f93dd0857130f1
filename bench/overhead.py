"""``python -m bench.overhead``: what ``tracelens run`` costs a command that prints a lot.

The same program runs alone and below ``tracelens run``, in turn, its output into
one pipe either way. The least wall time of all rounds stands for each, since others use
the machine as well. *Own CPU* is that of ``tracelens`` alone, start and end included.
"""

from __future__ import annotations

import argparse
import itertools
import os
import sys
import time
from pathlib import Path

_TRACELENS = Path(sys.executable).with_name("tracelens")
#: Prints so many lines a second until there were so many: beside work that keeps one processor busy, or,
#: without steps, while it waits as a training waits for its GPU.
_CHATTY = """
import sys, time
lines, rate, steps = int(sys.argv[1]), int(sys.argv[2]), int(float(sys.argv[3]))
started, value = time.perf_counter(), 0
for number in range(lines):
    for step in range(steps // rate):
        value += step * step
    if not steps:
        time.sleep(max(0.0, started + number / rate - time.perf_counter()))
    print(f"step {number} loss {value % 1000 / 1000:.4f} lr 3.0e-04 tokens/s 123456 grad_norm 0.7", flush=True)
"""
#: Steps that a second of work is about; the same for both, so it need not be exact.
_STEPS_A_SECOND = 2.5e7


def run_once(command: list[str]) -> tuple[float, float]:
    """Run a command into a pipe that is read to its end; return wall and CPU seconds of it and its children."""
    ours, theirs = os.pipe()
    started = time.perf_counter()
    pid = os.posix_spawn(
        command[0],
        command,
        os.environ,
        file_actions=[(os.POSIX_SPAWN_DUP2, theirs, 1), (os.POSIX_SPAWN_CLOSE, ours)],
    )
    os.close(theirs)
    while os.read(ours, 1 << 20):
        pass
    os.close(ours)
    _, status, usage = os.wait4(pid, 0)
    if status:
        message = f"{command[0]} failed: {status}"
        raise SystemExit(message)
    return time.perf_counter() - started, usage.ru_utime + usage.ru_stime


def main() -> int:
    """Print one line for each command and rate; fail where the overhead is 2 % or more."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--seconds", type=float, default=8, help="about how long the command runs alone")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--rates", type=int, nargs="+", default=[100, 1000, 10_000], help="lines a second")
    parser.add_argument("--kinds", nargs="+", choices=["waiting", "busy"], default=["waiting", "busy"])
    options = parser.parse_args()
    sys.stdout.write("| command | lines/s | alone, wall s | below run, wall s | overhead | own CPU s |\n")
    sys.stdout.write("|---|---|---|---|---|---|\n")
    worst = 0.0
    for kind, rate in itertools.product(options.kinds, options.rates):
        lines, steps = str(int(options.seconds * rate)), str(_STEPS_A_SECOND if kind == "busy" else 0)
        alone = [sys.executable, "-c", _CHATTY, lines, str(rate), steps]
        rounds = [(run_once(alone), run_once([str(_TRACELENS), "run", "--", *alone])) for _ in range(options.rounds)]
        one, other = (min(times[side][0] for times in rounds) for side in (0, 1))
        own = min(times[1][1] for times in rounds) - min(times[0][1] for times in rounds)
        worst = max(worst, other / one - 1)
        sys.stdout.write(f"| {kind} | {rate:,} | {one:.2f} | {other:.2f} | {other / one - 1:.1%} | {own:.2f} |\n")
        sys.stdout.flush()
    return int(worst >= 0.02)


if __name__ == "__main__":
    sys.exit(main())
