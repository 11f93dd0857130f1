"""The words that every report uses for the same thing."""

from __future__ import annotations

from tracelens.findings import Confidence, Diagnosis, Finding, Fix, Outcome, Risk, Severity, Stage
from tracelens.report.harmless import harmless_line

STAGE_NAMES = {
    Stage.DYNAMO: "Dynamo",
    Stage.AOT_AUTOGRAD: "AOTAutograd",
    Stage.INDUCTOR: "Inductor",
    Stage.TRITON: "Triton",
    Stage.CPP: "C++",
    Stage.NINJA: "ninja",
    Stage.RUNTIME: "run",
}

UNEXPLAINED_TITLE = "A failure that no rule explains"

_RISKS = {Risk.REVIEW: "review first", Risk.DESTRUCTIVE: "destructive"}


def clean_title(diagnosis: Diagnosis) -> str:
    """Return the headline of an input in which nothing failed."""
    return f"No failure in this {'log' if diagnosis.timeline is None else 'trace'}"


def banner_facts(diagnosis: Diagnosis) -> list[str]:
    """Return how long the log is, and what it says of software and machine."""
    environment = diagnosis.environment
    facts = [f"{diagnosis.coverage.lines:,} lines"]
    if environment.torch:
        facts.append(f"torch {environment.torch}")
    if environment.python:
        facts.append(f"python {environment.python}")
    if environment.gpu:
        facts.append(environment.gpu)
    if environment.ranks and environment.ranks > 1:
        facts.append(f"{environment.ranks} ranks")
    return facts


def other_findings(diagnosis: Diagnosis) -> list[Finding]:
    """Return what to tell besides the answer: neither what it quotes already nor what was recovered from."""
    findings = [finding for finding in diagnosis.findings if finding.severity is not Severity.HANDLED]
    if diagnosis.outcome not in (Outcome.DIAGNOSED, Outcome.OUTSIDE):
        return findings
    first, *others = findings
    return [other for other in others if not _quotes(first, other)]


def _quotes(first: Finding, other: Finding) -> bool:
    """Tell whether the evidence of an answer holds the proof of another finding of its label."""
    if first.label != other.label or not other.evidence:
        return False
    proof = other.evidence[0]
    return any(known.source == proof.source and known.span.covers(proof.span) for known in first.evidence)


def standing(finding: Finding) -> list[str]:
    """Return how sure a finding is, what it did to the run, and to whom."""
    parts = [finding.confidence.value]
    if finding.confidence is Confidence.POSSIBLE:
        parts = ["possible: the log alone does not settle it"]
    if finding.severity is Severity.DEGRADED:
        parts.append("the run went on without what was asked for")
    if finding.label.startswith("outside/"):
        parts.append("none of the four root causes")
    return parts + _who(finding)


def _who(finding: Finding) -> list[str]:
    if len(finding.ranks) > 1:
        first = "" if finding.rank is None else f", rank {finding.rank} first"
        return [f"{len(finding.ranks)} ranks{first}"]
    if finding.rank is not None:
        return [f"rank {finding.rank}"]
    if finding.process is not None:
        return [harmless_line(finding.process)]
    return [f"{finding.occurrences} times"] if finding.occurrences > 1 else []


def fix_facts(fix: Fix) -> list[str]:
    """Return what to know of a fix before typing it."""
    facts = [] if fix.verification is None else [fix.verification.status]
    facts.append("proven" if fix.proven else "unproven")
    if fix.needs_root:
        facts.append("root")
    if fix.risk in _RISKS:
        facts.append(_RISKS[fix.risk])
    if fix.platform:
        facts.append(fix.platform)
    return facts


def unhelpful_advice(finding: Finding) -> str:
    """Return the advice that will not help, each with its reason, without a full stop."""
    return "; ".join(f"{item.advice} ({item.why.rstrip('.')})" for item in finding.not_helpful)
