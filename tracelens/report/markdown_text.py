"""Text of a log as Markdown that says it and does nothing.

Outside of fences nothing becomes markup, a mention, a reference, a link, an
image or a command of a CI runner. A fence is longer than any run of
back-ticks in it, so nothing breaks out of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from tracelens.expressions import expression
from tracelens.report.harmless import harmless, harmless_line

_PUNCTUATION = expression(r"([\\`*_\[\]<>#|~&$])")
#: Renderers look for these after they have read the backslashes, so an invisible character breaks them.
_ACTIVE = expression(r"@(?=\\?\w)|\\#(?=\\?\w)|:(?=:|//|[a-z][a-z0-9_+-]{0,40}:)|\b(?:GH|gh)(?=-\d)|\bwww(?=\.)")
_JOINER = "\N{WORD JOINER}"
_TICKS = expression("`+")
_COLOURS = expression("\x1b(?:\\[[0-9;:?]{0,32}[A-Za-z]|\\][^\x07\x1b\n]{0,256}(?:\x07|\x1b\\\\))")
_LINE_START = expression(r"^(\d{0,9})([.)+=-])")


def prose(text: str) -> str:
    """Return text on one line with everything in it that Markdown could read as markup written out."""
    text = _PUNCTUATION.sub(r"\\\1", harmless_line(text).strip())
    text = _LINE_START.sub(r"\1\\\2", text)
    return _ACTIVE.sub(lambda match: match.group() + _JOINER, text)


def code(text: str) -> str:
    """Return text on one line as a code span."""
    text = harmless_line(text).strip() or " "
    ticks = "`" * (_longest_run(text) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def cell(text: str) -> str:
    """Return text as a code span for a cell of a table, where even code must not hold a bar."""
    return code(text.replace("|", "\N{BOX DRAWINGS LIGHT VERTICAL}"))


def fence(text: str, language: str = "text") -> str:
    """Return lines of a log, or commands, as a fenced block."""
    text = as_lines(text)
    ticks = "`" * max(3, _longest_run(text) + 1)
    return f"{ticks}{language}\n{text}\n{ticks}"


def as_lines(text: str) -> str:
    """Return the lines of a log without colours, and harmless; what rewrote a line follows it."""
    text = _COLOURS.sub("", text) if "\x1b" in text else text
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return harmless(text).rstrip("\n")


def details(summary: str, body: str) -> str:
    """Return a part that is shown when asked for; ``summary`` is prose of ours or of ``plain_html``."""
    return f"<details><summary>{summary}</summary>\n\n{body}\n\n</details>"


def plain_html(text: str) -> str:
    """Return text on one line for the inside of an HTML element within Markdown."""
    text = re.sub(r"[^\w .,:/()<>@=+%~-]", "·", harmless_line(text).strip())
    text = text.replace("<", "&lt;").replace(">", "&gt;").replace("_", "&#95;").replace("~", "&#126;")
    return re.sub(r"@(?=\w)|:(?=:|//|[a-z][a-z0-9_+-]{0,40}:)|\bwww(?=\.)", lambda match: match.group() + _JOINER, text)


def within(limit: int, show: Callable[[str], str], text: str) -> str:
    """Return ``show(text)``, of a text that is cut until that takes at most ``limit`` bytes."""
    shown = show(text)
    while (size := len(shown.encode())) > limit and text:
        # Some characters take several bytes, or are written out: measured, not foreseen.
        text = text[: min(len(text) - 1, len(text) * limit // size)]
        shown = show(f"{text}…")
    return shown


def _longest_run(text: str) -> int:
    return max((len(run) for run in _TICKS.findall(text)), default=0)
