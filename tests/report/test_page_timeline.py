"""The bars of the page are to scale, and say in words what they show."""

from __future__ import annotations

import pytest

from tests.report.test_as_html import Page
from tests.report.timelines import TIMELINE, compilation
from tracelens.record import replace
from tracelens.report import as_markdown
from tracelens.report.as_html import render
from tracelens.report.document import Document
from tracelens.report.page_timeline import view_timeline
from tracelens.timeline import Compilation, CompileStatus, Phase, PhaseName, Timeline


def timed(number: int, started: float | None, *seconds: float, **facts) -> Compilation:
    phases = tuple(Phase(name=name, seconds=spent) for name, spent in zip(PhaseName, seconds, strict=False))
    made = compilation(compile_id=f"0/{number}", started=started, seconds=sum(seconds), phases=phases)
    return replace(made, **facts)


@pytest.fixture
def timeline() -> Timeline:
    failed = {"status": CompileStatus.FAILED, "failure": "OddError: <b>x</b>"}
    return replace(
        TIMELINE,
        seconds=10.0,
        compilations=(timed(0, 0.0, 1.0, 3.0), timed(1, 5.0, 2.0, **failed), timed(2, 8.0, 2.0)),
    )


def test_bars_are_to_scale(timeline):
    first, second, last = view_timeline(timeline).bars
    assert [(part.x, part.width) for part in first.segments] == [(0, 10), (10, 30)]
    assert [(part.x, part.width) for part in second.segments] == [(50, 20)]
    assert [(part.x, part.width) for part in last.segments] == [(80, 20)]


def test_bars_without_times_have_no_width(timeline):
    bare = replace(timeline, compilations=(timed(0, None), timed(1, None)))
    assert [bar.segments for bar in view_timeline(bare).bars] == [(), ()]


def test_long_trace_shows_the_longest_and_those_that_failed(timeline):
    items = [timed(number, float(number), 0.001 * number) for number in range(200)]
    items[3] = timed(3, 3.0, 0.0, status=CompileStatus.FAILED)
    view = view_timeline(replace(timeline, compilations=tuple(items), compilations_left_out=7))
    assert [bar.id for bar in view.bars] == ["0/3", *(f"0/{number}" for number in range(141, 200))]
    assert view.left_out == 140


def test_page_tells_in_words_what_the_bars_show(diagnosis, timeline):
    page = Page(render(Document(together=replace(diagnosis, timeline=timeline))))
    assert page.open == []
    assert {picture.get("aria-label") for picture in page.named("svg")} >= {
        "Dynamo: 1.00 s, AOTAutograd: 3.00 s",
        "Dynamo: 2.00 s",
    }
    for part in (
        "3 compilations in 10.0 s",
        "failed: OddError: <b>x</b>",
        "x, dimension 1 = 5, 6",
        "mark_dynamic(x, 1)",
        "GB0059",
        "fx_graph: 1 hit, 2 misses, 1 bypassed (why), 2.50 s saved",
    ):
        assert part in page.text


def test_bug_report_tells_the_timeline_too(diagnosis, timeline):
    report = as_markdown.render(Document(together=replace(diagnosis, timeline=timeline)))
    before, _, rest = report.partition("Compilations in train.log")
    assert "### Error logs" not in before
    assert "3 compilations · 10.0 s" in rest.partition("### Error logs")[0]
    assert "Compilations in" not in as_markdown.render(Document(together=diagnosis))
