"""What to type next, below an answer: the commands that go on from the same log."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence

from tracelens.findings import Diagnosis, Outcome
from tracelens.report.harmless import harmless_line
from tracelens.report.layout import Layout, StyledLine
from tracelens.report.wrap import cell_width
from tracelens.typed import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse


def next_steps(answers: Sequence[Diagnosis], options: argparse.Namespace, layout: Layout) -> Iterator[StyledLine]:
    """Yield lines with commands that take the same log; none where it cannot be named again."""
    log = _name_again(options)
    if log is None or len(answers) != 1 or answers[0].outcome is Outcome.CLEAN:
        return
    steps = [(f"tracelens report {log}", "redacted, for a bug report")]
    if answers[0].outcome is Outcome.DIAGNOSED and answers[0].verification is None:
        steps.insert(0, (f"tracelens verify {log}", "try the fixes on this machine"))
    room = max(cell_width(command) for command, _ in steps)
    yield ()
    for number, (command, purpose) in enumerate(steps):
        lead = "  Next  " if number == 0 else " " * 8
        # A command is never wrapped: it is there to be copied.
        fits = len(lead) + room + 4 + cell_width(purpose) <= layout.width
        note = " " * (room - cell_width(command) + 4) + purpose if fits else ""
        yield (("label", lead), ("command", command), ("dim", note))


def _name_again(options: argparse.Namespace) -> str | None:
    """Return the only input as a shell takes it, if it is a file with a name that can be shown."""
    if len(options.inputs) != 1 or not os.path.isfile(options.inputs[0]):  # noqa: PTH113  # pathlib costs every start
        return None
    name = str(options.inputs[0])
    name = f"./{name}" if name.startswith("-") else name
    return shlex.quote(name) if harmless_line(name) == name else None
