"""From a diagnosis and its log to what this machine says of both."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from tracelens.errors import UsageError
from tracelens.findings import Diagnosis, Fix, FixVerification, Outcome
from tracelens.record import replace
from tracelens.verification import (
    Baseline,
    BaselineStatus,
    FixRun,
    FixStatus,
    GraphSource,
    Verdict,
    Verification,
    VerifiedGraph,
)
from tracelens.verify.applied import NotApplicableError, Workshop, apply_fix
from tracelens.verify.code_fixes import advice, advice_names
from tracelens.verify.exact import exact_workload, graph_left_behind
from tracelens.verify.judge import other_torch
from tracelens.verify.log_events import read_text
from tracelens.verify.matrix import look_at_machine, matrix_workload, measure_matrix
from tracelens.verify.options import VerifyOptions
from tracelens.verify.places import PlaceMode
from tracelens.verify.private import PrivateFolders
from tracelens.verify.session import Session, attempts_for
from tracelens.verify.workload import Workload, choose_workload, of_another_system


def verify(diagnosis: Diagnosis, log: Path, options: VerifyOptions, tell: Callable[[str], None]) -> Diagnosis:
    """Return the diagnosis with its verification; ``tell`` is told of each run before it starts."""
    extra = _advice(options.tries)
    if diagnosis.outcome is Outcome.CLEAN:
        return _with(diagnosis, _nothing("there is no failure to reproduce"))
    if not diagnosis.findings:
        return _with(diagnosis, _nothing("no rule explains the failure, so a run could not be compared with it"))
    return _verify(diagnosis, log, options, extra, tell)


def measure(diagnosis: Diagnosis, log: Path, options: VerifyOptions, tell: Callable[[str], None]) -> Diagnosis:
    """Return the diagnosis with the matrix of this machine, beside what was verified.

    Where a fix was found to end the failure, the machine is measured with it.
    """
    with PrivateFolders() as folders:
        exact = _exact_for_matrix(diagnosis, log, options)
        machine = look_at_machine(options, folders)
        workload = matrix_workload(machine.device, exact)
        environ = _repaired(diagnosis, options, folders)
        rows = measure_matrix(workload, options, folders, environ, tell)
    verification = diagnosis.verification or _nothing("only the matrix was asked for")
    if verification.graph.kind is GraphSource.NONE:
        verification = replace(verification, graph=workload.graph, device=machine.name, torch=machine.torch)
    return replace(diagnosis, verification=replace(verification, matrix=rows, matrix_of=workload.graph.source))


def _exact_for_matrix(diagnosis: Diagnosis, log: Path, options: VerifyOptions) -> Workload | None:
    """Return the graph of the user's program, where its text was left."""
    return graph_left_behind(diagnosis, read_text(str(log)), options.artifacts)[0]


def _repaired(diagnosis: Diagnosis, options: VerifyOptions, folders: PrivateFolders) -> dict[str, str]:
    """Return the variables of this process, with the first fix that compiles and works."""
    environ = dict(os.environ)
    runs = diagnosis.verification.runs if diagnosis.verification else ()
    works = {run.fix for run in runs if run.status is FixStatus.FIXES and run.compiles}
    fix = next((fix for finding in diagnosis.findings[:1] for fix in finding.fixes if fix.id in works), None)
    if fix is None:
        return environ
    workshop = Workshop(environ=environ, python=options.python, version="", folder=folders.root)
    with suppress(NotApplicableError):
        return apply_fix(fix, workshop).environ
    return environ


def _verify(
    diagnosis: Diagnosis, log: Path, options: VerifyOptions, extra: Sequence[Fix], tell: Callable[[str], None]
) -> Diagnosis:
    workloads, why_not = _workloads(diagnosis, log, options)
    finding = diagnosis.findings[0]
    if not workloads:
        return _with(diagnosis, _nothing(why_not or "nothing can be run", finding.fixes))
    is_trusted = options.trusted is None or finding.code in options.trusted
    attempts = attempts_for(finding.fixes, extra, trusted=is_trusted)
    with PrivateFolders() as folders:
        for number, workload in enumerate(workloads):
            session = Session(workload, finding.label, options, folders, tell)
            baseline = session.baseline()
            # Where the graph itself cannot be run here, a probe may still tell something of the machine.
            if baseline.status is not BaselineStatus.COULD_NOT_RUN or number == len(workloads) - 1:
                break
            why_not = baseline.note
        if baseline.status is BaselineStatus.REPRODUCED:
            runs = tuple(session.attempt(attempt) for attempt in attempts)
        else:
            # What would not come upon the broken file cannot tell whether it was mended.
            status = FixStatus.CANNOT_TELL if session.missed_cache else FixStatus.NOT_RUN
            runs = tuple(
                FixRun(fix=attempt.fix.id, status=status, recommended=attempt.recommended) for attempt in attempts
            )
    if baseline.status in {BaselineStatus.NOT_REPRODUCED, BaselineStatus.DIFFERENT}:
        other = other_torch(diagnosis.environment.torch, session.torch)
        baseline = replace(baseline, note="; ".join(note for note in (baseline.note, other) if note) or None)
    notes = [note for note in (workload.graph.note, *session.notes, why_not) if note]
    verification = Verification(
        graph=replace(workload.graph, ops=session.ops or workload.graph.ops, note="; ".join(notes) or None),
        device=session.device,
        torch=session.torch,
        baseline=baseline,
        runs=runs,
        verdict=verdict_of(baseline, runs),
    )
    return _with(diagnosis, verification)


def _workloads(diagnosis: Diagnosis, log: Path, options: VerifyOptions) -> tuple[list[Workload], str | None]:
    """Return what can be run, best first, and why there is nothing better or nothing at all."""
    text = read_text(str(log))
    chosen = choose_workload(diagnosis, str(log), text, os.environ, options.script)
    if options.script:
        return [chosen] if isinstance(chosen, Workload) else [], None
    if elsewhere := of_another_system(diagnosis):
        return [], elsewhere
    exact, why_not = exact_workload(diagnosis, text, options.artifacts)
    workloads = [each for each in (exact, chosen) if isinstance(each, Workload)]
    if isinstance(chosen, Workload) and chosen.places is PlaceMode.COPIED:
        # What was left in the cache is nearer to what failed than a graph that leads to it.
        workloads.reverse()
    return workloads, why_not if workloads or isinstance(chosen, Workload) else why_not or chosen


def verdict_of(baseline: Baseline, runs: Sequence[FixRun]) -> Verdict:
    """Weigh all runs; a machine that fails in another way, or not at all, says nothing of the diagnosis."""
    if baseline.status is not BaselineStatus.REPRODUCED:
        return Verdict.OPEN
    tried = [run.status for run in runs if run.recommended]
    if FixStatus.FIXES in tried:
        return Verdict.CONFIRMED
    decided = {FixStatus.DOES_NOT_FIX, FixStatus.DIFFERENT}
    return Verdict.CONTRADICTED if decided & set(tried) else Verdict.OPEN


def _with(diagnosis: Diagnosis, verification: Verification) -> Diagnosis:
    """Return the diagnosis with the verification, and its word on each fix of the first finding."""
    if not diagnosis.findings:
        return replace(diagnosis, verification=verification)
    told = {run.fix: FixVerification(status=run.status.value, note=run.note) for run in verification.runs}
    first, *others = diagnosis.findings
    fixes = tuple(replace(fix, verification=told.get(fix.id)) for fix in first.fixes)
    return replace(diagnosis, findings=(replace(first, fixes=fixes), *others), verification=verification)


def _nothing(why: str, fixes: Sequence[Fix] = ()) -> Verification:
    """Return the verification of what cannot be run."""
    return Verification(
        graph=VerifiedGraph(kind=GraphSource.NONE, note=why),
        device=None,
        torch=None,
        baseline=Baseline(status=BaselineStatus.COULD_NOT_RUN, label=None, seconds=0.0, note=why) if fixes else None,
        runs=tuple(FixRun(fix=fix.id, status=FixStatus.NOT_RUN, note=why) for fix in fixes),
    )


def _advice(names: Sequence[str]) -> list[Fix]:
    known = {name: advice(name) for name in names}
    if unknown := [name for name, fix in known.items() if fix is None]:
        message = f"no such advice: {', '.join(unknown)}; known are {', '.join(advice_names())}"
        raise UsageError(message)
    return [fix for fix in known.values() if fix is not None]
