"""``python -m tracelens.ruleset [FOLDER ...]``: print every problem of rule files."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from tracelens.errors import TracelensError
from tracelens.findings import ExitCode
from tracelens.ruleset.load import bundled_folder, bundled_taxonomy, load_folders, load_labels


def main(arguments: Sequence[str]) -> ExitCode:
    """Check the folders, ours when none is named, and say how many rules are sound."""
    folders = [Path(argument) for argument in arguments] or [bundled_folder()]
    try:
        rules = load_folders(folders, labels=load_labels(bundled_taxonomy()), foreign=False)
    except TracelensError as error:
        sys.stdout.write(f"{error}\n")
        return ExitCode.USAGE
    sys.stdout.write(f"{len(rules)} rules, no problems\n")
    return ExitCode.EXPLAINED


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
