"""JSON read and written by the C code of ``json``, without that package.

The package compiles half a dozen regular expressions as it is imported, which costs a small
log as much as all the JSON that it has to do with. Where the C code is not as we know it,
the package does the work.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from tracelens.typed import Any

_Scan = Callable[[str, int], "tuple[Any, int]"]


class _Plain:
    """What the scanner is told: take everything as it is."""

    strict = True
    object_hook = object_pairs_hook = array_hook = None
    parse_float = parse_constant = float
    parse_int = int
    memo: dict[str, str] = {}  # noqa: RUF012 - the scanner empties it


try:
    from _json import encode_basestring_ascii, make_scanner

    # A Python built for debugging minds how errors are told here: see ``loads``.
    _scan: _Scan | None = None if hasattr(sys, "gettotalrefcount") else make_scanner(_Plain)  # type: ignore[arg-type] # by its attributes
except (ImportError, AttributeError, TypeError):
    from json.encoder import encode_basestring_ascii

    _scan = None

quoted = encode_basestring_ascii

_WORDS = {None: "null", True: "true", False: "false"}


def loads(text: str) -> Any:  # noqa: ANN401 - whatever is written there
    """Return what a JSON text says. Raises ``ValueError``."""
    if _scan is not None:
        try:
            value, end = _scan(text, 0)
        except (StopIteration, SystemError, ValueError):
            end = -1  # the package has better words for it, and those of its errors that are missing here
        if end == len(text):
            return value
    import json

    return json.loads(text)


def indented(value: object, newline: str = "\n") -> str:
    """Return a value as ``json.dumps(value, indent=2)`` does; ``newline`` begins each of its lines but the first."""
    if isinstance(value, str):
        return quoted(value)
    inner = f"{newline}  "
    if isinstance(value, dict) and value:
        fields = [f"{quoted(key)}: {indented(each, inner)}" for key, each in value.items()]
        return f"{{{inner}{f',{inner}'.join(fields)}{newline}}}"
    if isinstance(value, list | tuple) and value:
        return f"[{inner}{f',{inner}'.join([indented(each, inner) for each in value])}{newline}]"
    if value is None or value is True or value is False:
        return _WORDS[value]
    if type(value) is int or value == []:
        return repr(value)
    # Nothing that most answers hold.
    import json

    return json.dumps(value)
