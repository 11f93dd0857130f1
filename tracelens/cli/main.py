"""Arguments of ``tracelens`` and what happens to its failures.

No traceback ever reaches a user: bad usage and unreadable input exit with 2,
our own faults with 3, Ctrl-C with 130. Commands are imported when chosen, so
that one does not pay for the others.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from tracelens import __version__
from tracelens.cli.interrupts import plain_interrupts
from tracelens.errors import TracelensError
from tracelens.expressions import keep, recall
from tracelens.findings import ExitCode

_DESCRIPTION = """\
Read a torch.compile crash log and name the root cause: missing build tools,
corrupt disk cache, dynamic-shape conflict, or C++ ABI/CUDA divergence - or say
that it is none of them."""

_EXAMPLES = """\
examples:
  tracelens analyze train.log
  python train.py 2>&1 | tracelens analyze -
  tracelens analyze logs/rank*.log.gz
  tracelens analyze train.log --format json | jq .label

exit codes of analyze:
  0 explained (diagnosed, outside or clean)   1 a failure stays unexplained
  2 usage, unreadable input or bad rule file  3 an internal error
  10 not clean, with --exit-on-failure"""

#: What shells report for a process that SIGINT ended.
_INTERRUPTED = 130


class _Parser(argparse.ArgumentParser):
    """A parser whose complaints can quote any argument; those of its commands are alike."""

    def error(self, message: str) -> NoReturn:
        from tracelens.report.harmless import harmless_line

        super().error(harmless_line(message))


def build_parser(arguments: Sequence[str] | None = None) -> argparse.ArgumentParser:
    """Return the parser; of commands that cost an import only those that ``arguments`` name are described in full."""
    parser = _Parser(
        prog="tracelens",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    analyze = commands.add_parser(
        "analyze",
        help="diagnose one or more logs",
        description="Diagnose logs: files, globs, directories, archives of rank logs, or - for\nstandard input.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    _add_analyze_arguments(analyze)
    cache = commands.add_parser(
        "cache",
        help="check, clean and name the compile caches",
        description="Find broken entries of the Inductor, Triton, extension and vLLM caches, and delete only those.",
        allow_abbrev=False,
    )
    if arguments is None or "cache" in arguments:
        from tracelens.cli.cache import add_cache_arguments

        add_cache_arguments(cache)
    return parser


def _add_analyze_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "inputs",
        nargs="*",
        metavar="INPUT",
        help="a file (also .gz .zst .xz .bz2 .tar), a glob, a directory, or - for standard input",
    )
    parser.add_argument(
        "--format",
        choices=["terminal", "json"],
        default="terminal",
        help="what to print (default: terminal)",
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="write the report to FILE instead of standard output")
    parser.add_argument("-q", "--quiet", action="store_true", help="print one line for each input, no progress")
    parser.add_argument(
        "--rules",
        action="append",
        default=[],
        metavar="DIR",
        help="add the rule files of a directory; may be repeated",
    )
    parser.add_argument(
        "--max-size",
        type=_size,
        default=None,
        metavar="SIZE",
        help="refuse an input that unpacks to more than SIZE, such as 20G (default: 32G)",
    )
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


def _size(text: str) -> int:
    factors = {"k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
    digits = text.rstrip("bBiI").lower()
    factor = factors.get(digits[-1:], 1)
    number = digits[:-1] if factor > 1 else digits
    if not number.isdecimal() or int(number) == 0:
        message = f"not a size: {text!r}; write for example 500M or 20G"
        raise argparse.ArgumentTypeError(message)
    return int(number) * factor


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    with plain_interrupts():
        from tracelens.cli.output import open_missing_streams

        open_missing_streams()
        arguments = sys.argv[1:] if arguments is None else arguments
        parser = build_parser(arguments)
        try:
            options = parser.parse_args(arguments)
        except SystemExit as stop:
            return stop.code if isinstance(stop.code, int) else ExitCode.USAGE
    return _guarded(parser, options)


def _guarded(parser: argparse.ArgumentParser, options: argparse.Namespace) -> int:
    from tracelens.cli.output import drop_output, flush_output

    try:
        code = _run(parser, options)
        flush_output()
    except BrokenPipeError:
        drop_output()  # the reader left, as in "| head"
        return ExitCode.EXPLAINED
    except KeyboardInterrupt:
        return _INTERRUPTED
    except TracelensError as error:
        return _fail(str(error), ExitCode.USAGE)
    except Exception as error:  # noqa: BLE001 - the last door: a user never sees a traceback
        return _fail(_describe(error), ExitCode.INTERNAL)
    return code


def _run(parser: argparse.ArgumentParser, options: argparse.Namespace) -> int:
    if options.version:
        from tracelens.cli.output import write_text

        write_text(f"tracelens {__version__}\n", None)
        return ExitCode.EXPLAINED
    if options.command == "analyze":
        from tracelens.cli.output import flush_output

        # First of all: the modules below compile as they are imported.
        recall()
        from tracelens.cli.analyze import run_analyze

        code = run_analyze(options)
        flush_output()
        keep()
        return code
    if options.command == "cache":
        from tracelens.cli.cache import run_cache

        return run_cache(options)
    parser.print_help(sys.stderr)
    return ExitCode.USAGE


def _fail(message: str, code: ExitCode) -> ExitCode:
    from tracelens.cli.output import write_errors
    from tracelens.report.harmless import harmless

    for line in harmless(message).splitlines() or [""]:
        write_errors(f"tracelens: {line}\n")
    return code


def _describe(error: Exception) -> str:
    """Say what broke and where in our code, short enough for a bug report."""
    where = error.__traceback__
    while where is not None and where.tb_next is not None:
        where = where.tb_next
    place = "" if where is None else f" at {os.path.basename(where.tb_frame.f_code.co_filename)}:{where.tb_lineno}"  # noqa: PTH119
    return f"internal error: {type(error).__name__}: {error}{place}\nplease report this, with the log if you can"
