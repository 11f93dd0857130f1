"""Several formats of one answer, redacted where they are meant for others."""

from __future__ import annotations

import argparse
import os
import secrets
import sys
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from tracelens.api import combine
from tracelens.cli.formats import FORMATS, Format, asked_for
from tracelens.cli.output import write_text
from tracelens.cli.terminal import write_terminal
from tracelens.errors import InputError, UsageError
from tracelens.findings import Diagnosis
from tracelens.record import replace
from tracelens.report.document import Document

_QUESTION = "The report will show secrets, user names and hosts as the log has them. Write it? [y/N] "
_CANNOT_ASK = (
    "--no-redact shows secrets, user names and hosts of the log, and nobody can be asked here:"
    " add --yes if that is meant"
)


class Reports:
    """Renders and writes what was asked for; answers are redacted once, and only if some format needs it."""

    def __init__(self, answers: Sequence[Diagnosis], options: argparse.Namespace) -> None:
        """Take the answer of every input."""
        self._answers = answers
        self._options = options

    @staticmethod
    def check(options: argparse.Namespace) -> None:
        """Ask before anything is shown to others that is not theirs to see.

        Raises ``UsageError`` when it must not be.
        """
        published = any(each is not None and each.is_published for each, _ in asked_for(options))
        if options.redact is not False or options.yes or not published:
            return
        if sys.stdin is None or not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise UsageError(_CANNOT_ASK)
        sys.stderr.write(_QUESTION)
        sys.stderr.flush()
        if sys.stdin.readline().strip().lower() not in ("y", "yes"):
            message = "nothing was written"
            raise UsageError(message)

    def write(self) -> None:
        """Write every output; the one for standard output comes first."""
        for each, path in asked_for(self._options):
            if each is None:
                document = self._redacted if self._options.redact else self._plain
                write_terminal(document.together, document.inputs, self._options, path)
            else:
                write_text(each.render(self._document(each)), path)
        summary = os.environ.get("GITHUB_STEP_SUMMARY")
        if self._options.format == "github" and summary:
            markdown = FORMATS["markdown"]
            _append(markdown.render(self._document(markdown)), summary)

    def _document(self, each: Format) -> Document:
        redact = self._options.redact
        return self._redacted if redact or (redact is None and each.is_published) else self._plain

    @cached_property
    def _nonce(self) -> str:
        return secrets.token_hex(16)

    @cached_property
    def _plain(self) -> Document:
        several = tuple(self._answers) if len(self._answers) > 1 else ()
        workspace = os.environ.get("GITHUB_WORKSPACE")
        return Document(together=combine(self._answers), inputs=several, workspace=workspace, nonce=self._nonce)

    @cached_property
    def _redacted(self) -> Document:
        from tracelens.redaction import redact_record

        document, replacements = redact_record(self._plain)
        return replace(document, replacements=replacements)


def _append(text: str, path: str) -> None:
    try:
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise InputError(path, f"cannot be written: {error.strerror or error}") from error
