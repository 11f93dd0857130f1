"""``python -m corpus.graphs FOLDER``: write graphs of real programs there and count what of them is read."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path


def main() -> None:
    """Read the arguments and do it."""
    parser = argparse.ArgumentParser(prog="python -m corpus.graphs", description=__doc__)
    parser.add_argument("folder", type=Path, help="where the graphs are, or are written to")
    parser.add_argument("--only", nargs="*", default=[], help="names of programs")
    parser.add_argument("--generate", action="store_true", help="in this process; used by the command itself")
    options = parser.parse_args()
    if options.generate:
        from corpus.graphs.generate import generate

        for problem in generate(options.folder, frozenset(options.only)):
            print(f"not compiled: {problem}")
        return
    if not options.folder.exists() or options.only:
        environment = {**os.environ, "TORCH_TRACE": str(options.folder / "trace")}
        command = [sys.executable, "-W", "ignore", "-m", "corpus.graphs", str(options.folder), "--generate"]
        subprocess.run([*command, "--only", *options.only], check=True, env=environment)
    from corpus.graphs.measure import measure

    print(measure(options.folder))


if __name__ == "__main__":
    main()
