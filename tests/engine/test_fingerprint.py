"""One cause has one fingerprint: on every machine, for every user and rank, in every patch release."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from tests.corpus_cases import all_cases, diagnose_case, our_rules
from tracelens.api import analyze_text
from tracelens.engine.fingerprint import essence_of, fingerprint_of
from tracelens.redaction import Redactor

_PATCH = re.compile(r"\b(2\.\d+)\.(\d+)(?=[+\"'\s,)]|$)", re.MULTILINE)
_PROGRAMS = re.compile(r"/(opt/venv|workspace|scratch|usr/local/cuda|opt/conda)(?=/)")
_HASH = re.compile(r"\bc([a-z2-7]{51})\b")


def elsewhere(text: str) -> str:
    """Return the log of another user of another machine."""
    text = _PROGRAMS.sub(r"/home/jdoe/\1", text)
    text = re.sub(r"torchinductor_\w+", "torchinductor_jdoe", text)
    return _HASH.sub(lambda match: "c" + match[1][::-1], text)


def next_patch(text: str) -> str:
    """Return the log of the next patch release, whose addresses and identities differ, too."""
    text = _PATCH.sub(lambda match: f"{match[1]}.{int(match[2]) + 1}", text)
    text = re.sub(r"(File \"[^\"\n]*\", line )(\d+)", lambda match: f"{match[1]}{int(match[2]) + 7}", text)
    return re.sub(r"\b0x[0-9a-f]{8,}\b", lambda match: "0x7f" + match.group()[4:][::-1], text)


def other_rank(text: str) -> str:
    """Return the log as rank 3 of a job prints it."""
    return "\n".join(f"[rank3]: {line}" if line else line for line in text.split("\n"))


def redacted(text: str) -> str:
    """Return the log as others get to see it."""
    return Redactor([elsewhere(text)]).redact(elsewhere(text))


@pytest.mark.parametrize("disguise", [elsewhere, next_patch, other_rank, redacted])
@pytest.mark.parametrize("identity", list(all_cases())[::3])
def test_disguise_does_not_change_the_fingerprint(identity: str, disguise: Callable[[str], str]):
    before = diagnose_case(identity)
    text = disguise(all_cases()[identity].log.read_bytes().decode("utf-8", "surrogateescape"))
    after = analyze_text(text, our_rules())
    if after.label == before.label:
        assert after.fingerprint == before.fingerprint


def test_different_causes_have_different_fingerprints():
    causes: dict[str, set[str | None]] = {}
    for identity in all_cases():
        answer = diagnose_case(identity)
        if answer.fingerprint is not None:
            causes.setdefault(answer.fingerprint.value, set()).add(answer.label)
    assert [labels for labels in causes.values() if len(labels) > 1] == []
    assert len(causes) > len(all_cases()) / 4


def test_clean_log_has_none():
    assert analyze_text("step 1\nstep 2\n").fingerprint is None


@pytest.mark.parametrize(
    ("said", "essence"),
    [
        ("ImportError: /home/a/.cache/x/ab12.so: file too short", "ImportError: /: file too short"),
        ("libcuda.so.1: cannot open shared object file", "libcuda.so.#: cannot open shared object file"),
        ("x.cpp:3:10: fatal error: cuda.h: No such file", "#: fatal error: cuda.h: No such file"),
        ("/scratch/tmpab/x.cpp:3:10: fatal error: cuda.h: No such file", "#: fatal error: cuda.h: No such file"),
        ("size mismatch at index 0. expected 4, actual 5", "size mismatch at index #. expected #, actual #"),
        ("Tried to allocate 2.50 GiB. GPU 3 has 79.15 GiB", "Tried to allocate #. GPU # has #"),
        ("connect to [gpu-17]:29500 failed", "connect to # failed"),
    ],
)
def test_what_one_run_adds_is_taken_out(said, essence):
    assert essence_of(said) == essence


def test_search_words_are_those_of_the_message():
    said = "ImportError: /a/b/c.so: undefined symbol: _ZN3c104cuda9SetDeviceEi"
    assert fingerprint_of("abi/undefined-symbol", said).search == '"undefined symbol: _ZN"'
