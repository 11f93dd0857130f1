"""The JSON contract: the keys, the values, and that nothing in it acts."""

from __future__ import annotations

import json
from dataclasses import replace

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tracelens.findings import Diagnosis
from tracelens.report.as_json import render_json

TOP_KEYS = {
    "schema_version",
    "outcome",
    "root_cause",
    "label",
    "confidence",
    "findings",
    "environment",
    "pipeline",
    "coverage",
    "diagnostics",
    "verification",
    "timeline",
}
FINDING_KEYS = {
    "code",
    "label",
    "title",
    "summary",
    "severity",
    "confidence",
    "stage",
    "rank",
    "occurrences",
    "evidence",
    "fixes",
    "because",
    "not_helpful",
}


def test_every_key_of_the_contract_is_there(diagnosis: Diagnosis) -> None:
    answer = json.loads(render_json(diagnosis))
    assert set(answer) >= TOP_KEYS
    assert answer["schema_version"] == "1.0"
    (finding,) = answer["findings"]
    assert set(finding) >= FINDING_KEYS
    assert finding["evidence"][1] == {
        "line": 1243,
        "end_line": 1243,
        "text": diagnosis.findings[0].evidence[1].text,
        "role": "root",
        "source": None,
    }
    assert finding["fixes"][0] == {
        "id": "install-gxx",
        "title": "Install a C++ compiler",
        "kind": "shell",
        "commands": ["sudo apt-get install -y g++"],
        "risk": "safe",
        "needs_root": True,
        "platform": "Debian 12",
        "proven": "lab/2.13.0/fix-cxx-env",
        "verification": None,
    }
    assert answer["pipeline"][4] == {"stage": "cpp", "status": "failed"}
    assert answer["coverage"] == {"lines": 48211, "parsed": 120, "unparsed": 3}


def test_several_inputs_stand_below_the_joint_verdict(diagnosis: Diagnosis) -> None:
    other = replace(diagnosis, source="other.log")
    answer = json.loads(render_json(diagnosis, [diagnosis, other]))
    assert [one["source"] for one in answer["inputs"]] == ["train.log", "other.log"]
    assert answer["label"] == "toolchain/cxx-missing"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text())
def test_any_title_comes_back_and_cannot_act(diagnosis: Diagnosis, text: str) -> None:
    hostile = replace(diagnosis, findings=(replace(diagnosis.findings[0], title=f"##[error]\x1b[31m{text}"),))
    rendered = render_json(hostile)
    assert rendered.isascii()
    assert "##" not in rendered
    assert "\x1b" not in rendered
    title = json.loads(rendered)["findings"][0]["title"]
    assert title.startswith("##[error]\x1b[31m")
