"""Cases of the corpus that prove a fix: the log of the run that it saved."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

from corpus.faults.doctor import diagnose
from corpus.faults.model import Fault, Run
from corpus.faults.trial import Pair

FOLDER = Path(__file__).parents[1] / "proofs"
#: What a saved run may still be called: the fault itself, where it goes on without the compiled code.
CLEAN = "none/clean"


def write_proof(fault: Fault, pair: Pair, run: Run, facts: dict[str, str]) -> str | None:
    """Store the log of a run that a rule's fix saved; return what is wrong with it."""
    folder = FOLDER / f"{fault.name}--{pair.fix}"
    shutil.rmtree(folder, ignore_errors=True)
    if not pair.helped or pair.rule is None:
        return None
    log = anonymous(run.log)
    label = diagnose(log).label or CLEAN
    if label not in {CLEAN, fault.label}:
        return f"{folder.name}: the saved run is called {label}"
    folder.mkdir(parents=True)
    (folder / "input.log").write_bytes(log)
    lines = [
        "source: a real run with an injected fault, after a fix",
        f"label: {label}",
        "also_acceptable: []",
        f"torch: {facts['torch']}",
        f"python: {facts['python']}",
        f"device: {facts['device']}",
        f"exit_code: {pair.exit_code}",
        f"fault: {fault.name}",
        f"fix: {pair.fix}",
    ]
    (folder / "case.yml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return None


def anonymous(log: bytes) -> bytes:
    """Take the folders of this machine out of a log."""
    for folder, name in ((sys.prefix, "/opt/venv"), (sys.base_prefix, "/usr/local")):
        log = re.sub(re.escape(folder.encode()) + rb"(?![\w.-])", name.encode(), log)
    return log
