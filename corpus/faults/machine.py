"""Let ``run``, ``doctor`` and ``cache check`` name faults that leave a trace on the machine.

``python -m corpus.faults.machine all`` goes on where it was stopped; a name tries that
fault again, and ``table`` nothing. It writes ``machine.json`` and ``MACHINE.md``, the table.
"""

from __future__ import annotations

import argparse
import json
import platform
import re
import shutil
import sys
from collections.abc import Iterator
from datetime import datetime, timezone
from importlib.metadata import version
from pathlib import Path
from typing import Any

from corpus.faults.__main__ import SETTINGS
from corpus.faults.machine_faults import FAULTS, MachineFault, Tool
from corpus.faults.machine_gpu import SOUND, said_by
from corpus.faults.model import Fault, Run
from corpus.faults.results import FOLDER
from corpus.faults.room import REFUSED, Room, why_no_room
from corpus.faults.trial import Lab, TrialError, edited, last_line, source_of

RECORD = FOLDER / "machine.json"
#: Written by machine_gpu.py, on the machine that it is about.
GPU_RECORD = FOLDER / "machine-gpu.json"
SHOWN = FOLDER / "MACHINE.md"
HEAD = """# Faults that leave a trace on the machine

Every line is a run of tracelens in a room in which the fault was made: `run` around the
program that fails of it, `doctor` and `cache check` without any program. *Named* is the
label of the first finding (`cache check`: of everything that it calls broken). The last
lines of a table are about a healthy machine. This file is written by `make lab-machine`.
"""
ANSWER = "$HOME/answer.json"
TRACELENS = '"$PYTHON" -m tracelens'
#: How each command takes the place of the program.
LINES = {
    Tool.RUN: f'BEFORE="$PYTHON -m tracelens run --hang-after 8 --format json -o {ANSWER} --"',
    Tool.DOCTOR: f"workload() {{ {TRACELENS} doctor --json -o {ANSWER}; }}",
    Tool.CHECK: f"workload() {{ {TRACELENS} cache check --json > {ANSWER}; }}",
}
HEALTHY = "healthy"


class Bench:
    """The rooms of this machine, and what came of each pair."""

    def __init__(self, work: Path) -> None:
        """Open the rooms and results of earlier sessions."""
        self.lab = Lab(work, SETTINGS, lambda _name, _run: None)
        self.record: dict[str, Any] = {"pairs": {}}
        if RECORD.exists():
            self.record = json.loads(RECORD.read_text(encoding="utf-8"))
        self.record |= {
            "date": datetime.now(tz=timezone.utc).date().isoformat(),
            "machine": f"torch {version('torch')}, {platform.freedesktop_os_release()['PRETTY_NAME']}, no GPU",
            "python": platform.python_version(),
        }

    def attempt(self, entry: MachineFault) -> None:
        """Make one fault and have every command that can see it name it."""
        fault = entry.fault
        try:
            room = self.lab.prepared(fault)
        except TrialError as error:
            print(f"{fault.name}: {error}", flush=True)
            return
        room.write(fault.workload, edited(source_of(fault.workload), fault.edit))
        for tool in entry.tools:
            trial = room.copy_to(self.lab.work / f"{fault.name}.trial")
            run = self.lab.run(fault, trial, fault.name, (LINES[tool],))
            self.keep(entry, tool, run, trial)
            shutil.rmtree(trial.root, ignore_errors=True)
        shutil.rmtree(room.root, ignore_errors=True)

    def keep(self, entry: MachineFault, tool: Tool, run: Run, room: Room) -> None:
        """Write down what a command said."""
        if run.exit_code == REFUSED:
            print(f"{entry.fault.name}: cannot be made here: {last_line(run)}", flush=True)
            return
        named, proof = said_by(tool.value, room.root / "home" / "answer.json")
        right = named in {entry.fault.label, *entry.also}
        self.record["pairs"][f"{entry.fault.name}, {tool.value}"] = {
            "fault": entry.fault.name,
            "tool": tool.value,
            "label": entry.fault.label,
            "named": named,
            "right": right,
            # Where packages are installed is nobody's business.
            "proof": re.sub(r"/[^\s'\"]*/site-packages/", "/opt/venv/lib/python/site-packages/", proof),
            "exit_code": run.exit_code,
            "seconds": round(run.seconds, 1),
        }
        RECORD.write_text(json.dumps(self.record, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        write_table()
        last = "" if right else f": {last_line(run)[:300]}"
        print(f"{entry.fault.name}, {tool.value}: {named} in {run.seconds:.0f} s{last}", flush=True)


def write_table() -> None:
    """Write what is known of every machine."""
    files = [file for file in (RECORD, GPU_RECORD) if file.exists()]
    SHOWN.write_text(show([json.loads(file.read_text(encoding="utf-8")) for file in files]), encoding="utf-8")


def show(records: list[dict[str, Any]]) -> str:
    """Lay out the table of each machine."""
    parts = [HEAD]
    for record in records:
        pairs = [pair for pair in record["pairs"].values() if pair["fault"] != HEALTHY]
        right = sum(pair["right"] for pair in pairs)
        faults = len({pair["fault"] for pair in pairs})
        parts += [
            f"## {record['machine']}; Python {record['python']}; {record['date']}\n",
            f"{len(pairs)} pairs of {faults} faults: {right} named rightly ({right / max(1, len(pairs)):.1%}).\n",
            "| fault | label | command | named | seconds | by what |",
            "|---|---|---|---|---|---|",
            *rows(pairs),
            *rows([pair for pair in record["pairs"].values() if pair["fault"] == HEALTHY]),
            "",
        ]
    return "\n".join(parts).rstrip() + "\n"


def rows(pairs: list[dict[str, Any]]) -> Iterator[str]:
    """Lay out one pair a line."""
    for pair in sorted(pairs, key=lambda pair: (pair["fault"], pair["tool"])):
        named = pair["named"] or "nothing"
        proof = " ".join(pair["proof"].split()).replace("|", "\\|")[:160]
        verdict = "yes" if pair["right"] else f"✗ {named}"
        yield f"| {pair['fault']} | {pair['label']} | {pair['tool']} | {verdict} | {pair['seconds']} | `` {proof} `` |"


def main() -> int:
    """Try what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("names", nargs="+", metavar="FAULT", help="faults to try again, or all: those not tried yet")
    parser.add_argument("--work", type=Path, default=FOLDER.parents[1] / ".faults", help="where rooms are")
    options = parser.parse_args()
    healthy = MachineFault(
        fault=Fault(name=HEALTHY, label=SOUND, workload="infer", start="warm", fixes=()), tools=tuple(Tool)
    )
    known = {entry.fault.name: entry for entry in (*FAULTS, healthy)}
    if unknown := set(options.names) - {"all", "table", *known}:
        parser.error(f"no such fault: {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    if missing := why_no_room():
        print(missing, file=sys.stderr)
        return 2
    if options.names == ["table"]:
        write_table()
        return 0
    bench = Bench(options.work)
    done = {pair["fault"] for pair in bench.record["pairs"].values()}
    for name, entry in known.items():
        if name in options.names or ("all" in options.names and name not in done):
            bench.attempt(entry)
    return 1 if any(not pair["right"] for pair in bench.record["pairs"].values()) else 0


if __name__ == "__main__":
    sys.exit(main())
