"""The page in a real Chromium, looked over by axe-core: `make browser` has what it needs."""

from __future__ import annotations

import json
import shutil
import subprocess

import pytest

from tests.command import REPOSITORY
from tracelens.api import analyze_text, combine
from tracelens.report.as_html import render
from tracelens.report.document import Document

MODULES = REPOSITORY / ".venv" / "browser" / "node_modules"
CHROMIUM = shutil.which("chromium")
NODE = shutil.which("node")

pytestmark = pytest.mark.skipif(
    not (MODULES.exists() and CHROMIUM and NODE), reason="make browser installs axe-core; it needs node and chromium"
)


def look(page, folder):
    """Open a page as a reader would, and return what was noticed."""
    script = REPOSITORY / "tests" / "report" / "browser" / "look.js"
    command = [str(NODE), str(script), str(CHROMIUM), str(MODULES), str(page), str(folder)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=120)
    return json.loads(done.stdout)


def log_of(case):
    """Return the log of a case of the corpus."""
    return (REPOSITORY / "corpus" / case / "input.log").read_text(encoding="utf-8", errors="surrogateescape")


@pytest.mark.parametrize(
    "case",
    [
        "lab/2.13.0/so-zero",
        "lab/2.13.0/inductor-no-gxx",
        "reports/210-notebook-loop-int-guards-recompiles",
        "decoys/max-autotune-run-with-tracebacks",
    ],
)
def test_page_is_sound_in_light_and_dark_and_on_a_telephone(case, tmp_path):
    page = tmp_path / "report.html"
    page.write_text(render(Document(together=analyze_text(log_of(case)))), encoding="utf-8")
    for view in look(page, tmp_path):
        assert (view["said"], view["violations"], view["overflow"]) == ([], [], False)
        assert view["copied"] in {"Copied", "Selected", None}


def test_page_of_several_inputs_is_sound(tmp_path):
    answers = [analyze_text(log_of(case), source=case) for case in ("lab/2.13.0/so-zero", "lab/2.13.0/mlp")]
    page = tmp_path / "report.html"
    page.write_text(render(Document(together=combine(answers), inputs=tuple(answers))), encoding="utf-8")
    assert [(view["said"], view["violations"], view["overflow"]) for view in look(page, tmp_path)] == [
        ([], [], False)
    ] * 3


def test_log_that_attacks_the_page_does_nothing(tmp_path):
    attack = '<script>alert(1)</script><img src=http://192.0.2.1/x onerror=alert(2)>" onmouseover="alert(3)'
    log = f"[rank3]: RuntimeError: Ninja is required to load C++ extensions {attack}\n"
    page = tmp_path / "report.html"
    page.write_text(render(Document(together=analyze_text(log, source=attack))), encoding="utf-8")
    assert [view["said"] for view in look(page, tmp_path)] == [[], [], []]
