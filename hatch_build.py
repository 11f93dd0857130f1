"""The build hook that puts ready-made grammar tables into the wheel.

Without them the first run on a machine would import Lark to make them. The
hook works on the source tree alone, so it needs nothing but Lark.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class GrammarTables(BuildHookInterface):  # type: ignore[type-arg]
    """Write ``tracelens/parsing/grammar/tables.json`` into what is built."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make the tables and name them to hatch; an editable install makes its own."""
        if version == "editable":
            return
        root = Path(self.root)
        sys.path.insert(0, str(root))
        try:
            from tracelens.parsing.tables import packaged_tables  # noqa: PLC0415 - importable only from here on

            text = packaged_tables()
        finally:
            sys.path.remove(str(root))
        made = Path(self.directory) / "grammar-tables.json"
        made.parent.mkdir(parents=True, exist_ok=True)
        made.write_text(text, encoding="utf-8")
        build_data["force_include"][str(made)] = "tracelens/parsing/grammar/tables.json"
