"""What tracelens says of a log, as far as a trial needs it."""

from __future__ import annotations

from corpus.faults.trial import Advice
from tracelens.api import analyze_text
from tracelens.findings import Diagnosis


def diagnose(log: bytes) -> Diagnosis:
    """Analyse a log as the command does."""
    return analyze_text(log.decode("utf-8", "surrogateescape"))


def advise(log: bytes) -> Advice:
    """Return the label of a log, and the first offer of each fix."""
    diagnosis = diagnose(log)
    fixes: dict[str, tuple[str, tuple[str, ...]]] = {}
    for finding in diagnosis.findings:
        for fix in finding.fixes:
            fixes.setdefault(fix.id, (finding.code, fix.commands))
    code = diagnosis.findings[0].code if diagnosis.findings else None
    return Advice(label=diagnosis.label or "unexplained", code=code, fixes=fixes)
