"""Render answers as one page that needs nothing but itself.

Style and script stand in the page and are allowed by their hash alone, so
that nothing from a log can become either; nothing is loaded from elsewhere.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from importlib.resources import files

from jinja2 import DictLoader, Environment, StrictUndefined
from markupsafe import Markup

from tracelens import __version__
from tracelens.findings import Replacement
from tracelens.report.document import Document
from tracelens.report.harmless import harmless_line
from tracelens.report.page_views import view_answer


def render(document: Document) -> str:
    """Return the page of one answer, or of several inputs with the joint answer first."""
    diagnosis, inputs = document.together, document.inputs
    page = files("tracelens.report").joinpath("page")
    style = page.joinpath("report.css").read_text(encoding="utf-8")
    script = page.joinpath("report.js").read_text(encoding="utf-8")
    views = [view_answer(diagnosis, "answer", source=f"{len(inputs)} inputs together" if inputs else None)]
    views += [view_answer(one, f"input-{number}") for number, one in enumerate(inputs, 1)]
    template = page.joinpath("report.html.j2").read_text(encoding="utf-8")
    environment = Environment(
        loader=DictLoader({"report": template}), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    return environment.get_template("report").render(
        title=f"{diagnosis.label or diagnosis.outcome.value} in {views[0].source}",
        views=views,
        fingerprint=diagnosis.fingerprint,
        search=harmless_line(diagnosis.fingerprint.search) if diagnosis.fingerprint else "",
        redacted=_in_words(document.replacements),
        version=__version__,
        style=Markup(style),  # noqa: S704 - our own file, and the hash beside it allows nothing else
        script=Markup(script),  # noqa: S704 - the same
        style_hash=_hash(style),
        script_hash=_hash(script),
    )


def _in_words(replacements: Sequence[Replacement] | None) -> str | None:
    if replacements is None:
        return None
    return (
        ", ".join(f"{each.kind} ({each.times} time{'s' if each.times != 1 else ''})" for each in replacements)
        or "nothing had to be"
    )


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
