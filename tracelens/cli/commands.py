"""The commands of ``tracelens``, each in a module of its own.

A module is imported when its command is named, so that one command does not
pay for the others. It offers ``add_arguments(parser)`` and ``run(options)``,
which returns the exit code.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace

from tracelens.cli.loading import load_module
from tracelens.cli.plain_arguments import NotPlainError, PlainArguments
from tracelens.typed import TYPE_CHECKING, NamedTuple, cast

if TYPE_CHECKING:
    import argparse

EXAMPLES = """\
examples:
  tracelens analyze train.log
  python train.py 2>&1 | tracelens analyze -
  tracelens analyze logs/rank*.log.gz
  tracelens report train.log -o report.md
  tracelens analyze train.log --format json | jq .label

exit codes of analyze:
  0 explained (diagnosed, outside or clean)   1 a failure stays unexplained
  2 usage, unreadable input or bad rule file  3 an internal error
  4 --verify contradicts the diagnosis        5 --verify settles nothing here
  10 not clean, with --exit-on-failure"""


VERIFY_EXAMPLES = """\
examples:
  tracelens verify train.log
  tracelens verify train.log --python .venv/bin/python --try clear-the-cache
  tracelens verify train.log --matrix -o matrix.svg

exit codes: as of analyze, and
  0 reproduced, and a recommended fix fixes it
  4 the machine contradicts the diagnosis     5 nothing is settled here"""


class Command(NamedTuple):
    """One command: how ``--help`` tells of it, and the module that knows the rest."""

    name: str
    summary: str
    description: str
    module: str
    epilog: str = ""
    #: Whether it takes nothing but what ``PlainArguments`` can be told of.
    is_plain: bool = False

    def add_arguments(self, parser: argparse.ArgumentParser | PlainArguments) -> None:
        """Describe what the command takes."""
        load_module(f"tracelens.cli.{self.module}").add_arguments(parser)

    def run(self, options: argparse.Namespace) -> int:
        """Do what was asked and return the exit code."""
        code: int = load_module(f"tracelens.cli.{self.module}").run(options)
        return code


_ALL = (
    Command(
        name="analyze",
        summary="diagnose one or more logs",
        description="Diagnose logs: files, globs, directories, archives of rank logs, or - for\nstandard input.",
        module="analyze",
        epilog=EXAMPLES,
        is_plain=True,
    ),
    Command(
        name="run",
        summary="run a command, and diagnose it if it ends badly",
        description="Run a command as it is; if it ends badly, print the diagnosis below it.\n"
        "The exit code is the command's own, or 128 + the signal that ended it.",
        module="run",
        epilog="example: tracelens run -- python train.py --batch 32",
    ),
    Command(
        name="doctor",
        summary="look whether torch.compile can work on this machine",
        description="Try the compilers, libraries, GPU tools and cache directories that torch.compile\nuses, "
        "each in a process of its own. Exit code: 0 healthy, 1 a finding, 2 usage.",
        module="doctor",
    ),
    Command(
        name="report",
        summary="write a redacted bug report of one or more logs",
        description="Write a bug report in Markdown, laid out as PyTorch's form for torch.compile.\n"
        "Secrets, names and hosts are redacted.",
        module="report",
    ),
    Command(
        name="verify",
        summary="run a failure and its fixes on this machine",
        description="Diagnose a log, then run the failure on this machine: in eager, as it is, and\n"
        "with each fix. Nothing is written outside private folders, unless by a --script\nof yours. "
        "Needs torch, see --python.",
        module="verify",
        epilog=VERIFY_EXAMPLES,
    ),
    Command(
        name="cache",
        summary="check, clean and name the compile caches",
        description="Find broken entries of the Inductor, Triton, extension and vLLM caches, and\ndelete only those.",
        module="cache",
    ),
    Command(
        name="explain",
        summary="tell what a code, label, cause or compile mode means",
        description="Tell what a rule, a label, a cause or a mode of torch.compile means, how it\n"
        "looks, how it arises, what fixes it and what does not. No log is needed.",
        module="explain",
    ),
    Command(
        name="explain-match",
        summary="tell why a rule did or did not match a log",
        description="Go through the conditions of one rule in one log, and tell what became of it.\n"
        "Exits with 0 when the rule matched, with 1 when it did not.",
        module="explain_match",
    ),
    Command(
        name="rules",
        summary="list, show, check, try and draft rules",
        description="Look at the rules that tracelens answers by, and write your own.",
        module="rules",
    ),
    Command(
        name="completion",
        summary="print a completion script for bash, zsh or fish",
        description="Print a script by which a shell completes commands, options, files and codes:\n"
        '  bash  eval "$(tracelens completion bash)"      in ~/.bashrc\n'
        '  zsh   eval "$(tracelens completion zsh)"       in ~/.zshrc, after compinit\n'
        "  fish  tracelens completion fish | source       in ~/.config/fish/config.fish",
        module="completion",
    ),
)

COMMANDS = {command.name: command for command in _ALL}


def read_plain(arguments: Sequence[str]) -> argparse.Namespace:
    """Return what argparse makes of a plain command line; raises ``NotPlainError`` for any other."""
    command = COMMANDS.get(arguments[0]) if arguments else None
    if command is None or not command.is_plain:
        raise NotPlainError
    plain = PlainArguments()
    command.add_arguments(plain)
    options = SimpleNamespace(command=command.name, version=False, **plain.read(arguments[1:]))
    return cast("argparse.Namespace", options)
