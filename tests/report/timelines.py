"""A timeline that has everything a report can show of one."""

from __future__ import annotations

from typing import Any

from tracelens.record import replace
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


def compilation(number: int = 0, **fields: Any) -> Compilation:
    made = Compilation(
        compile_id=f"{number}/0",
        process=None,
        status=CompileStatus.COMPILED,
        source="t.log",
        line=1,
        function="step",
        location="/app/train.py:3",
        seconds=4.0,
        phases=(Phase(name=PhaseName.DYNAMO, seconds=1.0), Phase(name=PhaseName.CODE, seconds=3.0)),
    )
    return replace(made, **fields)


TIMELINE = Timeline(
    sources=("t.log",),
    seconds=4.0,
    compilations=(compilation(),),
    recompiles=(
        RecompileGroup(
            guard_kind="size",
            guard="tensor 'x' size mismatch",
            subject="x",
            dimension=1,
            function="step",
            location="/app/train.py:3",
            count=7,
            values=("5", "6"),
            compile_ids=("0/1",),
            source="t.log",
            line=9,
            code="TL301",
            fixes=(RecompileFix(id="mark-dynamic", title="Mark it", commands=("torch._dynamo.mark_dynamic(x, 1)",)),),
        ),
    ),
    graph_breaks=(
        GraphBreakGroup(
            gb_id="GB0059",
            reason="Failed to trace builtin operator",
            location="/app/train.py:50",
            count=3,
            compile_ids=("0/0",),
            hints=(),
            source="t.log",
            line=4,
        ),
    ),
    caches=(CacheUse(cache="fx_graph", hits=1, misses=2, bypasses=1, saved_seconds=2.5, bypass_reasons=("why",)),),
)
