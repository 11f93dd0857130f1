"""Try the faults that need a GPU, on a machine of its own that has nothing but torch.

Run it in the root of the repository: ``python3 -m corpus.faults.gpu``. It writes
``results-gpu.json`` and ``logs-gpu.tar.gz`` to ``$OUT`` after each fault, so that a
machine that is taken away takes little with it.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, replace
from datetime import datetime, timezone
from io import BytesIO
from pathlib import Path

from corpus.faults.gpu_faults import FAULTS
from corpus.faults.model import Fault, Run
from corpus.faults.room import why_no_room
from corpus.faults.trial import Advice, Lab, Outcome, TrialError

#: The whole takes less than this; faults that would begin later are left out.
WALL_SECONDS = float(os.environ.get("FAULTS_WALL_SECONDS", "500"))
JOBS = int(os.environ.get("FAULTS_JOBS", "6"))
LOG_BYTES = 300_000
SETTINGS = ('INCLUDE=$("$PYTHON" -c \'import sysconfig; print(sysconfig.get_config_var("INCLUDEPY"))\')',)


class Session:
    """One session on the GPU machine: what was found so far, written as it comes."""

    def __init__(self, out: Path) -> None:
        """Begin, with nothing found."""
        self.out = out
        self.started = time.monotonic()
        self.outcomes: dict[str, Outcome] = {}
        self.problems: dict[str, str] = {}
        self.logs: dict[str, bytes] = {}
        self.lock = threading.Lock()
        self.facts = machine_facts()
        self.lab = Lab(Path(tempfile.mkdtemp(prefix="faults-", dir="/var/tmp")), SETTINGS, self.keep, self.left)

    def left(self) -> float:
        """Return the seconds that are left."""
        return WALL_SECONDS - (time.monotonic() - self.started)

    def say(self, words: str) -> None:
        """Print progress at once."""
        print(f"[{time.monotonic() - self.started:5.0f} s] {words}", flush=True)

    def keep(self, name: str, run: Run) -> None:
        """Keep the log of one run."""
        self.logs[name] = run.log[-LOG_BYTES:]
        self.say(f"{name}: exit {run.exit_code} after {run.seconds:.0f} s")

    def check(self, workload: str) -> str | None:
        """Run a sound workload; return what is wrong with it."""
        try:
            self.lab.check(workload)
        except Exception as error:  # noqa: BLE001 - one bad workload must not end the session
            return f"{type(error).__name__}: {error}"
        return None

    def attempt(self, fault: Fault, sound: Future[str | None]) -> None:
        """Try one fault once its workload is known to be sound, and write down what came of it."""
        problem = sound.result()
        if problem is None and self.left() < 20:
            problem = "no time left"
        try:
            if problem is None:
                bounded = replace(fault, seconds=int(min(fault.seconds, max(self.left(), 20))))
                self.outcomes[fault.name] = self.lab.attempt(bounded, lambda _: Advice(label=None))
        except TrialError as error:
            problem = str(error)
        except Exception as error:  # noqa: BLE001 - one bad fault must not end the session
            problem = f"{type(error).__name__}: {error}"
        if problem is not None:
            self.problems[fault.name] = problem
            self.say(f"{fault.name}: {problem}")
        self.write()

    def write(self) -> None:
        """Write the results and the logs anew."""
        with self.lock:
            record = {
                **self.facts,
                "outcomes": [asdict(self.outcomes[name]) for name in sorted(self.outcomes)],
                "problems": dict(sorted(self.problems.items())),
            }
            (self.out / "results-gpu.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
            with tarfile.open(self.out / "logs-gpu.tar.gz", "w:gz") as archive:
                for name, data in sorted(self.logs.copy().items()):
                    member = tarfile.TarInfo(f"{name}.log")
                    member.size = len(data)
                    archive.addfile(member, BytesIO(data))

    def table(self) -> str:
        """Lay out every pair."""
        lines = []
        for name in sorted(self.outcomes):
            outcome = self.outcomes[name]
            lines.append(f"{name} ({outcome.label}): exit {outcome.exit_code}, {outcome.problem or 'bit'}")
            for pair in outcome.pairs:
                verdict = "helped" if pair.helped else "did not help"
                surprise = "" if pair.expected in (None, pair.helped) else "  <- not as expected"
                lines.append(f"    {pair.fix:<28}{verdict:<14}{pair.seconds:6.1f} s{surprise}")
        lines += [f"{name}: {problem}" for name, problem in sorted(self.problems.items())]
        return "\n".join(lines)


def machine_facts() -> dict[str, str]:
    """Return what the results were found with."""
    probe = "import torch, triton; print(torch.__version__, triton.__version__, torch.cuda.get_device_name(0))"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=False)
    words = done.stdout.split(maxsplit=2)
    torch, triton, device = words if len(words) == 3 else ("?", "?", done.stderr.strip()[-200:])
    return {
        "date": datetime.now(tz=timezone.utc).date().isoformat(),
        "torch": torch,
        "triton": triton,
        "python": platform.python_version(),
        "machine": f"one {device.strip()}, {os.cpu_count()} CPU cores",
        "mounts": why_no_room() or "private",
    }


def main() -> int:
    """Try every fault, or those whose names hold one of the arguments."""
    out = Path(os.environ.get("OUT", "."))
    only = sys.argv[1:]
    faults = [fault for fault in FAULTS if not only or any(word in fault.name for word in only)]
    session = Session(out)
    session.say(json.dumps(session.facts))
    workloads = list(dict.fromkeys(fault.workload for fault in faults))
    with ThreadPoolExecutor(JOBS) as pool:
        sound = {workload: pool.submit(session.check, workload) for workload in workloads}
        list(pool.map(lambda fault: session.attempt(fault, sound[fault.workload]), faults))
    session.write()
    print(session.table(), flush=True)
    pairs = sum(len(outcome.pairs) for outcome in session.outcomes.values())
    session.say(f"{pairs} pairs of {len(session.outcomes)} faults; {len(session.problems)} faults could not be tried")
    return 0


if __name__ == "__main__":
    sys.exit(main())
