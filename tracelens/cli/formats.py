"""The formats of a report: one line each, and a module ``report/as_<name>.py`` with ``render(document)``.

A module is imported when its format is asked for.
"""

from __future__ import annotations

from tracelens.cli.loading import load_module
from tracelens.typed import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import argparse

    from tracelens.report.document import Document

TERMINAL = "terminal"
#: How much of the log an answer carries for a format that shows it.
EXCERPT_ROOM = 40_000


class Format(NamedTuple):
    """One format: what it is for, and what an answer needs for it."""

    name: str
    what: str
    #: Made to be shown to others: redacted unless that is refused.
    is_published: bool = True
    carries_log: bool = False
    has_own_option: bool = True

    @property
    def option(self) -> str:
        """Return the name of the argument that holds where it is written to."""
        return f"{self.name}_output"

    def render(self, document: Document) -> str:
        """Return the report."""
        text: str = load_module(f"tracelens.report.as_{self.name}").render(document)
        return text


_ALL = (
    Format(name="json", what="one JSON object", is_published=False),
    Format(name="markdown", what="a bug report, redacted", carries_log=True),
    Format(name="sarif", what="SARIF 2.1.0, redacted"),
    Format(name="html", what="a page for a browser, redacted"),
    Format(name="github", what="annotations of GitHub Actions", carries_log=True, has_own_option=False),
)

FORMATS = {each.name: each for each in _ALL}


def add_format_arguments(parser: argparse.ArgumentParser, default: str) -> None:
    """Describe which formats there are and where they can be written to."""
    parser.add_argument(
        "--format", choices=[TERMINAL, *FORMATS], default=default, help=f"what to print (default: {default})"
    )
    for each in FORMATS.values():
        if each.has_own_option:
            parser.add_argument(
                f"--{each.name}-output", metavar="FILE", help=f"write FILE as well, in the same run: {each.what}"
            )
    redaction = parser.add_mutually_exclusive_group()
    redaction.add_argument(
        "--redact",
        action="store_true",
        default=None,
        help="redact every output; markdown, sarif, html and github are without being asked",
    )
    redaction.add_argument(
        "--no-redact",
        dest="redact",
        action="store_false",
        help="show secrets, names and hosts as they are; asks first",
    )
    parser.add_argument("--yes", action="store_true", help="answer yes to what --no-redact asks")


def asked_for(options: argparse.Namespace) -> tuple[tuple[Format | None, str | None], ...]:
    """Return each format with the file it goes to; ``None`` for the terminal, and for standard output."""
    main = (FORMATS.get(options.format), options.output)
    others = ((each, getattr(options, each.option, None)) for each in FORMATS.values())
    return (main, *((each, path) for each, path in others if path is not None))
