"""Does ``tracelens verify`` tell a fix from advice? It is run in rooms with real faults.

``python -m corpus.faults.verify_lab all`` goes on where it was stopped; a name does
that fault again. ``VERIFIED.md`` beside this file shows what came of it.
"""

from __future__ import annotations

import argparse
import json
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from corpus.faults.model import Run
from corpus.faults.results import FOLDER
from corpus.faults.room import REFUSED, Room, why_no_room
from corpus.faults.trial import Lab, TrialError, edited, last_line, source_of
from corpus.faults.verify_cases import CASES, SINCE, Case
from corpus.faults.verify_table import write_tables

REPOSITORY = FOLDER.parents[1]
#: The settings of ``make lab``.
SETTINGS = (
    'mkdir /mnt/venv && own /mnt/venv "$PREFIX"; PYTHON=/mnt/venv/bin/python',
    "export PATH=/mnt/venv/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
    "export TORCHINDUCTOR_CPP_CACHE_PRECOMPILE_HEADERS=0",
)
#: For one command, which makes up to ten runs.
_SECONDS = 900


class VerifyLab(Lab):
    """A lab in which the broken program is followed by ``tracelens verify``."""

    def verify(self, case: Case) -> dict[str, Any]:
        """Break the workload, have its log verified in the same room, and return what the command said."""
        fault = case.fault
        try:
            room = self.prepared(fault)
            room.write(fault.workload, edited(source_of(fault.workload), fault.edit))
            started = time.monotonic()
            run = self._verified(case, room)
            return self._record(case, run, time.monotonic() - started)
        finally:
            shutil.rmtree(self.work / fault.name, ignore_errors=True)

    def _verified(self, case: Case, room: Room) -> Run:
        known = set(case_advice())
        asked = [word for name in (*case.right, *case.wrong) if name in known for word in ("--try", name)]
        command = shlex.join(["-m", "tracelens", "verify", "broken.log", "--format", "json", *asked, *case.options])
        command = f'"${{TRACELENS_PYTHON:-$PYTHON}}" {command} --python "$PYTHON"'
        lines: tuple[str, ...] = (
            'cd "$HOME"; workload > broken.log 2>&1; echo "exit $?" >&"$ASIDE"',
            f'PYTHONPATH={shlex.quote(str(REPOSITORY))}:$VERIFY_SITE {command} 2>&"$ASIDE"',
            'echo "exit $?" >&"$ASIDE"; cat broken.log >&"$ASIDE"; [ -z "$(find /tmp ~ -name ".tracelens-verify*")" ]',
        )
        if case.fault.user is not None:
            lines = (self.as_user(case.fault.user, lines),)
        run = room.run(case.fault.workload, (*self.settings, *case.fault.inject, *lines), min(_SECONDS, self.left()))
        self.keep(case.fault.name, run)
        return run

    def _record(self, case: Case, run: Run, seconds: float) -> dict[str, Any]:
        if run.exit_code == REFUSED:
            message = f"{case.fault.name} cannot be made here: {last_line(run)}"
            raise TrialError(message)
        try:
            answer = json.loads(run.log)
        except ValueError:
            return {"fault": case.fault.name, "problem": f"no answer: {last_line(run)}"}
        verification = answer["verification"] or {"baseline": None, "runs": []}
        problem = None
        if answer["outcome"] == "clean":
            problem = "this torch does not fail of it"
        elif answer["label"] != case.fault.label:
            problem = f"answered {answer['label']}"
        elif run.exit_code != 0:
            problem = "something was left behind"
        return {
            "fault": case.fault.name,
            "label": answer["label"],
            "date": datetime.now(tz=timezone.utc).date().isoformat(),
            "problem": problem,
            "seconds": round(seconds, 1),
            "graph": verification.get("graph"),
            "torch": verification.get("torch"),
            "device": verification.get("device"),
            "baseline": verification["baseline"],
            "runs": [
                {**{key: each[key] for key in _KEPT}, "expected": _expected(case, each["fix"], verification["torch"])}
                for each in verification["runs"]
            ],
        }


_KEPT = ("fix", "status", "label", "compile_s", "step_ms", "compiles", "max_abs_error", "note", "recommended")


def _expected(case: Case, fix: str, torch: str) -> str | None:
    since, before = SINCE.get(fix, ((0, 0), None))
    if tuple(map(int, torch.split(".")[:2])) < since:
        return before
    if fix in case.right:
        return "fixes"
    return "does not fix" if fix in case.wrong else None


def case_advice() -> tuple[str, ...]:
    """Return what ``--try`` knows."""
    from tracelens.verify.code_fixes import advice_names

    return advice_names()


def attempt_all(
    lab: VerifyLab, cases: Sequence[Case], done: dict[str, Any], write: Callable[[], None], say: Callable[[str], None]
) -> None:
    """Try the cases, and write down each as it ends."""
    for case in cases:
        if lab.left() < 60:
            say(f"{case.fault.name}: no time left")
            return
        try:
            record = lab.verify(case)
        except (TrialError, OSError) as error:
            record = {"fault": case.fault.name, "problem": str(error)}
        done[case.fault.name] = record
        write()
        met = [each for each in record.get("runs", ()) if each["expected"] == each["status"]]
        asked = [each for each in record.get("runs", ()) if each["expected"]]
        baseline = (record.get("baseline") or {}).get("status")
        problem = record["problem"] or "no problem"
        say(f"{case.fault.name}: {baseline}, {len(met)} of {len(asked)} as expected; {problem}")


def _settings_of(python: Path) -> tuple[str, ...]:
    """Return the lines that put another environment in the place of this one."""
    prefix = python.absolute().parent.parent
    return (f"export TRACELENS_PYTHON={shlex.quote(sys.executable)} PREFIX={shlex.quote(str(prefix))}",)


def _release(python: Path) -> str:
    """Return the release of the torch of a Python, without what it was built for."""
    ask = "import importlib.metadata as m; print(m.version('torch').partition('+')[0])"
    return subprocess.run([python, "-c", ask], capture_output=True, text=True, check=True).stdout.strip()


def main() -> int:
    """Try what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("names", nargs="*", metavar="FAULT", help="faults to try again, or all: those not tried yet")
    parser.add_argument("--work", type=Path, default=REPOSITORY / ".faults" / "verify", help="where rooms and logs are")
    parser.add_argument(
        "--python",
        type=Path,
        metavar="PATH",
        help="the Python of a virtual environment with another torch, to which the faults are done; tracelens itself "
        "runs on this one",
    )
    parser.add_argument("--list", action="store_true", help="print the faults")
    options = parser.parse_args()
    if options.list:
        print("\n".join(f"{case.fault.name}: {', '.join(case.right)}" for case in CASES))
        return 0
    if missing := why_no_room():
        print(missing, file=sys.stderr)
        return 2
    (options.work / "logs").mkdir(parents=True, exist_ok=True)

    def keep(name: str, run: Run) -> None:
        (options.work / "logs" / f"{name}.log").write_bytes(run.log + b"\n" + run.repair)

    settings = SETTINGS if options.python is None else (*_settings_of(options.python), *SETTINGS)
    file = FOLDER / f"verified-cpu-{_release(options.python or Path(sys.executable))}.json"
    done: dict[str, Any] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    lab = VerifyLab(options.work, settings, keep)
    wanted = [
        case
        for case in CASES
        if case.fault.name in options.names
        or ("all" in options.names and done.get(case.fault.name, {"problem": ""})["problem"] is not None)
    ]
    attempt_all(lab, wanted, done, lambda: write_tables(file, done), lambda words: print(words, flush=True))
    return 0


if __name__ == "__main__":
    sys.exit(main())
