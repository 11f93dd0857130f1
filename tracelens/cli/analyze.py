"""``tracelens analyze``: its arguments, and what is kept from one run to the next."""

from __future__ import annotations

from tracelens.cli.arguments import add_rules_argument
from tracelens.cli.formats import TERMINAL, add_format_arguments
from tracelens.expressions import keep, recall
from tracelens.findings import ExitCode
from tracelens.typed import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser, *, default_format: str = TERMINAL) -> None:
    """Describe what ``analyze`` takes."""
    parser.add_argument(
        "inputs",
        nargs="*",
        metavar="INPUT",
        help="a file (also .gz .zst .xz .bz2 .tar), a glob, a directory, or - for standard input",
    )
    add_report_arguments(parser, default_format)
    parser.add_argument(
        "--max-size",
        type=_size,
        default=None,
        metavar="SIZE",
        help="refuse an input that unpacks to more than SIZE, such as 20G (default: 32G)",
    )
    _add_pace(parser)
    parser.add_argument(
        "--exit-on-failure",
        action="store_true",
        help="exit with 10 when any input is not clean, for CI gates",
    )
    parser.add_argument(
        "--strict",
        action="store_true",
        help="exit with 1 when a line inside a traceback or compiler output was not understood",
    )
    parser.add_argument(
        "--verify",
        action="store_true",
        help="run the failure and each fix on this machine; tracelens verify has more options",
    )


def add_report_arguments(parser: argparse.ArgumentParser, default_format: str = TERMINAL) -> None:
    """Describe what every command takes that reads logs and prints the answer."""
    add_format_arguments(parser, default_format)
    parser.add_argument("-o", "--output", metavar="FILE", help="write the report to FILE instead of standard output")
    parser.add_argument("-q", "--quiet", action="store_true", help="print one line for each input, no progress")
    add_rules_argument(parser)
    parser.add_argument(
        "--artifacts",
        action="append",
        default=[],
        metavar="PATH",
        help="what torch left beside the log: a TORCH_TRACE directory, torch_compile_debug, a repro script, the "
        "output of collect_env; may be repeated",
    )


def _add_pace(parser: argparse.ArgumentParser) -> None:
    """Describe how many logs are read at once, and how long one."""
    parser.add_argument(
        "-j",
        "--jobs",
        type=_jobs,
        default=None,
        metavar="N",
        help="analyse so many logs at once (default: one for each core, if there is enough to do)",
    )
    parser.add_argument(
        "-f",
        "--follow",
        action="store_true",
        help="read one file as it grows and name a failure on standard error as soon as it is there; ends with\n"
        "Ctrl-C, or when a run that has failed says no more",
    )


def run(options: argparse.Namespace) -> ExitCode:
    """Analyse with the patterns that earlier runs compiled, and keep what this one compiles."""
    from tracelens.cli.output import flush_output

    # First of all: the modules below compile as they are imported.
    recall()
    if options.verify:
        from tracelens.cli.verified import run_verified

        code = run_verified(options)
    else:
        from tracelens.cli.analysis import run_analyze

        code = run_analyze(options)
    flush_output()
    keep()
    return code


def _jobs(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        from argparse import ArgumentTypeError

        message = f"not a number of jobs: {text!r}"
        raise ArgumentTypeError(message)
    return int(text)


def _size(text: str) -> int:
    factors = {"k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
    digits = text.rstrip("bBiI").lower()
    factor = factors.get(digits[-1:], 1)
    number = digits[:-1] if factor > 1 else digits
    if not number.isdecimal() or int(number) == 0:
        from argparse import ArgumentTypeError

        message = f"not a size: {text!r}; write for example 500M or 20G"
        raise ArgumentTypeError(message)
    return int(number) * factor
