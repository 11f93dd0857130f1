r"""Make text from a log harmless to a terminal, a CI runner and a reader.

Logs are hostile. Escape sequences, other control characters and bidirectional
overrides are written out visibly instead of acting, and the markers by which
CI systems find commands in output (``##[…]``, ``##vso[…]``, ``::…::``) are
broken up. Bytes that were not UTF-8 come out as ``\x80``, so nothing is lost.
"""

from __future__ import annotations

import re

from tracelens.expressions import compiled
from tracelens.plain_json import indented, quoted

# C0 but for tab and newline, DEL, C1, line and paragraph separators,
# bidirectional controls, zero-width characters, tags and lone surrogates.
_UNSAFE = (
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff"
    "\U000e0000-\U000e007f]"
)
# GitHub reads "##[" anywhere in a line, Azure "##vso[", TeamCity "##teamcity[".
_RUNNER_COMMAND = r"##(?=\w*\[)"
# GitHub also reads "::name::" at the start of a line, and any blank may become one by wrapping.
_LINE_COMMAND = r"(?m)(^|\s):(?=:)"
_ESCAPED_BYTE = range(0xDC80, 0xDD00)


def _written_out(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code in _ESCAPED_BYTE:
        code -= 0xDC00
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def harmless(text: str) -> str:
    """Return ``text`` with whatever could act written out; lines stay lines."""
    if text.isascii() and text.isprintable() and "##" not in text and "::" not in text:
        return text
    text = compiled(_UNSAFE).sub(_written_out, text.expandtabs(4))
    text = compiled(_RUNNER_COMMAND).sub("# #", text)
    return compiled(_LINE_COMMAND).sub(r"\1: ", text)


def harmless_line(text: str) -> str:
    """Return ``text`` harmless and on one line."""
    return harmless(" ".join(text.splitlines()))


def whole_characters(text: str) -> str:
    r"""Return ``text`` with undecodable bytes as ``\x80``, all else untouched."""
    if text.isascii():
        return text
    return re.sub("[\ud800-\udfff]", _written_out, text)


def _compact(value: object) -> str:
    import json

    return json.dumps(value)


def json_text(value: object, on_one_line: tuple[str, object] | None = None) -> str:
    """Return a value as JSON, ended by a newline, in which nothing can act on a terminal or a CI runner.

    ``on_one_line`` is a last key of an object that is not empty, and what it holds.
    """
    text = indented(value)
    if on_one_line is not None:
        key, last = on_one_line
        text = f"{text[:-2]},\n  {quoted(key)}: {'null' if last is None else _compact(last)}\n}}"
    return text.replace("##", "\\u0023\\u0023") + "\n"
