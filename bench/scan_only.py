"""The scan alone, as a command: what the engines cost without rules and reports."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tracelens.scan import ScanLedger, ScanOptions, find_regions


def main() -> int:
    """Scan a file for the patterns of a file and print the ledger."""
    parser = argparse.ArgumentParser(description="Scan a file and print what was found.")
    parser.add_argument("log", type=Path)
    parser.add_argument("--patterns", type=Path, default=Path(__file__).with_name("rg-patterns.txt"))
    parser.add_argument("--engine", choices=("auto", "hyperscan", "re2", "python"), default="auto")
    arguments = parser.parse_args()
    patterns = arguments.patterns.read_text(encoding="utf-8").splitlines()
    ledger = ScanLedger()
    text = 0
    with arguments.log.open("rb", buffering=0) as file:
        for region in find_regions(file, patterns, options=ScanOptions(engine=arguments.engine), ledger=ledger):
            text += len(region.text)
    sys.stdout.write(f"{ledger}\n{text} characters in regions\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
