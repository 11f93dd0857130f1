"""The parser of command lines, with its help and its complaints."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import NoReturn

from tracelens.cli.commands import COMMANDS, EXAMPLES

_DESCRIPTION = """\
Read a torch.compile crash log and name the root cause: missing build tools,
corrupt disk cache, dynamic-shape conflict, or C++ ABI/CUDA divergence - or say
that it is none of them."""

_COLUMNS = 80
#: More digits are no width, and may be more than ``int`` reads.
_DIGITS = 6


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
