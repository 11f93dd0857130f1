"""Render an answer as SARIF 2.1.0, which editors, code scanning and viewers read.

The log is the artifact; a result stands at the line that proves it, and the
line of the user's program is its related location.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from tracelens import __version__
from tracelens.findings import Diagnosis, Evidence, EvidenceRole, Finding, Fingerprint, Outcome, Severity, UserFrame
from tracelens.report.document import Document
from tracelens.report.harmless import json_text, whole_characters
from tracelens.report.markdown_text import as_lines, fence, prose
from tracelens.report.paths import relative_path
from tracelens.report.words import UNEXPLAINED_TITLE, fix_facts, unhelpful_advice
from tracelens.source.inputs import STDIN_NAME

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {Severity.FATAL: "error", Severity.DEGRADED: "warning", Severity.HANDLED: "note"}
_RANKS = {"certain": 95.0, "likely": 75.0, "possible": 40.0}
_FINGERPRINT = "tracelensCause/v1"
_UNEXPLAINED = "TL000"
_WINDOWS = re.compile(r"^([A-Za-z]):[\\/]")


def render(document: Document) -> str:
    """Return one SARIF log with one run; each input has its own results."""
    run = _Run(document)
    for one in document.each:
        run.add(one)
    return json_text({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run.as_object()]})


class _Run:
    """Gathers rules and artifacts as results name them."""

    def __init__(self, document: Document) -> None:
        self._workspace = document.workspace
        self._rules: dict[str, dict[str, Any]] = {}
        self._artifacts: dict[str, dict[str, Any]] = {}
        self._results: list[dict[str, Any]] = []
        self._notifications: list[dict[str, Any]] = []

    def add(self, diagnosis: Diagnosis) -> None:
        """Add the results of one input."""
        log = self._artifact(_log_uri(diagnosis.source, self._workspace), "analysisTarget")
        if diagnosis.outcome is Outcome.UNEXPLAINED and diagnosis.unexplained is not None:
            unexplained = diagnosis.unexplained
            message = f"{UNEXPLAINED_TITLE}: {unexplained.seen}\nTo learn more, type: {unexplained.next_command}"
            self._rules.setdefault(_UNEXPLAINED, _unexplained_rule())
            self._results.append(
                self._result(_UNEXPLAINED, "error", message, diagnosis.evidence, diagnosis.fingerprint, log)
            )
        for finding in diagnosis.findings:
            self._results.append(self._finding(finding, log))
        for remark in diagnosis.diagnostics:
            text = whole_characters(remark.message)
            self._notifications.append({"level": "note", "message": {"text": text}, "descriptor": {"id": remark.code}})

    def as_object(self) -> dict[str, Any]:
        """Return the run."""
        invocation: dict[str, Any] = {"executionSuccessful": True}
        if self._notifications:
            invocation["toolExecutionNotifications"] = self._notifications
        driver = {"name": "tracelens", "version": __version__, "semanticVersion": __version__}
        return {
            "tool": {"driver": {**driver, "rules": list(self._rules.values())}},
            "invocations": [invocation],
            "artifacts": list(self._artifacts.values()),
            "results": self._results,
            "columnKind": "unicodeCodePoints",
        }

    def _finding(self, finding: Finding, log: dict[str, Any]) -> dict[str, Any]:
        self._rules.setdefault(finding.code, _rule(finding))
        message = "\n".join(_message(finding))
        level = _LEVELS[finding.severity]
        result = self._result(finding.code, level, message, finding.evidence, finding.fingerprint, log)
        result["rank"] = _RANKS[finding.confidence.value]
        result["occurrenceCount"] = max(1, finding.occurrences)
        if finding.user_frame is not None:
            result["relatedLocations"] = [self._place(finding.user_frame)]
        result["properties"] = {
            "label": finding.label,
            "confidence": finding.confidence.value,
            "severity": finding.severity.value,
            "ranks": list(finding.ranks),
            "tags": [finding.label.partition("/")[0]],
        }
        return result

    def _result(  # noqa: PLR0913, PLR0917 - the parts of a result
        self,
        rule: str,
        level: str,
        message: str,
        evidence: tuple[Evidence, ...],
        fingerprint: Fingerprint | None,
        log: dict[str, Any],
    ) -> dict[str, Any]:
        roots = [item for item in evidence if item.role is EvidenceRole.ROOT]
        result: dict[str, Any] = {
            "ruleId": rule,
            "ruleIndex": list(self._rules).index(rule),
            "level": level,
            "message": {"text": whole_characters(message)},
            "locations": [
                {"physicalLocation": {"artifactLocation": log, "region": _region(item)}} for item in roots[:1]
            ],
        }
        if fingerprint is not None:
            result["partialFingerprints"] = {_FINGERPRINT: fingerprint.value}
        return result

    def _place(self, frame: UserFrame) -> dict[str, Any]:
        region: dict[str, Any] = {"startLine": max(1, frame.line)}
        if frame.source:
            region["snippet"] = {"text": whole_characters(frame.source)}
        artifact = self._artifact(_uri(frame.path, self._workspace), "resultFile")
        function = f" in {frame.function}" if frame.function else ""
        return {
            "id": 1,
            "message": {"text": whole_characters(f"The line of the program that led here{function}")},
            "physicalLocation": {"artifactLocation": artifact, "region": region},
        }

    def _artifact(self, uri: str, role: str) -> dict[str, Any]:
        self._artifacts.setdefault(uri, {"location": {"uri": uri}, "roles": [role]})
        return {"uri": uri, "index": list(self._artifacts).index(uri)}


def _message(finding: Finding) -> Iterator[str]:
    yield f"{finding.title}: {finding.summary}"
    for number, fix in enumerate(finding.fixes, 1):
        yield f"Fix {number}: {fix.title} ({', '.join(fix_facts(fix))})"
        yield from (f"    {command}" for command in fix.commands)


def _rule(finding: Finding) -> dict[str, Any]:
    text = finding.explanation or finding.summary
    advice = unhelpful_advice(finding)
    parts = [prose(text), *(fence("\n".join(fix.commands), "sh") for fix in finding.fixes if fix.commands)]
    if advice:
        text += f"\nWill not help: {advice}."
        parts.append(f"Will not help: {prose(advice)}.")
    rule: dict[str, Any] = {
        "id": finding.code,
        "name": "".join(word.capitalize() for word in re.findall("[a-z0-9]+", finding.label)),
        "shortDescription": {"text": finding.label},
        "fullDescription": {"text": whole_characters(finding.explanation or finding.title)},
        "help": {"text": whole_characters(text), "markdown": "\n\n".join(parts)},
        "defaultConfiguration": {"level": _LEVELS[finding.severity]},
        "properties": {"tags": finding.label.split("/")},
    }
    if finding.references:
        rule["helpUri"] = finding.references[0]
    return rule


def _unexplained_rule() -> dict[str, Any]:
    text = "A failure is in the log and no rule of tracelens explains it."
    return {
        "id": _UNEXPLAINED,
        "name": "Unexplained",
        "shortDescription": {"text": "unexplained"},
        "fullDescription": {"text": text},
        "help": {"text": text, "markdown": text},
        "defaultConfiguration": {"level": "error"},
    }


def _region(item: Evidence) -> dict[str, Any]:
    return {
        "startLine": item.span.line,
        "endLine": item.span.end_line,
        "snippet": {"text": whole_characters(as_lines(item.text))},
    }


def _log_uri(source: str, workspace: str | None) -> str:
    return "stdin" if source in ("-", STDIN_NAME) else _uri(source, workspace)


def _uri(path: str, workspace: str | None) -> str:
    """Return a path as a URI: relative to the workspace where it lies there, absolute where it is."""
    text = relative_path(path, workspace).replace("\\", "/")
    drive = _WINDOWS.match(text)
    if drive:
        return f"file:///{drive[1]}:{_quoted(text[2:])}"
    return f"file://{_quoted(text)}" if text.startswith("/") else _quoted(text)


def _quoted(path: str) -> str:
    return quote(whole_characters(path))
