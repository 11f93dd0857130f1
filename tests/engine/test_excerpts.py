"""The part of a log that a report carries: within its room, and with what the answer rests on."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tests.corpus_cases import all_cases, our_rules
from tracelens.api import analyze_text
from tracelens.findings import EvidenceRole

_CRASH = all_cases()["lab/2.13.0/so-zero"].log.read_text(encoding="utf-8")
_NOISE = "".join(f"step {number} loss {number / 7:.5f} and more words to make it long\n" for number in range(4_000))


def test_log_that_fits_is_taken_whole():
    answer = analyze_text(_CRASH, our_rules(), excerpt_room=40_000)
    (excerpt,) = answer.excerpts
    assert f"{excerpt.text}\n" == _CRASH
    assert (excerpt.span.line, excerpt.span.end_line) == (1, answer.coverage.lines)


def test_nothing_is_carried_unless_asked_for():
    assert analyze_text(_CRASH, our_rules()).excerpts == ()


@pytest.mark.parametrize("room", [500, 5_000, 40_000])
def test_excerpts_keep_to_their_room_and_hold_the_proof(room):
    answer = analyze_text(_NOISE + _CRASH + _NOISE, our_rules(), excerpt_room=room)
    excerpts = answer.excerpts
    assert sum(len(excerpt.text) + 1 for excerpt in excerpts) <= room
    (root,) = [item for item in answer.findings[0].evidence if item.role is EvidenceRole.ROOT]
    assert any(item.span.covers(root.span) and root.text in item.text for item in excerpts)
    places = [(excerpt.span.line, excerpt.span.end_line) for excerpt in excerpts]
    assert all(before[1] + 1 < after[0] for before, after in pairwise(places))


def test_lines_of_an_excerpt_are_those_of_the_log():
    text = _NOISE + _CRASH + _NOISE
    lines = text.split("\n")
    for excerpt in analyze_text(text, our_rules(), excerpt_room=10_000).excerpts:
        assert excerpt.text.split("\n") == lines[excerpt.span.line - 1 : excerpt.span.end_line]
