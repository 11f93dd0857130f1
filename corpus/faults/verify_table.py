"""The table of what ``tracelens verify`` said: kept as JSON, shown as Markdown."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
SHOWN = FOLDER / "VERIFIED.md"
HEAD = """# What `tracelens verify` says of real faults

Every line is a run by the command: a fault was injected into a working torch, its log
was diagnosed, and the failure was run again in the same broken room, with one fix or
one piece of advice. *Expected* is what is known to be true of the pair; a line without
it was recommended by the diagnosis and is shown for completeness. This file is
written by `make verify-lab CASE=all`; for a torch that is not tracelens' own by
`make verify-lab CASE="all --python PATH"`, where tracelens stays on its own Python,
and the faults are done to the one that `--python` names.
"""


_MEASURED = ("first_call_s", "step_ms", "step_spread_ms", "samples_per_s", "gain", "peak_mib")


def write_tables(file: Path, done: dict[str, Any]) -> None:
    """Write the answers, and the table of all files."""
    file.write_text(json.dumps(dict(sorted(done.items())), indent=1) + "\n", encoding="utf-8")
    SHOWN.write_text(show(), encoding="utf-8")


def show() -> str:
    """Lay out the answers of every machine."""
    parts = [HEAD]
    for file in sorted(FOLDER.glob("verified-*.json")):
        records = list(json.loads(file.read_text(encoding="utf-8")).values())
        facts = {
            f"torch {record['torch']}, {record['device']}, {record['date']}"
            for record in records
            if record.get("torch")
        }
        parts.append(f"## {'; '.join(sorted(facts))}\n")
        parts.append(summary(records) + "\n")
        parts += ["| fault | label | baseline | fix | expected | status | compiles | compile s | note |"]
        parts += ["|---|---|---|---|---|---|---|---|---|"]
        for record in records:
            parts += [row(record, run) for run in record.get("runs", ())]
        problems = [f"- {record['fault']}: {record['problem']}" for record in records if record.get("problem")]
        parts += ["", *problems] if problems else [""]
    parts += [show_matrix(file) for file in sorted(FOLDER.glob("matrix-*.json"))]
    return "\n".join(parts).rstrip() + "\n"


def show_matrix(file: Path) -> str:
    """Lay out what ``--matrix`` measured on one machine."""
    record = json.loads(file.read_text(encoding="utf-8"))
    lines = [
        f"\n## The matrix on {record['machine']}, torch {record['torch']}, {record['date']}\n",
        f"`tracelens verify LOG --matrix` measured {record['matrix_of']}.\n",
        "| mode | status | first call s | step ms (median) | spread ms | samples/s | gain | peak MiB | note |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for mode in record["matrix"]:
        values = [mode[name] for name in _MEASURED]
        shown = ["" if value is None else f"{value:.4g}" for value in values]
        note = (mode["note"] or "").replace("|", "\\|")
        lines.append("| " + " | ".join((mode["mode"], mode["status"], *shown, note)) + " |")
    return "\n".join(lines)


def summary(records: Iterable[dict[str, Any]]) -> str:
    """Count what came out as expected, and what must never come out."""
    runs = [run for record in records for run in record.get("runs", ())]
    right = [run for run in runs if run["expected"] == "fixes"]
    wrong = [run for run in runs if run["expected"] == "does not fix"]
    true = sum(run["status"] == "fixes" for run in right)
    refused = sum(run["status"] == "does not fix" for run in wrong)
    false = sum(run["status"] == "fixes" for run in wrong)
    return (
        f"{len(right)} right pairs: {true} are called `fixes`. {len(wrong)} wrong pairs: {refused} are called "
        f"`does not fix`, {false} `fixes`."
    )


def row(record: dict[str, Any], run: dict[str, Any]) -> str:
    """Lay out one run."""
    surprise = "" if run["expected"] in {None, run["status"]} else " (not as expected)"
    note = (run["note"] or "").replace("|", "\\|").replace("\n", " ")
    asked = "" if run["recommended"] else " (asked for)"
    cells = (
        record["fault"],
        record["label"],
        (record["baseline"] or {}).get("status", ""),
        run["fix"] + asked,
        run["expected"] or "",
        run["status"] + surprise,
        "" if run["compiles"] is None else run["compiles"],
        "" if run["compile_s"] is None else run["compile_s"],
        note[:120],
    )
    return "| " + " | ".join(str(cell) for cell in cells) + " |"
