from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracelens.api import analyze_feed, analyze_text, combine
from tracelens.findings import Diagnostic, EvidenceRole, Outcome, RootCause
from tracelens.ruleset.bundled import load_ruleset
from tracelens.scan import ScanOptions

MESSAGE = "InvalidCxxCompiler: No working C++ compiler found in torch._inductor.config.cpp.cxx: (None, 'g++')"
TRACEBACK = f"""\
Traceback (most recent call last):
  File "/home/u/train.py", line 3, in <module>
    step(x)
  File "/opt/venv/lib/python3.11/site-packages/torch/_inductor/compile_fx.py", line 1079, in _compile_fx_inner
    raise InductorError(e, currentframe()).with_traceback(
torch._inductor.exc.InductorError: {MESSAGE}
"""


class Feed(io.BytesIO):
    remarks = (Diagnostic(code="input-damaged", message="cut short"),)


def ranked(rank: int) -> str:
    return "".join(f"[rank{rank}]: {line}\n" for line in TRACEBACK.splitlines())


def test_a_log_in_memory_is_diagnosed():
    answer = analyze_text(TRACEBACK)
    assert (answer.outcome, answer.root_cause, answer.label) == (
        Outcome.DIAGNOSED,
        RootCause.TOOLCHAIN,
        "toolchain/cxx-missing",
    )
    root = answer.findings[0].evidence[0]
    assert (root.role, root.span.line) == (EvidenceRole.ROOT, 6)
    assert MESSAGE in root.text
    assert answer.environment.python == "3.11"
    assert answer.coverage.lines == 6


def test_a_feed_is_read_to_its_end_and_its_remarks_are_kept():
    answer = analyze_feed(Feed(TRACEBACK.encode()), load_ruleset(), source="a.log")
    assert answer.source == "a.log"
    assert Feed.remarks[0] in answer.diagnostics
    assert answer.label == "toolchain/cxx-missing"


def test_one_failure_on_eight_interleaved_ranks_is_one_finding():
    logs = [ranked(rank).splitlines() for rank in range(8)]
    text = "\n".join(line for lines in zip(*logs, strict=True) for line in lines)
    (finding, *others) = analyze_text(text).findings
    assert finding.ranks == tuple(range(8))
    assert finding.rank == 0
    assert all(other.code != finding.code for other in others)


def test_two_failures_in_one_log_are_both_found_and_the_fatal_one_leads():
    header = "W1201 02:32:13.949000 14743 torch/_dynamo/convert_frame.py:1994] [0/8] "
    said = (
        "torch._dynamo hit config.recompile_limit (8)",
        "   function: 'f' (a.py:1)",
        "   last reason: 0/7: tensor 'x' size mismatch at index 0. expected 2, actual 3",
    )
    warned = "".join(f"{header}{line}\n" for line in said)
    labels = [finding.label for finding in analyze_text(warned + TRACEBACK).findings]
    assert labels[0] == "toolchain/cxx-missing"
    assert "dynamic-shapes/recompile-limit" in labels


def test_a_large_log_gives_the_same_answer_as_its_crash_alone():
    noise = "".join(f"step {number} loss {number / 7:.4f} lr 0.001\n" for number in range(40_000))
    answer = analyze_feed(Feed((noise + TRACEBACK + noise).encode()), load_ruleset(), options=ScanOptions(cache=False))
    assert answer.label == "toolchain/cxx-missing"
    assert answer.findings[0].evidence[0].span.line == 40_006
    assert MESSAGE in answer.findings[0].evidence[0].text
    assert answer.coverage.lines == 80_006


def test_what_only_a_rule_can_see_is_found_in_a_large_log():
    noise = "".join(f"step {number} loss {number / 7:.4f} lr 0.001\n" for number in range(40_000))
    anchors = load_ruleset().anchors
    assert anchors
    assert len(anchors) == len(set(anchors))
    hint = "sh: 1: g++: not found\n"
    small = analyze_text(hint)
    large = analyze_feed(Feed((noise + hint + noise).encode()), load_ruleset(), options=ScanOptions(cache=False))
    assert [finding.code for finding in large.findings] == [finding.code for finding in small.findings]
    assert small.findings


@pytest.mark.parametrize("text", ["", "\n", "no newline", "\x00" * 100, "\udcff\udc80", "\ud800"])
def test_any_text_has_an_answer(text):
    answer = analyze_text(text)
    assert answer.outcome in (Outcome.CLEAN, Outcome.UNEXPLAINED)


@given(st.text(max_size=300))
def test_any_text_never_raises(text):
    assert analyze_text(text).outcome in Outcome


@given(st.sampled_from([ranked(0), TRACEBACK]), st.integers(0, 8), st.integers(0, 8))
def test_any_cut_of_a_traceback_never_accuses_another_cause(text, head, tail):
    lines = text.splitlines(keepends=True)
    answer = analyze_text("".join(lines[head : len(lines) - tail]))
    assert answer.root_cause in (RootCause.TOOLCHAIN, None)


def test_the_same_log_gives_the_same_answer():
    assert analyze_text(TRACEBACK) == analyze_text(TRACEBACK)


def test_several_inputs_have_one_verdict():
    together = combine([analyze_text(ranked(0), source="0"), analyze_text("fine\n", source="1")])
    assert together.label == "toolchain/cxx-missing"
    assert together.findings[0].sources == ("0",)
