"""``tracelens run -- COMMAND``: the command as it is, and the diagnosis below it if it ends badly."""

from __future__ import annotations

import argparse
import os
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from tracelens.cli.arguments import add_rules_argument, seconds
from tracelens.errors import TracelensError, UsageError

if TYPE_CHECKING:
    from tracelens.findings import Diagnosis
    from tracelens.report.layout import Layout, StyledLine
    from tracelens.running.command import Command, Ended
    from tracelens.running.facts import Watcher
    from tracelens.source import Input

_NOT_FOUND, _NOT_EXECUTABLE = 127, 126


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe what ``run`` takes."""
    parser.add_argument("--format", choices=["terminal", "json"], default="terminal", help="how to print the diagnosis")
    parser.add_argument("-o", "--output", metavar="FILE", help="write the diagnosis to FILE, however the command ends")
    add_rules_argument(parser)
    parser.add_argument(
        "--hang-after",
        type=seconds,
        metavar="SECONDS",
        help="after so long a silence look for locks of the caches; end a command that provably waits for one",
    )
    parser.add_argument("--trace", metavar="DIR", help="have torch write its trace there (sets TORCH_TRACE)")
    parser.add_argument("argv", nargs=argparse.REMAINDER, metavar="-- COMMAND", help="what to run, with its arguments")


def run(options: argparse.Namespace) -> int:
    """Run the command and return its exit code, whatever becomes of the diagnosis."""
    if os.name != "posix":
        message = "run needs a POSIX system; elsewhere: COMMAND > train.log 2>&1, then tracelens analyze train.log"
        raise UsageError(message)
    from tracelens.cli.output import write_errors
    from tracelens.environment.memory import count_memory_kills
    from tracelens.report.harmless import harmless_line
    from tracelens.running.command import Command

    arguments = options.argv[1:] if options.argv[:1] == ["--"] else options.argv
    if not arguments:
        message = "name a command: tracelens run -- python train.py"
        raise UsageError(message)
    settings = {"TORCH_TRACE": str(Path(options.trace).absolute())} if options.trace else {}
    kills = count_memory_kills()
    earlier = _files_in(options.trace)

    @cache
    def watcher() -> Watcher:
        # A command that ends well never needs it, and the start of every other one waits for no import.
        from tracelens.running.facts import Watcher

        return Watcher(settings, kills)

    command = Command(
        arguments,
        settings=settings,
        silence=options.hang_after,
        judge_silence=lambda family: watcher().judge_silence(family),
    )
    try:
        ended = command.run()
    except OSError as error:
        name = harmless_line(arguments[0]) or "an empty command"
        write_errors(f"tracelens: {name}: {error.strerror or error}\n")
        return _NOT_FOUND if isinstance(error, FileNotFoundError) else _NOT_EXECUTABLE
    if ended.exit_code or options.output:
        try:
            artifacts = _written_since(earlier, options.trace)
            _tell(_diagnose(command, ended, watcher(), artifacts, options), options, ended_badly=bool(ended.exit_code))
        except TracelensError as error:
            write_errors(f"tracelens: {harmless_line(str(error))}\n")
        except Exception as error:  # noqa: BLE001 - the exit code belongs to the command
            from tracelens.cli.main import describe_fault

            write_errors(f"tracelens: {harmless_line(describe_fault(error))}\n")
    return ended.exit_code


def _files_in(folder: str | None) -> frozenset[str]:
    walk = os.walk(folder) if folder else ()
    return frozenset(str(Path(place, name)) for place, _, names in walk for name in names)


def _written_since(earlier: frozenset[str], folder: str | None) -> tuple[Input, ...]:
    """Return the traces of this run: torch begins a new file in each, and those of other runs say nothing of it."""
    from tracelens.source import expand_inputs

    # A command that fails before it compiles anything leaves none.
    if folder is None or not _files_in(folder) - earlier:
        return ()
    return tuple(entry for entry in expand_inputs([folder]) if entry.name not in earlier)


def _diagnose(
    command: Command, ended: Ended, watcher: Watcher, artifacts: tuple[Input, ...], options: argparse.Namespace
) -> Diagnosis:
    from tracelens.expressions import keep, recall

    # First of all: what it takes to analyse compiles as it is imported.
    recall()
    from tracelens.api import analyze_beside
    from tracelens.record import replace
    from tracelens.ruleset.bundled import load_ruleset
    from tracelens.running.copying import CopyFeed

    facts = watcher.facts(ended, command.family, command.copy)
    ruleset = load_ruleset(options.rules)
    diagnosis = analyze_beside(
        CopyFeed(command.copy), ruleset, artifacts, source=" ".join(command.arguments), facts=facts
    )
    keep()
    return replace(diagnosis, checks=watcher.checks(ended, command.family))


def _tell(diagnosis: Diagnosis, options: argparse.Namespace, *, ended_badly: bool) -> None:
    from tracelens.cli.output import layout_for_output, write_lines, write_text

    is_json = options.format == "json"
    if is_json and (options.output or ended_badly):
        from tracelens.report.as_json import render_json

        write_text(render_json(diagnosis), options.output, sys.stderr)
    if not is_json and options.output:
        write_lines(_laid_out(diagnosis, layout_for_output(options.output)), options.output)
    if ended_badly and (options.output or not is_json):
        write_lines([(), *_laid_out(diagnosis, layout_for_output(None, sys.stderr))], None, sys.stderr)


def _laid_out(diagnosis: Diagnosis, layout: Layout) -> list[StyledLine]:
    from tracelens.report.layout import lay_out

    return lay_out(diagnosis, layout)
