"""Try faults that need no GPU, or take in what a GPU machine found.

``python -m corpus.faults all`` goes on where it was stopped; a name tries that
fault again. ``python -m corpus.faults --gpu FOLDER`` reads ``results-gpu.json`` and
``logs-gpu.tar.gz``.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tarfile
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timezone
from pathlib import Path

from corpus.faults import faults_cache, faults_outside, faults_shapes, faults_toolchain, gpu_faults
from corpus.faults.doctor import advise
from corpus.faults.model import Fault, Run
from corpus.faults.proofs import write_proof
from corpus.faults.results import FOLDER, Results
from corpus.faults.room import why_no_room
from corpus.faults.trial import Lab, Outcome, Pair, TrialError

FAULTS = (*faults_shapes.FAULTS, *faults_outside.FAULTS, *faults_cache.FAULTS, *faults_toolchain.FAULTS)
SETTINGS = (
    'mkdir /mnt/venv && own /mnt/venv "$PREFIX"; PYTHON=/mnt/venv/bin/python',
    "export PATH=/mnt/venv/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
    # The precompiled header costs a minute; the faults that concern it switch it on.
    "export TORCHINDUCTOR_CPP_CACHE_PRECOMPILE_HEADERS=0",
)


#: Where torch is on the GPU machine.
GPU_PREFIX = b"/opt/torch/.venv"


class Bench:
    """The machine at hand: its rooms, its results and its proofs."""

    def __init__(self, work: Path) -> None:
        """Open the rooms and results of earlier sessions."""
        import torch

        self.facts = {
            "date": datetime.now(tz=timezone.utc).date().isoformat(),
            "torch": str(torch.__version__),
            "python": platform.python_version(),
            "machine": f"{os.cpu_count()} CPU cores, no GPU, {platform.freedesktop_os_release()['PRETTY_NAME']}",
        }
        self.work = work
        self.runs: dict[str, Run] = {}
        self.results = Results(FOLDER / "results-cpu.json", self.facts)
        (work / "logs").mkdir(parents=True, exist_ok=True)
        self.lab = Lab(work, SETTINGS, self.keep)

    def keep(self, name: str, run: Run) -> None:
        """Keep a log, and say so."""
        self.runs[name] = run
        (self.work / "logs" / f"{name}.log").write_bytes(run.log)
        (self.work / "logs" / f"{name}.repair").write_bytes(run.repair)
        print(f"{name}: exit {run.exit_code} after {run.seconds:.0f} s", flush=True)

    def attempt(self, fault: Fault) -> None:
        """Try one fault, write down what came of it, and store the proofs."""
        try:
            outcome = self.lab.attempt(fault, advise)
        except TrialError as error:
            self.results.fail(fault.name, str(error))
            print(f"{fault.name}: {error}", flush=True)
            return
        self.results.add(outcome)
        if outcome.problem:
            print(f"{fault.name}: {outcome.problem}", flush=True)
            return
        for pair in outcome.pairs:
            wrong = write_proof(fault, pair, self.runs[f"{fault.name}--{pair.fix}"], {**self.facts, "device": "cpu"})
            if wrong:
                print(wrong, flush=True)


def take_in(folder: Path) -> None:
    """Have tracelens read the logs of a GPU machine, and keep what was found there."""
    record = json.loads((folder / "results-gpu.json").read_text(encoding="utf-8"))
    with tarfile.open(folder / "logs-gpu.tar.gz") as archive:
        logs = {Path(member.name).stem: read_member(archive, member) for member in archive}
    facts = {name: record[name] for name in ("date", "torch", "triton", "python", "machine")}
    results = Results(FOLDER / "results-gpu.json", facts)
    known = {fault.name: fault for fault in gpu_faults.FAULTS}
    outcomes = [old for old in record["outcomes"] if old["fault"] in known]
    for old in outcomes:
        fault, advice = known[old["fault"]], advise(logs[old["fault"]])
        # What was done says which fix it was, whatever it was called then.
        names = {(*fix.run, *(new for _, new in fix.edit)): fix.id for fix in fault.fixes}
        pairs = []
        for each in old["pairs"]:
            done = {name: each[name] for name in ("expected", "helped", "exit_code", "seconds")}
            commands = tuple(each["commands"])
            name = names.get(commands, each["fix"])
            pair = Pair(fix=name, rule=advice.fixes.get(name, (None,))[0], commands=commands, **done)
            log = logs[f"{fault.name}--{each['fix']}"].replace(GPU_PREFIX, b"/opt/venv")
            run = Run(exit_code=pair.exit_code, seconds=pair.seconds, log=log)
            pairs.append(pair)
            print(write_proof(fault, pair, run, {**facts, "device": "NVIDIA H200"}) or "", end="")
        problem = old["problem"] or (
            None if advice.label in {fault.label, fault.visible} else f"answered {advice.label}"
        )
        changed = {"answer": advice.label, "code": advice.code, "problem": problem, "pairs": tuple(pairs)}
        results.add(Outcome(**{**old, **changed}))
        print(f"{fault.name}: {problem or advice.code}")


def read_member(archive: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    """Read one file of an archive."""
    file = archive.extractfile(member)
    return file.read() if file else b""


def main() -> int:
    """Try what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("names", nargs="*", metavar="FAULT", help="faults to try again, or all: those not tried yet")
    parser.add_argument("--work", type=Path, default=FOLDER.parents[1] / ".faults", help="where rooms and logs are")
    parser.add_argument("--jobs", type=int, default=1, help="faults at a time")
    parser.add_argument("--list", action="store_true", help="print the faults and their fixes")
    parser.add_argument("--gpu", type=Path, metavar="FOLDER", help="take in what corpus.faults.gpu wrote there")
    options = parser.parse_args()
    if options.gpu:
        take_in(options.gpu)
        return 0
    known = {fault.name: fault for fault in FAULTS}
    if options.list:
        for fault in FAULTS:
            print(f"{fault.name} ({fault.label}): {', '.join(fix.id for fix in fault.fixes)}")
        return 0
    if missing := why_no_room():
        print(missing, file=sys.stderr)
        return 2
    if unknown := set(options.names) - {"all", *known}:
        parser.error(f"no such fault: {', '.join(sorted(unknown))}")
    bench = Bench(options.work)
    wanted = [
        fault
        for fault in FAULTS
        if fault.name in options.names or ("all" in options.names and not bench.results.has(fault.name))
    ]
    with ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(bench.attempt, wanted))
    return 1 if any(fault.name in bench.results.record["problems"] for fault in wanted) else 0


if __name__ == "__main__":
    sys.exit(main())
