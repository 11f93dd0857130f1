"""``tracelens explain``: a rule, a label, a cause or a compile mode, without a log."""

from __future__ import annotations

import argparse

from tracelens.cli.arguments import add_rules_argument
from tracelens.cli.output import layout_for_output, write_lines, write_text
from tracelens.findings import ExitCode
from tracelens.handbook.finding import find_topic
from tracelens.ruleset.bundled import load_ruleset


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe what ``explain`` takes."""
    parser.add_argument(
        "topic",
        nargs="?",
        metavar="TOPIC",
        help="a code (TL204), a label (cache/truncated-artifact), a cause (cache) or a mode (reduce-overhead)",
    )
    parser.add_argument(
        "--format",
        choices=["terminal", "json", "markdown"],
        default="terminal",
        help="what to print (default: terminal)",
    )
    add_rules_argument(parser)


def run(options: argparse.Namespace) -> ExitCode:
    """Print the page and return the exit code."""
    topic = find_topic(options.topic, load_ruleset(options.rules))
    if options.format == "json":
        from tracelens.handbook.as_json import render_topic_json

        write_text(render_topic_json(topic), None)
    elif options.format == "markdown":
        from tracelens.handbook.as_markdown import render_topic_markdown

        write_text(render_topic_markdown(topic), None)
    else:
        from tracelens.handbook.as_lines import lay_out_topic

        write_lines(lay_out_topic(topic, layout_for_output(None)), None)
    return ExitCode.EXPLAINED
