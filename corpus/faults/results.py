"""The table of all pairs that were tried: kept as JSON, shown as Markdown."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from corpus.faults.trial import Outcome

FOLDER = Path(__file__).parent
SHOWN = FOLDER / "RESULTS.md"
HEAD = """# Faults and fixes

Every line is a run: the fault was injected into a working torch, the run failed (or
showed the symptom), the fix was applied as a user would, and the same program was run
again. *Rule* is the rule whose fix was tried; without one it is popular advice.
A cross is a fix that did not help. This file is written by `make lab`.
"""


class Results:
    """The results of one machine, in the order of their names."""

    def __init__(self, file: Path, facts: dict[str, str]) -> None:
        """Read what there is, or begin."""
        self.file = file
        self.record: dict[str, Any] = {**facts, "outcomes": {}, "problems": {}}
        if file.exists():
            self.record = json.loads(file.read_text(encoding="utf-8"))

    def has(self, fault: str) -> bool:
        """Tell whether a fault was tried, with success."""
        return fault in self.record["outcomes"] and fault not in self.record["problems"]

    def add(self, outcome: Outcome) -> None:
        """Put the outcome of a fault in place of an older one."""
        self.record["outcomes"][outcome.fault] = asdict(outcome)
        self.record["problems"].pop(outcome.fault, None)
        if outcome.problem:
            self.record["problems"][outcome.fault] = outcome.problem
        self.write()

    def fail(self, fault: str, problem: str) -> None:
        """Note that a fault could not be tried."""
        self.record["problems"][fault] = problem
        self.write()

    def write(self) -> None:
        """Write the file, and the table of all files."""
        for part in ("outcomes", "problems"):
            self.record[part] = dict(sorted(self.record[part].items()))
        self.file.write_text(json.dumps(self.record, indent=1) + "\n", encoding="utf-8")
        SHOWN.write_text(show(), encoding="utf-8")


def show() -> str:
    """Lay out the results of every machine."""
    parts = [HEAD]
    for file in sorted(FOLDER.glob("results-*.json")):
        record = json.loads(file.read_text(encoding="utf-8"))
        pairs = [pair for outcome in record["outcomes"].values() for pair in outcome["pairs"]]
        helped = sum(pair["helped"] for pair in pairs)
        triton = f", Triton {record['triton']}" if "triton" in record else ""
        parts.append(f"## torch {record['torch']}{triton}, Python {record['python']}\n")
        parts.append(f"{record['machine']}; {record['date']}.")
        parts.append(
            f"{len(pairs)} pairs of {len(record['outcomes'])} faults: {helped} helped, {len(pairs) - helped} did not.\n"
        )
        parts += ["| fault | label | rule | fix | helped | seconds | what was done |", "|---|---|---|---|---|---|---|"]
        for outcome in record["outcomes"].values():
            parts += [row(outcome, pair) for pair in outcome["pairs"]]
        parts += ["", *(f"- {name}: {problem}" for name, problem in record["problems"].items())]
    return "\n".join(parts).rstrip() + "\n"


def row(outcome: dict[str, Any], pair: dict[str, Any]) -> str:
    """Lay out one pair."""
    done = "; ".join(pair["commands"]).replace("\n", "; ").replace("|", "\\|")
    mark = "yes" if pair["helped"] else "✗"
    surprise = "" if pair["expected"] in {None, pair["helped"]} else " (not as expected)"
    cells = (
        outcome["fault"],
        outcome["label"],
        pair["rule"] or "",
        pair["fix"],
        mark + surprise,
        pair["seconds"],
        f"`` {done} ``",
    )
    return "| " + " | ".join(str(cell) for cell in cells) + " |"
