"""Texts of rules with holes: ``{compiler}`` or ``{compiler|a C++ compiler}``.

A doubled brace stands for itself, and ``${HOME}`` belongs to the shell. What
fills a hole comes from a log that anybody may have written, so a command only
takes values that cannot become a command of their own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from tracelens.expressions import compiled, expression
from tracelens.findings import FixKind

_HOLE = expression(r"\{\{|\}\}|(?<!\$)\{(?P<name>[a-z_][a-z0-9_]*)(?:\|(?P<fallback>[^{}]*))?\}")
_CONTROL = expression(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]+")
#: What may stand unquoted in any shell, or in an expression, without doing anything.
_SAFE_WORD = r"[\w@%+=:,./\\~-]+"
_SAFE_CODE = r"[\w.\[\]'\"/:-]+"
_SHELLS = (FixKind.SHELL, FixKind.ENV)
_LONGEST = 200


def hole_names(text: str) -> tuple[str, ...]:
    """Return the names of the holes, in order, each once."""
    return tuple(dict.fromkeys(match["name"] for match in _HOLE.finditer(text) if match["name"]))


def fill_text(text: str, captures: Mapping[str, str]) -> str:
    """Fill a title or summary; a hole with nothing to fill it keeps its fallback or its name.

    What fills the end of a sentence brings no end of its own along.
    """

    def replace(match: re.Match[str]) -> str:
        name = match["name"]
        if not name:
            return match[0][0]
        value = _CONTROL.sub(" ", captures.get(name, "")).strip()
        if len(value) > _LONGEST:
            value = f"{value[: _LONGEST - 1]}…"
        if text.startswith(".", match.end()):
            value = value.rstrip(" .:")
        return value or (match["fallback"] if match["fallback"] is not None else name.replace("_", " "))

    return _HOLE.sub(replace, text)


def fill_command(text: str, captures: Mapping[str, str], kind: FixKind) -> str:
    """Fill a command; a value that is not harmless becomes ``<name>``, for a person to fill in."""
    safe = compiled(_SAFE_WORD if kind in _SHELLS else _SAFE_CODE)

    def replace(match: re.Match[str]) -> str:
        name = match["name"]
        if not name:
            return match[0][0]
        value = captures.get(name, "").strip()
        if safe.fullmatch(value):
            return value
        return match["fallback"] if match["fallback"] is not None and not value else f"<{name}>"

    return _HOLE.sub(replace, text)
