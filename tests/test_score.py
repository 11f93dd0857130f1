from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from corpus import score


def case(label: str, *also_acceptable: str, evidence: str | None = None) -> score.Case:
    return score.Case(id="lab/x", log=Path("x"), label=label, also_acceptable=also_acceptable, evidence=evidence)


def answer(label: str, *root_lines: str) -> score.Answer:
    return score.Answer(label=label, root_lines=root_lines, seconds=0.1)


def finished(code: int, output: str, errors: str = "") -> subprocess.CompletedProcess[bytes]:
    return subprocess.CompletedProcess([], code, output.encode(), errors.encode())


def test_wilson_interval_of_nine_in_ten():
    low, high = score.wilson(9, 10)
    assert low == pytest.approx(0.5958, abs=1e-4)
    assert high == pytest.approx(0.9821, abs=1e-4)


def test_wilson_interval_stays_inside_zero_and_one():
    assert score.wilson(0, 0) == (0.0, 1.0)
    assert score.wilson(5, 5)[1] == 1.0
    assert score.wilson(0, 5)[0] == 0.0


def test_label_counts_when_it_is_also_acceptable():
    verdict = score.judge(case("cache/no-space", "outside/other"), answer("outside/other"))
    assert verdict.label
    assert verdict.cause


def test_cause_counts_without_the_label():
    verdict = score.judge(case("cache/no-space"), answer("cache/permission"))
    assert verdict.cause
    assert not verdict.label


@pytest.mark.parametrize(
    ("truth", "also", "got", "expected"),
    [
        ("outside/other", (), "cache/no-space", True),
        ("none/clean", (), "abi/glibcxx", True),
        ("none/clean", ("abi/glibcxx",), "abi/cuda-mismatch", False),
        ("outside/other", (), "unexplained", False),
        ("outside/other", (), "none/clean", False),
        ("cache/no-space", (), "abi/glibcxx", False),
    ],
)
def test_false_accusation(truth, also, got, expected):
    assert score.judge(case(truth, *also), answer(got)).false_accusation is expected


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (("[rank0]:  x.c:5:10:   fatal error: Python.h: No such file",), True),
        (("fatal error: Python.h: No such",), True),
        (("error:",), False),
        (("something else",), False),
        ((), False),
    ],
)
def test_evidence_is_compared_without_regard_to_blanks(lines, expected):
    assert score.names_evidence("x.c:5:10: fatal error: Python.h: No such file", lines) is expected


def test_answer_keeps_root_lines_of_the_first_finding_only():
    output = {
        "outcome": "diagnosed",
        "label": "cache/no-space",
        "findings": [
            {"evidence": [{"role": "context", "text": "a"}, {"role": "root", "text": "b\n\nc"}]},
            {"evidence": [{"role": "root", "text": "d"}]},
        ],
    }
    read = score.read_answer(finished(0, json.dumps(output)), 0.5)
    assert read == score.Answer(label="cache/no-space", root_lines=("b", "c"), seconds=0.5)


def test_long_evidence_counts_for_its_first_lines_only():
    text = "\n".join(str(number) for number in range(1000))
    output = {"outcome": "outside", "label": "x/y", "findings": [{"evidence": [{"role": "root", "text": text}]}]}
    assert len(score.read_answer(finished(0, json.dumps(output)), 0.5).root_lines) == score.ROOT_LINES


@pytest.mark.parametrize(
    ("code", "outcome", "errors", "crash"),
    [
        (0, "clean", "", None),
        (1, "unexplained", "", None),
        (0, "unexplained", "", "exit 0 with outcome unexplained"),
        (3, "clean", "", "exit 3 with outcome clean"),
        (0, "clean", "Traceback (most recent call last):", "a traceback on stderr"),
    ],
)
def test_exit_code_must_fit_the_outcome(code, outcome, errors, crash):
    output = json.dumps({"outcome": outcome, "label": None, "findings": []})
    assert score.read_answer(finished(code, output, errors), 0.1).crash == crash


def test_output_that_is_not_json_is_a_crash():
    read = score.read_answer(finished(3, "", "tracelens: internal error"), 0.1)
    assert read.crash == "exit 3: tracelens: internal error"


def test_requirements_are_percentages_for_shares_and_counts_for_the_rest():
    right = score.judge(case("none/clean"), answer("none/clean"))
    wrong = score.judge(case("none/clean"), answer("abi/glibcxx"))
    results = {"lab": [right, wrong], "reports": []}
    assert score.shortfalls(results, ["lab.cause=50", "lab.false_accusations=1", "reports.cause=100"]) == []
    assert score.shortfalls(results, ["lab.cause=50.1", "lab.false_accusations=0"]) == [
        "lab.cause is 50.00%, below 50.1%",
        "lab.false_accusations is 1, above 0",
    ]


def test_misses_are_listed_with_truth_answer_and_evidence():
    wrong = score.judge(case("none/clean"), answer("abi/glibcxx", "GLIBCXX_3.4.30 not found"))
    text = score.describe("lab", [wrong], 1.0)
    assert "- lab/x: cause: truth none/clean; got abi/glibcxx" in text
    assert "GLIBCXX_3.4.30 not found" in text


def test_every_case_of_the_corpus_has_a_label_of_the_taxonomy_and_a_log():
    cases = [case for name in score.SETS for case in score.load_cases(name, "")]
    assert len({case.id for case in cases}) == len(cases) > 0
    assert all(case.log.is_file() for case in cases)
    assert all("/" in label for case in cases for label in case.labels)
