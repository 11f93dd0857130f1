"""Write plain data as the YAML that rule files are made of: every text is one again when it is read."""

from __future__ import annotations

import re
from typing import Any

import yaml

from tracelens.ruleset.nodes import Scalar
from tracelens.ruleset.reading import describe

_WIDTH = 120
_PLAIN = re.compile(r"[A-Za-z][\w/.+ -]*")
_BLOCK = re.compile(r"[^\S\n][^\n]*(?:\n|$)|[^\n]*[^\S\n](?:\n|$)")


def dump_yaml(data: dict[str, Any]) -> str:
    """Return YAML text for keys and values."""
    return yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=_WIDTH)


class _Dumper(yaml.SafeDumper):
    """Quotes what any reader of YAML could take for something else than a text."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ANN401  # as the base class has it
        del data
        return True  # rule files hold none


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    if "\n" in text and not _BLOCK.search(text):
        style: str | None = "|"
    else:
        scalar = Scalar(line=1, text=text, quoted=False)
        is_plain = _PLAIN.fullmatch(text) and describe(scalar).startswith("a text")
        style = None if is_plain else "'"
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _represent_text)
