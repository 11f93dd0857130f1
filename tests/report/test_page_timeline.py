"""The bars of the page are to scale, and say in words what they show."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.report.test_as_html import Page
from tracelens.report.as_html import render
from tracelens.report.document import Document
from tracelens.report.page_timeline import view_timeline
from tracelens.timeline import (
    CacheUse,
    Compilation,
    CompileStatus,
    GraphBreakGroup,
    Phase,
    PhaseName,
    RecompileFix,
    RecompileGroup,
    Timeline,
)


def compilation(number: int, started: float | None, *seconds: float, **facts) -> Compilation:
    phases = tuple(Phase(name=name, seconds=spent) for name, spent in zip(PhaseName, seconds, strict=False))
    given = {"status": CompileStatus.COMPILED, "function": "f", "location": "/home/u/model.py:3", **facts}
    return Compilation(
        compile_id=f"0/{number}",
        process=None,
        source="trace.log",
        line=number + 1,
        started=started,
        seconds=sum(seconds),
        phases=phases,
        **given,
    )


@pytest.fixture
def timeline() -> Timeline:
    return Timeline(
        sources=("trace.log",),
        seconds=10.0,
        compilations=(
            compilation(0, 0.0, 1.0, 3.0),
            compilation(1, 5.0, 2.0, status=CompileStatus.FAILED, failure="OddError: <b>x</b>"),
            compilation(2, 8.0, 2.0),
        ),
        recompiles=(
            RecompileGroup(
                guard_kind="size",
                guard="L['x'].size()[1] == 4",
                subject="x",
                dimension=1,
                function="f",
                location="/home/u/model.py:3",
                count=2,
                values=("4", "5"),
                compile_ids=("0/1", "0/2"),
                source="trace.log",
                line=9,
                fixes=(RecompileFix(id="mark", title="Mark it", commands=("mark_dynamic(x, 1)",)),),
            ),
        ),
        graph_breaks=(
            GraphBreakGroup(
                gb_id="GB0059",
                reason="print",
                location="model.py:7",
                count=3,
                compile_ids=("0/0",),
                hints=("do not",),
                source="trace.log",
                line=4,
            ),
        ),
        caches=(CacheUse(cache="fx_graph", hits=1, misses=2, bypasses=0, saved_seconds=0.5),),
    )


def test_bars_are_to_scale(timeline):
    first, second, last = view_timeline(timeline).bars
    assert [(part.x, part.width) for part in first.segments] == [(0, 10), (10, 30)]
    assert [(part.x, part.width) for part in second.segments] == [(50, 20)]
    assert [(part.x, part.width) for part in last.segments] == [(80, 20)]


def test_bars_without_times_have_no_width(timeline):
    bare = replace(timeline, compilations=(compilation(0, None), compilation(1, None)))
    assert [bar.segments for bar in view_timeline(bare).bars] == [(), ()]


def test_long_trace_shows_the_longest_and_those_that_failed(timeline):
    items = [compilation(number, float(number), 0.001 * number) for number in range(200)]
    items[3] = compilation(3, 3.0, 0.0, status=CompileStatus.FAILED)
    view = view_timeline(replace(timeline, compilations=tuple(items), compilations_left_out=7))
    assert [bar.id for bar in view.bars] == ["0/3", *(f"0/{number}" for number in range(141, 200))]
    assert view.left_out == 147


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
        "x, dimension 1 = 4, 5",
        "mark_dynamic(x, 1)",
        "GB0059",
        "fx_graph: 1 hit, 2 misses, 0.50 s saved",
    ):
        assert part in page.text
