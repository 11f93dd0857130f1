"""``tracelens explain-match``: why one rule did or did not match a log."""

from __future__ import annotations

import argparse

from tracelens.authoring.logs import read_log
from tracelens.authoring.verdict_lines import lay_out_verdict_on_rule, verdict_data
from tracelens.cli.arguments import add_rules_argument
from tracelens.cli.output import layout_for_output, write_lines, write_text
from tracelens.engine.diagnose import judge_events
from tracelens.engine.verdict import judge_rule
from tracelens.errors import UsageError
from tracelens.findings import ExitCode
from tracelens.handbook.finding import find_rule
from tracelens.report.harmless import harmless_line, json_text
from tracelens.ruleset.bundled import load_ruleset


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe what ``explain-match`` takes."""
    parser.add_argument("input", metavar="INPUT", help="the log, or - for standard input")
    parser.add_argument("--rule", required=True, metavar="CODE", help="the code or the name of the rule")
    parser.add_argument(
        "--format", choices=["terminal", "json"], default="terminal", help="what to print (default: terminal)"
    )
    add_rules_argument(parser)


def run(options: argparse.Namespace) -> ExitCode:
    """Print the verdict; exit with 0 when the rule matched, with 1 when it did not."""
    ruleset = load_ruleset(options.rules)
    rule = find_rule(options.rule, ruleset)
    if rule is None:
        message = f"there is no rule {harmless_line(options.rule)!r}; tracelens rules list names every rule"
        raise UsageError(message)
    log = read_log(options.input, ruleset)
    verdict = judge_rule(rule, judge_events(log.store, ruleset), log.excerpt)
    if options.format == "json":
        write_text(json_text(verdict_data(verdict, log.name)), None)
    else:
        write_lines(lay_out_verdict_on_rule(verdict, log.name, layout_for_output(None)), None)
    return ExitCode.EXPLAINED if verdict.fate.matched else ExitCode.UNEXPLAINED
