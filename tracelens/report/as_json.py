"""Render a diagnosis as JSON: the contract that scripts build on.

Keys may be added, none is renamed or removed within one ``schema_version``.
The output is pure ASCII, so no log text in it can act on a terminal, and the
markers of CI commands are escaped without changing the value.
"""

from __future__ import annotations

from collections.abc import Sequence

from tracelens.findings import SCHEMA_VERSION, Check, Diagnosis, Evidence, Finding, Fix, UserFrame
from tracelens.record import Record, field_names
from tracelens.report.harmless import json_text, whole_characters
from tracelens.typed import TYPE_CHECKING, Any, Enum

if TYPE_CHECKING:
    from tracelens.report.document import Document


def _value(member: Enum | None) -> Any:  # noqa: ANN401 - an enum's value is what it is
    return None if member is None else member.value


def _evidence(evidence: Evidence) -> dict[str, Any]:
    return {
        "line": evidence.span.line,
        "end_line": evidence.span.end_line,
        "text": whole_characters(evidence.text),
        "role": evidence.role.value,
        "source": None if evidence.source is None else whole_characters(evidence.source),
    }


def _fix(fix: Fix) -> dict[str, Any]:
    verification = fix.verification
    return {
        "id": fix.id,
        "title": fix.title,
        "kind": fix.kind.value,
        "commands": [whole_characters(command) for command in fix.commands],
        "risk": fix.risk.value,
        "needs_root": fix.needs_root,
        "platform": fix.platform,
        "proven": fix.proven,
        "verification": None if verification is None else {"status": verification.status, "note": verification.note},
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "code": finding.code,
        "label": finding.label,
        "title": whole_characters(finding.title),
        "summary": whole_characters(finding.summary),
        "severity": finding.severity.value,
        "confidence": finding.confidence.value,
        "stage": _value(finding.stage),
        "rank": finding.rank,
        "ranks": list(finding.ranks),
        "process": None if finding.process is None else whole_characters(finding.process),
        "occurrences": finding.occurrences,
        "evidence": [_evidence(evidence) for evidence in finding.evidence],
        "fixes": [_fix(fix) for fix in finding.fixes],
        "because": whole_characters(finding.because),
        "not_helpful": [{"advice": item.advice, "why": item.why} for item in finding.not_helpful],
        "explanation": whole_characters(finding.explanation),
        "references": list(finding.references),
        "sources": [whole_characters(source) for source in finding.sources],
        "user_frame": _user_frame(finding.user_frame),
        "fingerprint": None if finding.fingerprint is None else finding.fingerprint.value,
    }


def _user_frame(frame: UserFrame | None) -> dict[str, Any] | None:
    if frame is None:
        return None
    function, source = (None if text is None else whole_characters(text) for text in (frame.function, frame.source))
    return {"path": whole_characters(frame.path), "line": frame.line, "function": function, "source": source}


def _environment(diagnosis: Diagnosis) -> dict[str, Any]:
    environment = diagnosis.environment
    values = {name: getattr(environment, name) for name in field_names(type(environment))}
    return {name: whole_characters(value) if isinstance(value, str) else value for name, value in values.items()}


def _diagnosis(diagnosis: Diagnosis) -> dict[str, Any]:
    unexplained = diagnosis.unexplained
    answer = {
        "schema_version": SCHEMA_VERSION,
        "source": whole_characters(diagnosis.source),
        "outcome": diagnosis.outcome.value,
        "root_cause": _value(diagnosis.root_cause),
        "label": diagnosis.label,
        "confidence": _value(diagnosis.confidence),
        "findings": [_finding(finding) for finding in diagnosis.findings],
        "unexplained": None
        if unexplained is None
        else {
            "seen": whole_characters(unexplained.seen),
            "next_command": unexplained.next_command,
            "evidence": [_evidence(evidence) for evidence in diagnosis.evidence],
        },
        "environment": _environment(diagnosis),
        "pipeline": [{"stage": item.stage.value, "status": item.status.value} for item in diagnosis.pipeline],
        "coverage": {
            "lines": diagnosis.coverage.lines,
            "parsed": diagnosis.coverage.parsed,
            "unparsed": diagnosis.coverage.unparsed,
        },
        "fingerprint": None if diagnosis.fingerprint is None else diagnosis.fingerprint.value,
        "search": None if diagnosis.fingerprint is None else whole_characters(diagnosis.fingerprint.search),
        "diagnostics": [
            {"code": item.code, "message": whole_characters(item.message), "line": item.line}
            for item in diagnosis.diagnostics
        ],
        "verification": _values(diagnosis.verification),
        "timeline": _values(diagnosis.timeline),
    }
    if diagnosis.checks:
        answer["checks"] = [_check(check) for check in diagnosis.checks]
    return answer


def _check(check: Check) -> dict[str, str]:
    return {"name": check.name, "status": check.status.value, "detail": whole_characters(check.detail)}


def _values(record: Record | None) -> Any:  # noqa: ANN401 - what JSON holds
    if record is None:
        return None
    from tracelens.report.record_values import record_values

    return record_values(record)


def render_json(diagnosis: Diagnosis, inputs: Sequence[Diagnosis] = ()) -> str:
    """Return one JSON object, ended by a newline.

    With several inputs ``diagnosis`` is the verdict for all together, and
    each input's own answer stands under ``inputs``.
    """
    answer = _diagnosis(diagnosis)
    if inputs:
        answer["inputs"] = [_diagnosis(one) for one in inputs]
    # Thousands of compilations: Python indents JSON ten times slower than it writes it.
    return json_text(answer, on_one_line=("timeline", answer.pop("timeline")))


def render(document: Document) -> str:
    """Return a document as JSON, as every format does."""
    return render_json(document.together, document.inputs)
