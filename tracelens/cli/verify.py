"""``tracelens verify``: its arguments."""

from __future__ import annotations

import argparse
import os
import shlex
import shutil

from tracelens.cli import analyze
from tracelens.cli.arguments import seconds


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe what ``verify`` takes."""
    parser.add_argument(
        "inputs", nargs=1, metavar="LOG", help="a log (also .gz .zst .xz .bz2), or - for standard input"
    )
    analyze.add_report_arguments(parser)
    parser.add_argument(
        "--python",
        type=_python,
        metavar="PATH",
        help="the Python of your program, which has torch (default: ours, or that on PATH)",
    )
    parser.add_argument(
        "--device", type=_device, metavar="NAME", help="cpu, cuda or cuda:1 (default: what the failure is about)"
    )
    parser.add_argument(
        "--timeout", type=seconds, dest="seconds", metavar="SECONDS", help="end a run after this time (default: 300)"
    )
    parser.add_argument(
        "--try",
        action="append",
        dest="tries",
        default=[],
        metavar="ADVICE",
        help="try this, too, whether the diagnosis recommends it or not; may be repeated, as clear-the-cache",
    )
    parser.add_argument(
        "--script",
        type=_command,
        default=(),
        metavar="COMMAND",
        help='run your own program in place of a graph, as "train.py --steps 3"',
    )
    parser.add_argument(
        "--matrix",
        action="store_true",
        help="measure each mode of torch.compile here; -o NAME.svg draws the result",
    )
    parser.set_defaults(max_size=None, exit_on_failure=False, strict=False, jobs=1, follow=False, verify=True)


run = analyze.run


def _command(line: str) -> tuple[str, ...]:
    try:
        words = shlex.split(line)
    except ValueError as error:
        message = f"not a command: {line!r}: {error}"
        raise argparse.ArgumentTypeError(message) from error
    if not words:
        message = "an empty command"
        raise argparse.ArgumentTypeError(message)
    return tuple(words)


def _device(name: str) -> str:
    kind, _, number = name.partition(":")
    if name != "cpu" and not (kind == "cuda" and (name == kind or number.isdecimal())):
        message = f"no device that runs are made on: {name!r}; cpu, cuda or cuda:1"
        raise argparse.ArgumentTypeError(message)
    return name


def _python(path: str) -> str:
    found = shutil.which(path)
    if found is None:
        message = f"no program: {path!r}"
        raise argparse.ArgumentTypeError(message)
    # Not resolved: a virtual environment is known by the link in it.
    return os.path.abspath(found)  # noqa: PTH100 - pathlib would resolve nothing and cost an import
