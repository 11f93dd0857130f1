"""The runs of one verification, in order: eager only, the machine as it is, and then each fix.

Each run is a child of its own with places of its own. Nothing is left behind, and
nothing outside the private folders is written, whatever the fixes say.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from tracelens.findings import Fix
from tracelens.record import Record, replace
from tracelens.report.harmless import harmless_line
from tracelens.verification import Baseline, BaselineStatus, FixRun, FixStatus
from tracelens.verify.applied import Applied, NotApplicableError, Workshop, apply_fix
from tracelens.verify.child.result import Reached
from tracelens.verify.child_process import ChildRun
from tracelens.verify.judge import baseline_status, fix_status, judge
from tracelens.verify.options import VerifyOptions
from tracelens.verify.private import PrivateFolders
from tracelens.verify.runner import Runner
from tracelens.verify.workload import Workload

#: Said before each run: what runs.
Told = Callable[[str], None]
_FALLBACK = "a fallback: it runs in eager, nothing is compiled"


class Attempt(Record):
    """A fix to try; ``recommended`` is false where only the user asked for it, ``trusted`` where it is not ours."""

    fix: Fix
    recommended: bool
    trusted: bool = True


class Session:
    """Runs one workload again and again; use it while the private folders exist."""

    def __init__(
        self, workload: Workload, expected: str, options: VerifyOptions, folders: PrivateFolders, tell: Told
    ) -> None:
        """Prepare; ``expected`` is the label of the diagnosis."""
        self._workload = workload
        self._expected = expected
        self._options = options
        self._folders = folders
        self._tell = tell
        self._runner = Runner(workload, expected, options, folders)
        self._version = ""
        # Where nothing dies of the failure, running on in eager is what it does already.
        self._is_fatal = True
        self.torch: str | None = None
        self.device: str | None = None
        self.ops: int | None = None
        #: The failure is of a cache, and the run without a fix used nothing of it.
        self.missed_cache = False
        #: What an honest answer has to mention of the graph.
        self.notes: tuple[str, ...] = ()

    def baseline(self) -> Baseline:
        """Run in eager, then compiled on the machine as it is."""
        self._tell("in eager, without compiling")
        eager = self._runner.run(self._as_it_is(), entry="eager")
        self._note_facts(eager)
        judged = judge(eager)
        if not judged.passed and not (self._workload.script and judged.label == self._expected):
            return Baseline(
                status=BaselineStatus.COULD_NOT_RUN, label=None, seconds=round(eager.seconds, 1), note=self._why(eager)
            )
        if not judged.passed:
            self.notes = (*self.notes, "it fails without compiling, too")
        run = self._run_as_it_is()
        self._note_facts(run)
        self._is_fatal = run.exit_code != 0
        judged = judge(run)
        status = baseline_status(run, judged, self._expected)
        note = judged.note
        if status is BaselineStatus.REPRODUCED and not self._was_hit(run):
            status, note = BaselineStatus.NOT_REPRODUCED, "the run never came upon the file that the log names"
            self.missed_cache = True
        elif status is BaselineStatus.NOT_REPRODUCED and run.facts.get("kernels_made"):
            note = f"{run.facts['kernels_made']} of its kernels are not in your Triton cache, and were made anew"
            self.missed_cache = True
        elif status is BaselineStatus.NOT_REPRODUCED and self._workload.needs_hit and not run.facts.get("hits"):
            note = "nothing in your cache is of this graph, which was compiled anew"
            self.missed_cache = True
        return Baseline(
            status=status,
            label=judged.label,
            seconds=round(run.seconds, 1),
            note=note,
            compiles=run.facts.get("compiles"),
        )

    def _run_as_it_is(self) -> ChildRun:
        """Run compiled, without any fix.

        Where nothing fails and kernels were not found in the copy of the cache, run
        once more under the names that kernels get in a worker process of torch.
        """
        self._tell("on this machine as it is")
        run = self._runner.run(self._as_it_is(), entry="compile")
        if not (run.facts.get("kernels_made") and judge(run).passed):
            return run
        self._tell("on this machine as it is, with kernels as worker processes name them")
        workload = replace(self._workload, job={**self._workload.job, "as_worker": True})
        runner = Runner(workload, self._expected, self._options, self._folders)
        other = runner.run(self._as_it_is(), entry="compile")
        if judge(other).passed:
            return run
        self._runner = runner
        return other

    def attempt(self, attempt: Attempt) -> FixRun:
        """Run with one fix applied."""
        fix = attempt.fix
        self._tell(f"with {fix.id}")
        workshop = Workshop(
            environ=dict(os.environ), python=self._options.python, version=self._version, folder=self._folders.root
        )
        try:
            if not attempt.trusted:
                message = "from a rule that does not come with tracelens; type it, then run --verify again"
                raise NotApplicableError(message)  # noqa: TRY301 - one way for all that is not done
            applied = apply_fix(fix, workshop)
            run = self._runner.run(applied, entry="compile")
            if run.stage is Reached.NO_SETTING:
                message = harmless_line("; ".join(run.facts.get("notes", ())))
                raise NotApplicableError(message)  # noqa: TRY301 - as above
        except NotApplicableError as error:
            return FixRun(fix=fix.id, status=FixStatus.NOT_APPLICABLE, note=str(error), recommended=attempt.recommended)
        judged = judge(run)
        is_fallback = applied.is_fallback and self._is_fatal
        status = fix_status(run, judged, self._expected, is_fallback=is_fallback)
        note = judged.note
        if status is FixStatus.FIXES and is_fallback:
            note = _FALLBACK
        elif status is FixStatus.FIXES and self._workload.script:
            note = "the program ran to its end; its results were not compared"
        return FixRun(
            fix=fix.id,
            status=status,
            label=judged.label,
            compile_s=_rounded(run.facts.get("compile_s"), 2),
            step_ms=_rounded(run.facts.get("step_ms"), 3),
            compiles=run.facts.get("compiles"),
            max_abs_error=run.facts.get("max_abs_error"),
            note=note,
            recommended=attempt.recommended,
        )

    def _as_it_is(self) -> Applied:
        return Applied(environ=dict(os.environ))

    def _was_hit(self, run: ChildRun) -> bool:
        """Tell whether the failure is about the file that the log names."""
        if self._workload.needs_hit and not run.facts.get("hits"):
            return False
        artifact = self._workload.artifact
        return artifact is None or artifact.name.split(".")[0] in run.log

    def _note_facts(self, run: ChildRun) -> None:
        self.torch = run.facts.get("torch", self.torch)
        self.device = run.facts.get("device", self.device)
        self.ops = run.facts.get("ops", self.ops)
        self.notes = tuple(dict.fromkeys((*self.notes, *map(harmless_line, run.facts.get("notes", ())))))
        self._version = run.facts.get("python", self._version)

    def _why(self, run: ChildRun) -> str:
        """Say why eager did not run."""
        if run.stage in {Reached.START, Reached.IMPORT}:
            python = self._options.python
            return f"torch cannot be imported by {python}; name the Python of your program: --python PATH"
        if run.stage is Reached.NO_DEVICE:
            return f"torch sees no {self._options.device or 'GPU'} on this machine"
        if run.stage is Reached.NO_MODULE:
            return "no whole source of the cached module is left in the cache"
        if run.stage is Reached.REFUSED:
            return harmless_line("; ".join(run.facts.get("notes", ()))) or "the graph cannot be built here"
        return f"it does not even run in eager: {judge(run).note}"


def attempts_for(fixes: Sequence[Fix], extra: Sequence[Fix], *, trusted: bool = True) -> list[Attempt]:
    """Return what is tried: the recommended fixes in their order, then what the user asks for."""
    known = {fix.id for fix in fixes}
    return [
        *(Attempt(fix=fix, recommended=True, trusted=trusted) for fix in fixes),
        *(Attempt(fix=fix, recommended=False) for fix in extra if fix.id not in known),
    ]


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)
