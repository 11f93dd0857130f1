"""Render an answer for the log of a GitHub Actions job: annotations first, then the whole report.

GitHub shows so many annotations of a type and cuts long ones; the report
below them has everything. What stems from a log is printed between
``::stop-commands::`` and a word that no log can know.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from tracelens.findings import Diagnosis, Finding, Outcome, Severity
from tracelens.report.as_plain import render_plain
from tracelens.report.document import Document
from tracelens.report.harmless import harmless, harmless_line
from tracelens.report.layout import Layout, lay_out_report
from tracelens.report.paths import relative_path
from tracelens.report.words import UNEXPLAINED_TITLE, clean_title, standing

#: What GitHub shows of each type in one step, and of one annotation.
_MAX_OF_TYPE = 10
_MAX_TITLE = 255
_MAX_MESSAGE = 4_000
_COMMANDS = {Severity.FATAL: "error", Severity.DEGRADED: "warning", Severity.HANDLED: "notice"}


def render(document: Document) -> str:
    """Return the commands and the report; ``document.nonce`` must not be empty."""
    lines = [*_annotations(document), f"::group::tracelens: {_data(harmless_line(_verdict(document.together)))}"]
    lines.append(f"::stop-commands::{document.nonce}")
    lines += render_plain(lay_out_report(document.together, document.inputs, Layout())).splitlines()
    lines += [f"::{document.nonce}::", "::endgroup::"]
    return "\n".join(lines) + "\n"


def _annotations(document: Document) -> Iterator[str]:
    together = document.together
    if together.outcome is Outcome.UNEXPLAINED and together.unexplained is not None:
        unexplained = together.unexplained
        message = f"{unexplained.seen}\nTo learn more: {unexplained.next_command}"
        yield _annotation("error", {"title": UNEXPLAINED_TITLE}, message)
    shown = Counter({"error": int(together.outcome is Outcome.UNEXPLAINED)})
    for finding in together.findings:
        command = _COMMANDS[finding.severity]
        shown[command] += 1
        if shown[command] <= _MAX_OF_TYPE:
            yield _annotation(command, _properties(finding, document.workspace), "\n".join(_message(finding)))


def _properties(finding: Finding, workspace: str | None) -> dict[str, str]:
    properties = {"title": f"{finding.title} ({finding.code})"}
    frame = finding.user_frame
    path = relative_path(frame.path, workspace) if frame is not None else ""
    # Annotations belong to files of the repository; a path that leads elsewhere would be taken for one.
    if frame is not None and path and not path.startswith(("/", "\\", "<", "..")) and ":" not in path:
        properties = {"file": path.replace("\\", "/"), "line": str(frame.line), **properties}
    return properties


def _message(finding: Finding) -> Iterator[str]:
    yield f"{finding.label}, {'; '.join(standing(finding))}"
    yield finding.summary
    for number, fix in enumerate(finding.fixes, 1):
        yield f"Fix {number}: {fix.title}"
        yield from (f"  {command}" for command in fix.commands)


def _annotation(command: str, properties: dict[str, str], message: str) -> str:
    shown = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{command} {shown}::{_data(_cut(harmless(message), _MAX_MESSAGE))}"


def _verdict(diagnosis: Diagnosis) -> str:
    if diagnosis.outcome is Outcome.CLEAN:
        return clean_title(diagnosis)
    if diagnosis.outcome is Outcome.UNEXPLAINED or not diagnosis.findings:
        return UNEXPLAINED_TITLE
    return _cut(diagnosis.findings[0].title, _MAX_TITLE)


def _property(value: str) -> str:
    return _data(_cut(harmless(value), _MAX_TITLE)).replace(":", "%3A").replace(",", "%2C")


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
