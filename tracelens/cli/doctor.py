"""``tracelens doctor``: will torch.compile work here, and if not, which cause is it."""

from __future__ import annotations

import argparse
import os
import platform
import shutil

from tracelens.cli.arguments import add_rules_argument
from tracelens.errors import UsageError
from tracelens.expressions import keep, recall
from tracelens.findings import ExitCode, Outcome


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe what ``doctor`` takes."""
    parser.add_argument("--python", metavar="PATH", help="the Python that has torch (default: ours, or that on PATH)")
    parser.add_argument("--quick", action="store_true", help="do not import torch, which takes seconds")
    parser.add_argument("--format", choices=["terminal", "json"], default="terminal", help="what to print")
    parser.add_argument("--json", action="store_const", const="json", dest="format", help="the same as --format json")
    parser.add_argument("-o", "--output", metavar="FILE", help="write the report to FILE instead of standard output")
    add_rules_argument(parser)


def run(options: argparse.Namespace) -> ExitCode:
    """Look at the machine, print what was found, and return whether anything was."""
    # First of all: what it takes to analyse compiles as it is imported.
    recall()
    from tracelens.api import analyze_checks
    from tracelens.cli.output import layout_for_output, write_lines, write_text
    from tracelens.environment.doctor import examine
    from tracelens.ruleset.bundled import load_ruleset

    if options.python and shutil.which(options.python) is None:
        message = f"--python: {options.python} is no program that can be started"
        raise UsageError(message)
    ruleset = load_ruleset(options.rules)
    checks = examine(options.python, os.environ, quick=options.quick)
    diagnosis = analyze_checks(checks, ruleset, source=f"this machine ({platform.node() or 'unnamed'})")
    keep()
    if options.format == "json":
        from tracelens.report.as_json import render_json

        write_text(render_json(diagnosis), options.output)
    else:
        from tracelens.report.checks import lay_out_checks

        write_lines(lay_out_checks(diagnosis, layout_for_output(options.output)), options.output)
    return ExitCode.EXPLAINED if diagnosis.outcome is Outcome.CLEAN else ExitCode.UNEXPLAINED
