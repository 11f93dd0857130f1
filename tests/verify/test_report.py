"""What a machine said is in every report: as JSON with the names of the contract, and in words."""

from __future__ import annotations

import json

import pytest

from tests.command import CORPUS
from tracelens.api import analyze_text
from tracelens.record import field_names, replace
from tracelens.report import as_html, as_markdown
from tracelens.report.as_json import render_json
from tracelens.report.as_plain import render_plain
from tracelens.report.document import Document
from tracelens.report.layout import Layout, lay_out
from tracelens.report.picture import render_matrix_svg
from tracelens.verification import (
    Baseline,
    BaselineStatus,
    FixRun,
    FixStatus,
    GraphSource,
    ModeRun,
    Verdict,
    Verification,
    VerifiedGraph,
)

MODES = (
    ModeRun(mode="eager", status="ran", step_ms=2.0, step_spread_ms=0.1, samples_per_s=500.0, gain=1.0, peak_mib=10.0),
    ModeRun(mode="default", status="ran", first_call_s=8.0, step_ms=4.0, gain=0.5, note="skipping cudagraphs"),
    ModeRun(mode="no <compiler>", status="failed: toolchain/cxx-missing"),
)
REPRODUCED = Verification(
    graph=VerifiedGraph(kind=GraphSource.PROBE, source="a C++ kernel", note="not your model", ops=7),
    device="cpu",
    torch="2.13.0",
    baseline=Baseline(status=BaselineStatus.REPRODUCED, label="toolchain/cxx-missing", seconds=6.04),
    runs=(
        FixRun(fix="cxx-env", status=FixStatus.FIXES, compile_s=5.5, step_ms=0.04, compiles=1),
        FixRun(fix="advice\x1b[31m", status=FixStatus.DOES_NOT_FIX, note="still \x1b]0;x\x07 no compiler"),
    ),
    matrix=MODES,
    verdict=Verdict.CONFIRMED,
)


@pytest.fixture(scope="module")
def diagnosis():
    return analyze_text((CORPUS / "lab/2.13.0/inductor-no-gxx/input.log").read_text(encoding="utf-8"))


def words(diagnosis, verification):
    return render_plain(lay_out(replace(diagnosis, verification=verification), Layout(width=100)))


def test_json_has_the_names_of_the_contract(diagnosis):
    answer = json.loads(render_json(replace(diagnosis, verification=REPRODUCED)))["verification"]
    assert {"graph", "device", "torch", "baseline", "runs", "matrix"} <= answer.keys()
    assert {"kind", "source", "compile_id", "ops", "note"} <= answer["graph"].keys()
    assert {"status", "label", "seconds"} <= answer["baseline"].keys()
    assert set(field_names(FixRun)) == answer["runs"][0].keys()
    assert (answer["graph"]["kind"], answer["runs"][0]["status"]) == ("probe", "fixes")


def test_without_a_run_there_is_nothing(diagnosis):
    assert json.loads(render_json(diagnosis))["verification"] is None


def test_words_say_what_was_run_and_what_came_of_it(diagnosis):
    text = words(diagnosis, REPRODUCED)
    assert "probe: a C++ kernel" in text
    assert "cxx-env: fixes" in text
    assert "This machine confirms the diagnosis, as far as a probe can." in text
    assert "compiling LOSES here" in text
    assert "\x1b" not in text


@pytest.mark.parametrize("kind", [as_markdown, as_html])
def test_reports_for_others_tell_it_too(diagnosis, kind):
    text = kind.render(Document(together=replace(diagnosis, verification=REPRODUCED)))
    for part in ("What this machine said", "cxx-env: fixes", "This machine confirms the diagnosis, as far"):
        assert part in text
    assert "\x1b" not in text
    assert "What this machine said" not in kind.render(Document(together=diagnosis))


@pytest.mark.parametrize("status", BaselineStatus)
def test_fixes_are_listed_only_where_the_failure_is(diagnosis, status):
    baseline = Baseline(status=status, label=None, seconds=1.0, note="why")
    text = words(diagnosis, replace(REPRODUCED, baseline=baseline, verdict=Verdict.OPEN))
    assert ("cxx-env: fixes" in text) is (status is BaselineStatus.REPRODUCED)
    assert "neither confirms nor contradicts" in text


def test_gain_is_told_where_there_is_one(diagnosis):
    faster = (MODES[0], replace(MODES[1], gain=1.5))
    assert "the fastest is default: 1.50 times" in words(diagnosis, replace(REPRODUCED, matrix=faster))


def test_picture_is_well_formed_and_escapes():
    from xml.etree import ElementTree as ET

    picture = ET.fromstring(render_matrix_svg(MODES, "a & b"))  # noqa: S314 - what we have just written
    texts = [element.text for element in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert "a & b" in texts
    assert "no <compiler>" in texts
    assert any(text is not None and "0.50x" in text for text in texts)
