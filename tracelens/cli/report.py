"""``tracelens report``: ``analyze`` for others to read, as Markdown and redacted."""

from __future__ import annotations

import argparse

from tracelens.cli import analyze


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe what ``report`` takes: what ``analyze`` does."""
    analyze.add_arguments(parser, default_format="markdown")


def run(options: argparse.Namespace) -> int:
    """Write the report and return the exit code of the analysis."""
    return analyze.run(options)
