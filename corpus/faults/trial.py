"""Try one fault and its fixes: sound run, broken run, diagnosis, and a run after each fix."""

from __future__ import annotations

import math
import re
import shlex
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from corpus.faults.model import Fault, Fix, Run
from corpus.faults.room import PRELUDE, REFUSED, Room, new_room

#: Less is not enough to begin a run.
MINIMUM_SECONDS = 20
WORKLOADS = Path(__file__).parent / "workloads"
#: Reads the log of a broken run.
Doctor = Callable[[bytes], "Advice"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """What a diagnosis says: its label and rule, and by the name of a fix, the rule and its commands."""

    label: str | None
    code: str | None = None
    fixes: dict[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A fault and a fix, and whether the workload ran after it."""

    fix: str
    rule: str | None  # the rule that offers a fix of this name for the log
    expected: bool | None
    helped: bool
    exit_code: int | None
    seconds: float
    commands: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of one fault; without a ``problem`` it bit and was named rightly."""

    fault: str
    label: str
    answer: str | None
    code: str | None
    exit_code: int | None
    seconds: float
    problem: str | None
    pairs: tuple[Pair, ...] = ()


class TrialError(Exception):
    """A trial that says nothing, since its sound workload or its room does not work."""


@dataclass(slots=True)
class Lab:
    """The rooms of one session of trials, and where their logs go."""

    work: Path
    settings: tuple[str, ...]  # lines at the start of each run
    keep: Callable[[str, Run], None]  # is told every run by its name
    left: Callable[[], float] = lambda: math.inf  # the seconds that are left for everything

    def base(self, workload: str, start: str) -> Room:
        """Return the room that holds what torch has compiled before a fault, made once."""
        program = workload if start == "warm" else "probe"
        room = Room(self.work / f"{start}-{program}")
        if not room.root.exists():
            self._sound(program, room.root)
        return room

    def check(self, workload: str) -> Run:
        """Run a workload without any fault; it has to pass."""
        return self._sound(workload, self.work / f"warm-{workload}")

    def _sound(self, workload: str, root: Path) -> Run:
        """Run a sound workload in a new room, and keep the room."""
        room = new_room(root)
        room.write(workload, source_of(workload))
        run = room.run(workload, (*self.settings, "workload"), min(400, self.left()))
        self.keep(f"sound--{workload}", run)
        if run.exit_code != 0:
            failed = root.with_suffix(".failed")
            shutil.rmtree(failed, ignore_errors=True)
            root.rename(failed)
            message = f"the sound workload {workload} failed: {last_line(run)}"
            raise TrialError(message)
        return run

    def attempt(self, fault: Fault, doctor: Doctor) -> Outcome:
        """Break the workload, have the log read, and try every fix."""
        try:
            return self._attempt(fault, doctor)
        finally:
            for root in (self.work / fault.name, self.work / f"{fault.name}.fix"):
                shutil.rmtree(root, ignore_errors=True)

    def _attempt(self, fault: Fault, doctor: Doctor) -> Outcome:
        """Do what ``attempt`` says, and leave the rooms behind."""
        room = self.prepared(fault)
        room.write(fault.workload, edited(source_of(fault.workload), fault.edit))
        broken = self.run(fault, room, fault.name)
        if broken.exit_code == REFUSED:
            message = f"{fault.name} cannot be made here: {last_line(broken)}"
            raise TrialError(message)
        advice = doctor(broken.log)
        problem = None
        if passed(broken, fault):
            problem = "the fault did not bite"
        elif advice.label not in {None, fault.label, fault.visible}:
            problem = f"answered {advice.label}"
        pairs = [] if passed(broken, fault) else [self._try(fault, fix, room, advice) for fix in fault.fixes]
        return Outcome(
            fault=fault.name,
            label=fault.label,
            answer=advice.label,
            code=advice.code,
            exit_code=broken.exit_code,
            seconds=round(broken.seconds, 1),
            problem=problem,
            pairs=tuple(pair for pair in pairs if pair),
        )

    def prepared(self, fault: Fault) -> Room:
        """Return a room of the fault's own, with its files broken."""
        root = self.work / fault.name
        room = new_room(root) if fault.start == "bare" else self.base(fault.workload, fault.start).copy_to(root)
        if fault.prepare:
            room.write(fault.workload, source_of(fault.workload))
            done = room.run(fault.workload, (*self.settings, "set -e", *fault.prepare), 600)
            self.keep(f"{fault.name}--prepare", done)
            if done.exit_code != 0:
                message = f"{fault.name} could not be prepared: {last_line(done)}"
                raise TrialError(message)
        return room

    def run(self, fault: Fault, room: Room, name: str, fix: tuple[str, ...] = (), root: tuple[str, ...] = ()) -> Run:
        """Run the workload with its fault, after the lines of a fix."""
        # What a fix prints is kept apart: the log is that of the workload.
        lines: tuple[str, ...] = (*(("{", *fix, '} >&"$ASIDE" 2>&1') if fix else ()), "workload")
        if fault.user is not None:
            lines = (self.as_user(fault.user, lines),)
        run = room.run(
            fault.workload,
            (*self.settings, *fault.inject, *(f"{line} >&$ASIDE 2>&1" for line in root), *lines),
            min(fault.seconds, self.left()),
        )
        self.keep(name, run)
        return run

    @staticmethod
    def as_user(user: int, lines: tuple[str, ...]) -> str:
        """Return the line that runs lines as another user."""
        script = shlex.quote("\n".join((PRELUDE, *lines)))
        return f"exec setpriv --reuid={user} --regid={user} --clear-groups /bin/bash -c {script}"

    def _try(self, fault: Fault, fix: Fix, room: Room, advice: Advice) -> Pair | None:
        """Apply one fix to a copy of the broken room, and run the workload again."""
        if self.left() < MINIMUM_SECONDS:
            return None
        rule, lines = advice.fixes.get(fix.id, (None, ()))
        if fix.run or fix.edit or fix.root:
            lines = fix.run
        elif rule is None:
            message = f"{fault.name}: no finding offers {fix.id}"
            raise TrialError(message)
        trial = room.copy_to(self.work / f"{fault.name}.fix")
        trial.write(fault.workload, edited(edited(source_of(fault.workload), fault.edit), fix.edit))
        run = self.run(fault, trial, f"{fault.name}--{fix.id}", lines, fix.root)
        return Pair(
            fix=fix.id,
            rule=rule,
            expected=fix.helps,
            helped=passed(run, fault),
            exit_code=run.exit_code,
            seconds=round(run.seconds, 1),
            commands=(*fix.root, *lines, *(new for _, new in fix.edit)),
        )


def source_of(workload: str) -> str:
    """Return the source of a workload."""
    return (WORKLOADS / f"{workload}.py").read_text(encoding="utf-8")


def edited(source: str, edits: tuple[tuple[str, str], ...]) -> str:
    """Make replacements, each of which has to fit exactly once."""
    for old, new in edits:
        if source.count(old) != 1:
            message = f"{old!r} stands {source.count(old)} times in the workload"
            raise TrialError(message)
        source = source.replace(old, new)
    return source


def passed(run: Run, fault: Fault) -> bool:
    """Tell whether a run shows nothing of the fault."""
    if run.exit_code != 0:
        return False
    return fault.symptom is None or re.search(fault.symptom, run.log.decode(errors="replace")) is None


def last_line(run: Run) -> str:
    """Return the last line of a log that says something."""
    lines = [line for line in run.log.decode(errors="replace").splitlines() if line.strip()]
    return lines[-1].strip() if lines else "no output"
