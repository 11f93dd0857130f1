"""Annotations of GitHub Actions, read as its runner reads them."""

from __future__ import annotations

import re

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.report.test_as_markdown import hostile
from tracelens.findings import Diagnosis, Severity, UserFrame
from tracelens.record import replace
from tracelens.report.as_github import render
from tracelens.report.document import Document

_NONCE = "0123456789abcdef0123456789abcdef"
_COMMAND = re.compile(r"^\s*::(?P<name>[\w-]+)(?: (?P<properties>[^:]*))?::(?P<data>.*)$")


def commands_in(output: str) -> list[tuple[str, dict[str, str], str]]:
    """Return the commands that the runner would obey, unescaped."""
    found, stopped = [], ""
    for line in re.split(r"\r\n|\n|\r", output):
        if stopped:
            stopped = "" if line.strip() == f"::{stopped}::" else stopped
            continue
        match = _COMMAND.match(line)
        if match is None:
            continue
        if match["name"] == "stop-commands":
            stopped = match["data"]
        properties = dict(part.split("=", 1) for part in (match["properties"] or "").split(",") if part)
        shown = {name: unescaped(value) for name, value in properties.items()}
        found.append((match["name"], shown, unescaped(match["data"])))
    assert stopped == ""
    return found


def unescaped(text: str) -> str:
    """Return what the runner makes of a value."""
    for code, character in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(code, character)
    return text


def test_finding_is_an_error_at_the_line_of_the_program(diagnosis: Diagnosis) -> None:
    frame = UserFrame(path="/home/runner/work/r/r/src/train.py", line=12)
    finding = replace(diagnosis.findings[0], user_frame=frame)
    document = Document(
        together=replace(diagnosis, findings=(finding,)), workspace="/home/runner/work/r/r", nonce=_NONCE
    )
    name, properties, message = commands_in(render(document))[0]
    assert name == "error"
    assert properties == {
        "file": "src/train.py",
        "line": "12",
        "title": "No C++ compiler for this process (TL101)",
    }
    assert "sudo apt-get install -y g++" in message


def test_place_outside_of_the_repository_is_not_named(diagnosis: Diagnosis) -> None:
    finding = replace(diagnosis.findings[0], user_frame=UserFrame(path="/opt/x/train.py", line=12))
    document = Document(together=replace(diagnosis, findings=(finding,)), nonce=_NONCE)
    assert "file" not in commands_in(render(document))[0][1]


def test_annotations_keep_to_what_the_runner_shows(diagnosis: Diagnosis) -> None:
    finding = diagnosis.findings[0]
    many = tuple(
        replace(finding, severity=severity, title="t" * 900, summary="s" * 90_000)
        for severity in Severity
        for _ in range(14)
    )
    commands = commands_in(render(Document(together=replace(diagnosis, findings=many), nonce=_NONCE)))
    for kind in ("error", "warning", "notice"):
        assert sum(name == kind for name, _, _ in commands) == 10
    assert max(len(message) for _, _, message in commands) <= 4_000
    assert max(len(properties.get("title", "")) for _, properties, _ in commands) <= 255


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(alphabet="a:%,\r\n \t=#[]\x1b\u2028", max_size=60))
def test_any_text_gives_no_command_of_its_own(diagnosis: Diagnosis, text: str) -> None:
    harm = f"{text}\n::error::x\r::set-env name=X::1\n##[error]y\n::{_NONCE[:8]}::\n"
    output = render(Document(together=hostile(diagnosis, harm), nonce=_NONCE))
    names = [name for name, _, _ in commands_in(output)]
    assert set(names) <= {"error", "group", "stop-commands", "endgroup"}
    assert names.count("stop-commands") == names.count("endgroup") == 1
    assert "##[" not in output
