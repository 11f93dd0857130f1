"""Every case of the corpus is answered as its case.yml says, and as it was answered before.

``golden.json`` holds an answer that somebody has read. It is written only by
``--update-golden``. One that belongs to another log fails, as does one that
differs from today's answer; and an answer that contradicts ``case.yml`` fails
whatever ``golden.json`` says, so that a blind update cannot hide a mistake.
"""

from __future__ import annotations

import json
from hashlib import sha256

import pytest

from corpus.score import UNEXPLAINED
from tests.command import CORPUS
from tests.corpus_cases import all_cases, diagnose_case
from tracelens.findings import Diagnosis, EvidenceRole

#: Cases that are answered wrongly, and why that is known; an answer that becomes right fails too.
_SILENT = "the process died of SIGBUS and printed nothing of it: no log can tell"
KNOWN_MISSES: dict[str, str] = {
    "lab/2.5.1/so-5pct": _SILENT,
    "lab/2.5.1/so-35pct": _SILENT,
    "lab/2.5.1/so-half": _SILENT,
    "lab/2.5.1/so-half-nofxcache": _SILENT,
    "lab/2.5.1/so-half-verbose": _SILENT,
    "lab/2.13.0/inductor-clang9": "the log holds a refused -std alone, which is what a compiler too old for it says",
    "lab/2.13.0/seq-static-fail": "the log ends with FailOnRecompileLimitHit; its label is that of the 2.5.1 run,"
    " whose torch did not know the setting",
}

ROOT_LINE_LENGTH = 200


def parameters():
    """Return one parameter a case; a known miss has to fail."""
    return [
        pytest.param(identity, marks=pytest.mark.xfail(reason=KNOWN_MISSES[identity]))
        if identity in KNOWN_MISSES
        else identity
        for identity in all_cases()
    ]


def golden_of(identity: str) -> dict[str, object]:
    """Return what is to be remembered of the answer to a case."""
    answer = diagnose_case(identity)
    evidence = answer.findings[0].evidence if answer.findings else ()
    roots = [item for item in evidence if item.role is EvidenceRole.ROOT]
    return {
        "input": sha256(all_cases()[identity].log.read_bytes()).hexdigest(),
        "outcome": answer.outcome.value,
        "label": answer.label,
        "codes": [finding.code for finding in answer.findings],
        "root": [f"{item.span.line}: {first_line(item.text)}" for item in roots],
    }


def first_line(text: str) -> str:
    """Return the start of a text, fit for a JSON file."""
    line = text.lstrip().partition("\n")[0].rstrip()
    return line[:ROOT_LINE_LENGTH].encode(errors="backslashreplace").decode()


def label_of(answer: Diagnosis) -> str:
    """Return the label as the score counts it."""
    return answer.label or UNEXPLAINED


@pytest.mark.parametrize("identity", parameters())
def test_answer_is_the_truth(identity):
    assert label_of(diagnose_case(identity)) in all_cases()[identity].labels


@pytest.mark.parametrize("identity", all_cases())
def test_answer_is_the_one_that_was_read(identity, request):
    file = CORPUS / identity / "golden.json"
    golden = golden_of(identity)
    if request.config.getoption("--update-golden"):
        file.write_text(json.dumps(golden, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    assert file.is_file(), "no golden.json: run with --update-golden and read what it writes"
    remembered = json.loads(file.read_text(encoding="utf-8"))
    assert remembered["input"] == golden["input"], "golden.json belongs to another log"
    assert remembered == golden


def test_known_misses_are_cases():
    assert set(KNOWN_MISSES) <= set(all_cases())


def test_every_case_stands_in_a_folder_of_its_own():
    logs = {file.parent for file in CORPUS.rglob("input.log")}
    cases = {file.parent for file in CORPUS.rglob("case.yml")}
    goldens = {file.parent for file in CORPUS.rglob("golden.json")}
    assert logs == cases
    assert goldens <= cases


def test_log_is_stored_byte_for_byte():
    attributes = (CORPUS.parent / ".gitattributes").read_text(encoding="utf-8").splitlines()
    assert "input.log -text" in attributes
