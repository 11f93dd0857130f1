"""Try ``tracelens verify`` on faults that need a GPU, on a machine that has torch and little else.

Run it in the root of the repository: ``python3 -m corpus.faults.verify_gpu``, with
the folder of what tracelens itself needs in VERIFY_SITE, where Python has it not. It writes ``verified-gpu.json`` and
``verify-logs.tar.gz`` to ``$OUT`` after each fault.
"""

from __future__ import annotations

import json
import os
import sys
import tarfile
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path
from typing import Any

from corpus.faults import gpu_faults
from corpus.faults.model import Run
from corpus.faults.trial import TrialError
from corpus.faults.verify_cases import Case
from corpus.faults.verify_lab import VerifyLab, attempt_all
from corpus.faults.verify_table import summary

WALL_SECONDS = float(os.environ.get("FAULTS_WALL_SECONDS", "440"))
JOBS = int(os.environ.get("FAULTS_JOBS", "6"))
LOG_BYTES = 200_000
SETTINGS = ('INCLUDE=$("$PYTHON" -c \'import sysconfig; print(sysconfig.get_config_var("INCLUDEPY"))\')',)


def case(name: str, right: tuple[str, ...], wrong: tuple[str, ...] = ()) -> Case:
    """Return the case of a GPU fault."""
    fault = next(fault for fault in gpu_faults.FAULTS if fault.name == name)
    return Case(fault=fault, right=right, wrong=wrong, options=("--timeout", "120"))


CLEAR = ("clear-the-cache",)
CASES = (
    case("gpu-cc-false", ("unset-cc", "cc-env"), (*CLEAR, "cxx-env")),
    case("gpu-no-cc", ("cc-env", "disable-compile"), (*CLEAR, "install-ninja")),
    case("gpu-no-python-h", ("python-headers-path",), CLEAR),
    case("gpu-no-ldconfig", ("libcuda-path",), CLEAR),
    case("gpu-old-ptxas", ("unset-ptxas", "newer-ptxas"), CLEAR),
    case("gpu-cubin-empty", ("delete-kernel-cache",), ("no-graph-cache",)),
    case("gpu-cubin-empty-of-workers", ("delete-kernel-cache",), ("no-graph-cache",)),
    case("gpu-json-half", ("delete-triton-cache",), ("no-graph-cache",)),
    case("gpu-cache-read-only", ("other-cache-dir",), CLEAR),
    case("gpu-cache-full", ("other-cache-dir",), CLEAR),
    case("gpu-recompile-limit", ("dynamic-true", "mark-dynamic", "raise-limit", "eager-on-recompile", "pad"), CLEAR),
    case("gpu-rerecord", ("skip-dynamic", "pad", "default-mode"), ("raise-limit",)),
    case("gpu-output-overwritten", ("clone", "default-mode"), ("mark-step",)),
    case("gpu-mutated-input", ("no-mutation",), CLEAR),
    case("gpu-triton-home-noexec", ("other-cache-dir",), CLEAR),
    case("gpu-triton-home-read-only", ("other-cache-dir",), CLEAR),
    case("gpu-triton-home-full", ("other-cache-dir",), CLEAR),
    case("gpu-other-architecture", ("unset-arch-list",), CLEAR),
    case("gpu-helper-cut", ("delete-caches",), ("no-graph-cache",)),
)


def main() -> int:
    """Try every case, or those whose names hold one of the arguments."""
    out, started = Path(os.environ.get("OUT", ".")), time.monotonic()
    logs: dict[str, bytes] = {}
    done: dict[str, Any] = {}
    lock = threading.Lock()

    def say(words: str) -> None:
        print(f"[{time.monotonic() - started:5.0f} s] {words}", flush=True)

    def keep(name: str, run: Run) -> None:
        logs[name] = (run.log + b"\n" + run.repair)[-LOG_BYTES:]
        say(f"{name}: exit {run.exit_code} after {run.seconds:.0f} s")

    def write() -> None:
        with lock:
            text = json.dumps(dict(sorted(done.items())), indent=1) + "\n"
            (out / "verified-gpu.json").write_text(text, encoding="utf-8")
            with tarfile.open(out / "verify-logs.tar.gz", "w:gz") as archive:
                for name, data in sorted(logs.copy().items()):
                    member = tarfile.TarInfo(f"{name}.log")
                    member.size = len(data)
                    archive.addfile(member, BytesIO(data))

    def left() -> float:
        return WALL_SECONDS - (time.monotonic() - started)

    work = Path(tempfile.mkdtemp(prefix="verify-", dir="/var/tmp"))
    lab = VerifyLab(work, SETTINGS, keep, left)
    only = sys.argv[1:]
    cases = [each for each in CASES if not only or any(word in each.fault.name for word in only)]
    with ThreadPoolExecutor(JOBS) as pool:
        # Rooms are copies of those in which the sound workloads ran; these are made first.
        for base in {(each.fault.workload, each.fault.start) for each in cases if each.fault.start != "bare"}:
            pool.submit(_prepare, lab, base, say)
    with ThreadPoolExecutor(JOBS) as pool:
        list(pool.map(lambda each: attempt_all(lab, [each], done, write, say), cases))
    write()
    for record in done.values():
        say(f"{record['fault']}: {record.get('baseline')}")
        for run in record.get("runs", ()):
            mark = "" if run["expected"] in {None, run["status"]} else f" (expected: {run['expected']})"
            say(f"    {run['fix']}: {run['status']}{mark} {run['note'] or ''}")
    say(summary(done.values()))
    return 0


def _prepare(lab: VerifyLab, base: tuple[str, str], say: Any) -> None:  # noqa: ANN401 - a function of one text
    try:
        lab.base(*base)
    except TrialError as error:
        say(str(error))


if __name__ == "__main__":
    sys.exit(main())
