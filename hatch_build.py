"""The build hook that puts ready-made data into the wheel.

Grammar tables and rules are compiled here, so that an installed tracelens
never imports Lark or a YAML parser to answer, and a broken rule never ships.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PackagedData(BuildHookInterface):  # type: ignore[type-arg]
    """Write the grammar tables and the compiled rules into what is built."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make the data and name it to hatch; an editable install makes its own."""
        if version == "editable":
            return
        root = Path(self.root)
        self._folder.mkdir(parents=True, exist_ok=True)
        tables, rules = self._folder / "tables.json", self._folder / "_rules.json"
        sys.path.insert(0, str(root))
        try:
            from tracelens.parsing.tables import packaged_tables
            from tracelens.ruleset.dump import write_bundle

            tables.write_text(packaged_tables(), encoding="utf-8")
            write_bundle(rules=root / "rules", taxonomy=root / "taxonomy.yml", target=rules)
        finally:
            sys.path.remove(str(root))
        build_data["force_include"][str(tables)] = "tracelens/parsing/grammar/tables.json"
        build_data["force_include"][str(rules)] = "tracelens/_rules.json"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Take away what was made: it is in the wheel now."""
        del version, build_data, artifact_path
        shutil.rmtree(self._folder, ignore_errors=True)

    @property
    def _folder(self) -> Path:
        return Path(self.root) / "build" / "packaged-data"
