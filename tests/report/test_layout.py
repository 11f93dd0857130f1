"""The report answers what, why and what to type, in 80 columns."""

from __future__ import annotations

import io
import re
from dataclasses import replace

import pytest

from tracelens.findings import Confidence, Diagnosis, Outcome, Severity, Unexplained
from tracelens.report.as_plain import render_plain
from tracelens.report.as_terminal import write_terminal
from tracelens.report.layout import ASCII, Layout, lay_out, lay_out_report
from tracelens.report.wrap import cell_width
from tracelens.text import Span

EXPECTED = """\
train.log · 48,211 lines · torch 2.5.1+cu124 · python 3.11 · 8 ranks

✗ No C++ compiler for this process                 toolchain/cxx-missing · TL101
  certain · 8 ranks, rank 3 first

  Dynamo ✓ ── AOTAutograd ✓ ── Inductor ✓ ── C++ ✗ ── ninja ✓  Triton ·  run ·

  1242 │     raise InvalidCxxCompiler
  1243 │ torch._inductor.exc.InductorError: InvalidCxxCompiler: No working C++
       │ compiler found in torch._inductor.config.cpp.cxx: (None, 'g++')

  Why   Inductor compiles its CPU kernels with $CXX or g++; neither exists on
        this PATH.
        It is the innermost exception; the others only wrap it.

  Fix   1  Install a C++ compiler  (proven · root · Debian 12)
             sudo apt-get install -y g++
        2  Use another compiler  (unproven · review first)
             export CXX=clang++

  Will not help: clearing the cache (nothing was built yet).

  Note  the gzip stream ends early
"""


def test_the_plain_report(diagnosis: Diagnosis) -> None:
    assert render_plain(lay_out(diagnosis, Layout())) == EXPECTED


@pytest.mark.parametrize("width", [40, 80, 120])
def test_only_commands_may_be_wider_than_the_layout(diagnosis: Diagnosis, width: int) -> None:
    for line in lay_out(diagnosis, Layout(width=width)):
        is_command = any(style == "command" for style, _ in line)
        is_pipeline = any("Dynamo" in text for _, text in line)
        assert is_command or is_pipeline or cell_width("".join(text for _, text in line)) <= width


def test_ascii_symbols_make_an_ascii_report(diagnosis: Diagnosis) -> None:
    assert render_plain(lay_out(diagnosis, Layout(symbols=ASCII))).isascii()


def test_the_terminal_report_says_the_same_in_colour(diagnosis: Diagnosis, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    stream = io.StringIO()
    write_terminal(lay_out(diagnosis, Layout()), stream, force_color=True)
    coloured = stream.getvalue()
    assert "\x1b[1;31m" in coloured
    stream = io.StringIO()
    write_terminal(lay_out(diagnosis, Layout()), stream, force_color=False)
    assert stream.getvalue() == EXPECTED


def test_colours_are_all_that_a_coloured_report_has_more(diagnosis: Diagnosis) -> None:
    stream = io.StringIO()
    write_terminal(lay_out(diagnosis, Layout()), stream, force_color=True)
    assert re.sub(r"\x1b\[[0-9;]+m", "", stream.getvalue()) == EXPECTED


def test_escape_sequences_of_a_log_stay_dead_on_a_terminal(diagnosis: Diagnosis) -> None:
    finding = diagnosis.findings[0]
    evil = replace(finding.evidence[1], text="\x1b]8;;http://evil\x07[bold]click[/bold] [/nonsense]")
    hostile = replace(diagnosis, findings=(replace(finding, evidence=(evil,)),))
    stream = io.StringIO()
    write_terminal(lay_out(hostile, Layout()), stream, force_color=False)
    assert "\x1b" not in stream.getvalue()
    assert "\\x1b]8;;http://evil\\x07[bold]click[/bold] [/nonsense]" in stream.getvalue()


def test_a_clean_log_lists_what_torch_handled(diagnosis: Diagnosis) -> None:
    handled = replace(diagnosis.findings[0], severity=Severity.HANDLED)
    clean = replace(diagnosis, outcome=Outcome.CLEAN, label="none/clean", root_cause=None, findings=(handled,))
    text = render_plain(lay_out(clean, Layout(width=120)))
    assert "✓ No failure in this log" in text
    assert "handled: No C++ compiler for this process (toolchain/cxx-missing, line 1243)" in text


def test_an_unexplained_failure_asks_for_one_command(diagnosis: Diagnosis) -> None:
    unexplained = replace(
        diagnosis,
        outcome=Outcome.UNEXPLAINED,
        label=None,
        root_cause=None,
        confidence=None,
        findings=(),
        evidence=diagnosis.findings[0].evidence,
        unexplained=Unexplained(seen="an exception WeirdError", next_command="TORCHDYNAMO_VERBOSE=1 python train.py"),
    )
    text = render_plain(lay_out(unexplained, Layout()))
    assert "? A failure that no rule explains" in text
    assert "Next  TORCHDYNAMO_VERBOSE=1 python train.py" in text


def test_degraded_and_possible_are_said(diagnosis: Diagnosis) -> None:
    finding = replace(diagnosis.findings[0], severity=Severity.DEGRADED, confidence=Confidence.POSSIBLE)
    text = render_plain(lay_out(replace(diagnosis, findings=(finding,)), Layout(width=200)))
    assert "possible: the log alone does not settle it · the run went on without what was asked for" in text


def test_several_inputs_end_with_one_verdict_for_all(diagnosis: Diagnosis) -> None:
    text = render_plain(lay_out_report(diagnosis, [diagnosis, replace(diagnosis, source="b.log")], Layout()))
    assert "2 inputs together" in text
    assert "✗ b.log · toolchain/cxx-missing · certain · line 1243" in text


def test_what_torch_handled_is_no_news_beside_a_failure(diagnosis: Diagnosis) -> None:
    finding = diagnosis.findings[0]
    other = replace(finding, title="Another one", label="cache/permission")
    both = (finding, replace(finding, severity=Severity.HANDLED), other)
    text = render_plain(lay_out(replace(diagnosis, findings=both), Layout(width=120)))
    assert "handled:" not in text
    assert "Also  fatal: Another one" in text


def test_what_the_answer_quotes_already_is_not_told_again(diagnosis: Diagnosis) -> None:
    finding = diagnosis.findings[0]
    elsewhere = replace(
        finding, title="Elsewhere", evidence=(replace(finding.evidence[1], span=Span(line=1300, end_line=1300)),)
    )
    again = replace(finding, title="Again")
    text = render_plain(lay_out(replace(diagnosis, findings=(finding, again, elsewhere)), Layout(width=120)))
    assert "Again" not in text
    assert "Also  fatal: Elsewhere" in text
