"""Start of a child: make the package known by a name of its own, and do the job on standard input.

The folder of this file is taken off the search path again, so that no module
of ours can stand in the way of one of torch's.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

NAME = "tracelens_child"


def main() -> None:
    """Load the package from the folder of this file, and let it do its job."""
    folder = Path(__file__).resolve().parent
    sys.path[:] = [entry for entry in sys.path if Path(entry or ".").resolve() != folder]
    spec = importlib.util.spec_from_file_location(
        NAME, folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    if spec is None or spec.loader is None:
        raise ImportError(NAME)
    package = importlib.util.module_from_spec(spec)
    sys.modules[NAME] = package
    spec.loader.exec_module(package)
    importlib.import_module(f"{NAME}.job").main()


if __name__ == "__main__":
    main()
