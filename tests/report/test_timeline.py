from __future__ import annotations

import pytest

from tests.report.timelines import TIMELINE, compilation
from tracelens.record import replace
from tracelens.report.as_plain import render_plain
from tracelens.report.layout import ASCII, Layout
from tracelens.report.timeline import lay_out_timeline
from tracelens.timeline import CompileStatus, Timeline


def shown(timeline: Timeline, layout: Layout | None = None) -> list[str]:
    return render_plain(lay_out_timeline(timeline, layout or Layout())).splitlines()


def test_everything_is_told_with_bars_to_scale():
    text = shown(TIMELINE)
    assert text[0] == "  1 compilation · 4.00 s · ░ Dynamo █ code"
    assert text[1].startswith("  0/0  step train.py:3   4.00 s  ░")
    bar = text[1].split()[-1]
    assert bar.count("█") == pytest.approx(3 * bar.count("░"), abs=2)
    assert "     7 x size: x, dimension 1 = 5, 6 · train.py:3" in text
    assert "         Fix  torch._dynamo.mark_dynamic(x, 1)" in text
    assert "     3 x GB0059 Failed to trace builtin operator · train.py:50" in text
    assert "  Cache  fx_graph: 1 hit, 2 misses, 1 bypassed (why), 2.50 s saved" in text


def test_without_unicode_letters_make_the_bars():
    text = "\n".join(shown(TIMELINE, Layout(symbols=ASCII)))
    assert text.isascii()
    assert "d Dynamo c code" in text
    assert "dddcccc" in text.replace("dddddd", "ddd")


@pytest.mark.parametrize("width", [40, 80, 120])
def test_no_row_but_a_command_is_wider_than_the_layout(width):
    long = compilation(status=CompileStatus.FAILED, failure="E: " + "word " * 60, function="f" * 90, process="rank 11")
    timeline = replace(TIMELINE, compilations=(long, *(compilation(n) for n in range(1, 40))))
    rows = shown(timeline, Layout(width=width))
    assert [row for row in rows if len(row) > width and "Fix" not in row and width > 40] == []


def test_longest_and_failed_ones_are_shown_in_their_order():
    quick = [compilation(n, seconds=0.1) for n in range(30)]
    failed = compilation(30, seconds=0.0, status=CompileStatus.FAILED, failure="InductorError: no")
    text = shown(replace(TIMELINE, compilations=(*quick, failed, compilation(31))))
    assert "  the 12 longest; all of them in --format json" in text
    assert any(row.strip() == "failed: InductorError: no" for row in text)
    assert [row.split()[0] for row in text if row.startswith(("  30/0", "  31/0"))] == ["30/0", "31/0"]


def test_text_of_a_trace_does_nothing_to_a_terminal():
    evil = compilation(function="\x1b[31m\u202e", location="\x1b]0;x\x07:3", failure="##[error]", process="\x9b")
    assert "\x1b" not in "\n".join(shown(replace(TIMELINE, compilations=(evil,))))


def test_empty_timeline_says_nothing():
    empty = Timeline(sources=("t",), seconds=0.0, compilations=(), recompiles=(), graph_breaks=(), caches=())
    assert shown(empty) == []
