"""Arguments of ``tracelens`` and what happens to its failures.

No traceback ever reaches a user: bad usage and unreadable input exit with 2,
our own faults with 3, Ctrl-C with 130. Commands are imported when chosen, so
that one does not pay for the others.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from tracelens import __version__
from tracelens.cli.commands import COMMANDS, read_plain
from tracelens.cli.interrupts import EndedBySignal, PlainInterrupts
from tracelens.cli.plain_arguments import NotPlainError
from tracelens.errors import TracelensError
from tracelens.findings import ExitCode
from tracelens.typed import TYPE_CHECKING, suppress

if TYPE_CHECKING:
    import argparse

#: What shells report for a process that a signal ended, less the number of the signal.
_BY_SIGNAL = 128


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    with PlainInterrupts():
        from tracelens.cli.output import open_missing_streams

        open_missing_streams()
        try:
            options = _read(sys.argv[1:] if arguments is None else arguments)
        except SystemExit as stop:
            return stop.code if isinstance(stop.code, int) else ExitCode.USAGE
    return _guarded(options)


def _read(arguments: Sequence[str]) -> argparse.Namespace:
    with suppress(NotPlainError):
        return read_plain(arguments)
    from tracelens.cli.parser import build_parser

    return build_parser(arguments).parse_args(arguments)


def _guarded(options: argparse.Namespace) -> int:
    from tracelens.cli.output import drop_output, flush_output

    try:
        code = _run(options)
        flush_output()
    except BrokenPipeError:
        drop_output()  # the reader left, as in "| head"
        return ExitCode.EXPLAINED
    except KeyboardInterrupt as stop:
        return _BY_SIGNAL + (stop if isinstance(stop, EndedBySignal) else EndedBySignal()).number
    except TracelensError as error:
        return _fail(str(error), ExitCode.USAGE)
    except Exception as error:  # noqa: BLE001 - the last door: a user never sees a traceback
        return _fail(describe_fault(error), ExitCode.INTERNAL)
    return code


def _run(options: argparse.Namespace) -> int:
    if options.version:
        from tracelens.cli.output import write_text

        write_text(f"tracelens {__version__}\n", None)
        return ExitCode.EXPLAINED
    command = COMMANDS.get(options.command)
    if command is not None:
        return command.run(options)
    from tracelens.cli.parser import build_parser

    build_parser([]).print_help(sys.stderr)
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
