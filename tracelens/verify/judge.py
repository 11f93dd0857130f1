"""From how a child ended to one of the few words of a verification.

What a child printed is read by tracelens' own engine, as the log was: a failure
is the same when it gets the same label, whatever its words.
"""

from __future__ import annotations

from tracelens.api import analyze_text
from tracelens.findings import Outcome
from tracelens.record import Record
from tracelens.report.harmless import harmless_line
from tracelens.verification import BaselineStatus, FixStatus
from tracelens.verify.child.result import Reached
from tracelens.verify.child_process import ChildRun

_LONGEST_NOTE = 300
#: Where a child ends that lacks what it was to run.
_CANNOT_RUN = frozenset({Reached.NO_DEVICE, Reached.NO_MODULE, Reached.REFUSED})
#: What fails there is not what the log tells of.
_NOT_YET_COMPILED = _CANNOT_RUN | {Reached.START, Reached.IMPORT, Reached.FIND, Reached.BUILD}


class Judged(Record):
    """What one run shows: ``label`` of its failure, ``passed`` where it has none and its outputs are right."""

    label: str | None
    passed: bool
    note: str | None = None


def judge(run: ChildRun) -> Judged:
    """Read what a child printed."""
    diagnosis = analyze_text(run.log)
    label = diagnosis.label
    failed = run.exit_code != 0 or diagnosis.outcome is not Outcome.CLEAN
    wrong = run.facts.get("wrong") or []
    if not failed and run.stage is not Reached.DONE:
        return Judged(label=None, passed=False, note=f"the run ended early, at: {run.stage.value}")
    if wrong:
        return Judged(
            label=label, passed=False, note=f"it ran, and its results are wrong: {_line('; '.join(wrong[:3]))}"
        )
    if not failed:
        return Judged(label=label, passed=True)
    title = diagnosis.findings[0].title if diagnosis.findings else _last_line(run.log)
    if run.exit_code is None:
        title = f"out of time after {run.seconds:.0f} s: {title}"
    return Judged(label=label, passed=False, note=_line(title))


def baseline_status(run: ChildRun, judged: Judged, expected: str) -> BaselineStatus:
    """Return what the run without any fix says of the failure with label ``expected``."""
    if judged.passed:
        return BaselineStatus.NOT_REPRODUCED
    if judged.label == expected:
        return BaselineStatus.REPRODUCED
    if run.stage in _NOT_YET_COMPILED:
        return BaselineStatus.COULD_NOT_RUN
    return BaselineStatus.DIFFERENT


def fix_status(run: ChildRun, judged: Judged, expected: str, *, is_fallback: bool) -> FixStatus:
    """Return what a run with a fix says, given that the failure is here without it.

    ``is_fallback``: the fix promises no more than that the program runs on without compiled code.
    """
    if run.stage in _CANNOT_RUN:
        return FixStatus.CANNOT_TELL
    if is_fallback:
        # The failure is met and stepped over: what counts is that the program ran on, with the right results.
        ran = run.exit_code == 0 and run.stage is Reached.DONE and not run.facts.get("wrong")
        return FixStatus.FIXES if ran else _failure(judged, expected)
    if judged.passed:
        return FixStatus.FIXES if run.facts.get("compiles") != 0 else FixStatus.CANNOT_TELL
    return _failure(judged, expected)


def other_torch(of_log: str | None, here: str | None) -> str | None:
    """Say that the failure may be one of another release."""
    releases = [version.partition("+")[0] for version in (of_log, here) if version]
    if len(set(releases)) < 2:
        return None
    return f"the log is of torch {releases[0]}; --python PATH names the Python that has it"


def _failure(judged: Judged, expected: str) -> FixStatus:
    return FixStatus.DOES_NOT_FIX if judged.label == expected else FixStatus.DIFFERENT


def _last_line(log: str) -> str:
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    return lines[-1] if lines else "it failed without a word"


def _line(text: str) -> str:
    line = harmless_line(text)
    return line if len(line) <= _LONGEST_NOTE else line[: _LONGEST_NOTE - 3] + "..."
