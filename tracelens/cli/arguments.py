"""Arguments that several commands take, so that they mean the same everywhere."""

from __future__ import annotations

from tracelens.typed import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse


def add_rules_argument(parser: argparse.ArgumentParser) -> None:
    """Describe ``--rules``, by which rules of others are read beside our own."""
    parser.add_argument(
        "--rules",
        action="append",
        default=[],
        metavar="DIR",
        help="add the rule files of a directory, or of an installed pack (pack:NAME); may be repeated",
    )


def seconds(text: str) -> float:
    """Return a span of time; raises ``ArgumentTypeError`` for what is none."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        from argparse import ArgumentTypeError

        message = f"not a number of seconds: {text!r}"
        raise ArgumentTypeError(message)
    return number
