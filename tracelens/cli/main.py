"""Arguments of ``tracelens`` and what happens to its failures.

No traceback ever reaches a user: bad usage and unreadable input exit with 2,
our own faults with 3, Ctrl-C with 130. Commands are imported when chosen, so
that one does not pay for the others.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress

from tracelens import __version__
from tracelens.cli.commands import COMMANDS, EXAMPLES
from tracelens.cli.interrupts import EndedBySignal, plain_interrupts
from tracelens.errors import TracelensError
from tracelens.findings import ExitCode
from tracelens.typed import NoReturn

_DESCRIPTION = """\
Read a torch.compile crash log and name the root cause: missing build tools,
corrupt disk cache, dynamic-shape conflict, or C++ ABI/CUDA divergence - or say
that it is none of them."""

_COLUMNS = 80
#: More digits are no width, and may be more than ``int`` reads.
_DIGITS = 6
#: What shells report for a process that a signal ended, less the number of the signal.
_BY_SIGNAL = 128


class _Parser(argparse.ArgumentParser):
    """A parser whose complaints can quote any argument; those of its commands are alike."""

    def error(self, message: str) -> NoReturn:
        from tracelens.report.harmless import harmless_line

        super().error(harmless_line(message))


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Lays help out as wide as the terminal, without the import by which argparse asks how wide that is."""

    def __init__(self, prog: str) -> None:
        asked = os.environ.get("COLUMNS", "")
        columns = int(asked) if asked.isdecimal() and len(asked) < _DIGITS else 0
        with suppress(OSError, ValueError, AttributeError):
            columns = columns or os.get_terminal_size(sys.__stdout__.fileno()).columns  # type: ignore[union-attr] # AttributeError then
        super().__init__(prog, width=(columns or _COLUMNS) - 2)


def build_parser(arguments: Sequence[str] | None = None) -> argparse.ArgumentParser:
    """Return the parser; where ``arguments`` begin with a command, of commands it knows that one alone."""
    parser = _Parser(
        prog="tracelens",
        description=_DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=_Formatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    # With a name given, argparse need not lay out a usage to find it.
    commands = parser.add_subparsers(prog=parser.prog, dest="command", metavar="COMMAND")
    named = COMMANDS.get(arguments[0]) if arguments else None
    for command in (named,) if named else COMMANDS.values():
        described = commands.add_parser(
            command.name,
            help=command.summary,
            description=command.description,
            epilog=command.epilog or None,
            formatter_class=_Formatter,
            allow_abbrev=False,
        )
        if arguments is None or command.name in arguments:
            command.add_arguments(described)
    return parser


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
    except KeyboardInterrupt as stop:
        return _BY_SIGNAL + (stop.number if isinstance(stop, EndedBySignal) else signal.SIGINT)
    except TracelensError as error:
        return _fail(str(error), ExitCode.USAGE)
    except Exception as error:  # noqa: BLE001 - the last door: a user never sees a traceback
        return _fail(describe_fault(error), ExitCode.INTERNAL)
    return code


def _run(parser: argparse.ArgumentParser, options: argparse.Namespace) -> int:
    if options.version:
        from tracelens.cli.output import write_text

        write_text(f"tracelens {__version__}\n", None)
        return ExitCode.EXPLAINED
    command = COMMANDS.get(options.command)
    if command is not None:
        return command.run(options)
    parser.print_help(sys.stderr)
    return ExitCode.USAGE


def _fail(message: str, code: ExitCode) -> ExitCode:
    from tracelens.cli.output import write_errors
    from tracelens.report.harmless import harmless

    for line in harmless(message).splitlines() or [""]:
        write_errors(f"tracelens: {line}\n")
    return code


def describe_fault(error: Exception) -> str:
    """Say what broke and where in our code, short enough for a bug report."""
    where = error.__traceback__
    while where is not None and where.tb_next is not None:
        where = where.tb_next
    place = "" if where is None else f" at {os.path.basename(where.tb_frame.f_code.co_filename)}:{where.tb_lineno}"  # noqa: PTH119
    return f"internal error: {type(error).__name__}: {error}{place}\nplease report this, with the log if you can"
