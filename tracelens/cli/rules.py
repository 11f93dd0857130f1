"""``tracelens rules``: list, show, check, try and draft rules."""

from __future__ import annotations

import argparse

from tracelens.cli.arguments import add_rules_argument
from tracelens.findings import ExitCode


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe ``rules`` and what it can do."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    listing = actions.add_parser("list", help="list rules, one a line")
    listing.add_argument("--cause", metavar="CAUSE", help="only those of a cause, such as cache")
    listing.add_argument("--label", metavar="LABEL", help="only those of a label, such as cache/permission")
    showing = actions.add_parser("show", help="print a rule as it was loaded, in YAML")
    showing.add_argument("rule", metavar="RULE", help="a code or a name")
    linting = actions.add_parser("lint", help="tell everything that is wrong or doubtful with rule files")
    linting.add_argument(
        "folders", nargs="*", metavar="PATH", help="rule files or their directories (default: our own)"
    )
    trying = actions.add_parser("test", help="try rules on their own examples and on the cases of a corpus")
    trying.add_argument("tried", nargs="*", metavar="RULE", help="codes or names (default: every rule)")
    trying.add_argument("--corpus", metavar="DIR", help="the directory of cases (default: that of a checkout)")
    covering = actions.add_parser("coverage", help="tell which events of logs no rule looks at")
    covering.add_argument("inputs", nargs="+", metavar="INPUT", help="a file, a glob, a directory or -")
    drafting = actions.add_parser("new", help="draft a rule from a log that no rule explains")
    drafting.add_argument("--from", dest="log", required=True, metavar="LOG", help="the log, or - for standard input")
    drafting.add_argument("--code", default="DRAFT001", help="the code of the new rule (default: DRAFT001)")
    drafting.add_argument("-o", "--output", metavar="DIR", help="write a file into DIR, not to standard output")
    for action in (listing, showing, trying, covering, drafting):
        add_rules_argument(action)
    for action in (listing, showing, linting, trying, covering):
        action.add_argument("--json", action="store_true", help="print one JSON object")
    actions.add_parser("packs", help="name the packs of rules that are installed")
    actions.add_parser("schema", help="print the JSON Schema of a rule file, for editors")


def run(options: argparse.Namespace) -> ExitCode:
    """Do what was asked and return the exit code."""
    if options.action in ("list", "show", "packs", "schema"):
        from tracelens.cli import rules_reading

        return rules_reading.ACTIONS[options.action](options)
    from tracelens.cli import rules_checking

    return rules_checking.ACTIONS[options.action](options)
