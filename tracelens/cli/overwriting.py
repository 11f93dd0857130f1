"""Refuses outputs that would destroy what is read, or each other, before anything is read."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from contextlib import suppress

from tracelens.cli.formats import asked_for
from tracelens.errors import InputError, UsageError
from tracelens.report.harmless import harmless_line
from tracelens.source.inputs import files_of


def refuse_overwriting(options: argparse.Namespace) -> None:
    """Raise ``UsageError`` where a report would replace an input, or another report of the same run."""
    outputs = [path for _, path in asked_for(options) if path is not None]
    # What is no regular file, such as /dev/stdout, takes one report after the other.
    outputs = [path for path in outputs if os.path.isfile(path) or not os.path.exists(path)]  # noqa: PTH110, PTH113  # pathlib costs every start
    places = [os.path.realpath(path) for path in outputs]
    for number, path in enumerate(outputs):
        if places[number] in places[:number]:
            message = f"{harmless_line(path)}: two reports would be written to this file"
            raise UsageError(message)
    existing = {identity: path for path in outputs for identity in _identity(path)}
    if not existing:
        return
    for identity in _inputs(options):
        if identity in existing:
            message = f"{harmless_line(existing[identity])}: is an input, which the report would overwrite"
            raise UsageError(message)


def _inputs(options: argparse.Namespace) -> Iterator[tuple[int, int]]:
    """Yield what tells files apart, whatever name leads to them: of each file that may be read."""
    if sys.stdin is not None:
        with suppress(OSError, ValueError):
            status = os.fstat(sys.stdin.fileno())
            yield status.st_dev, status.st_ino
    for argument in (*options.inputs, *options.artifacts, *options.rules):
        with suppress(InputError):  # told when it is read
            for path in files_of(argument):
                yield from _identity(path)


def _identity(path: str) -> Iterator[tuple[int, int]]:
    with suppress(OSError, ValueError):
        status = os.stat(path)  # noqa: PTH116  # pathlib costs every start
        yield status.st_dev, status.st_ino
