"""Lay out what this machine said of a diagnosis: a short block under the fixes, and the matrix."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tracelens.report.harmless import harmless_line
from tracelens.report.layout import Layout, StyledLine
from tracelens.report.wrap import wrap
from tracelens.verification import (
    Baseline,
    BaselineStatus,
    FixRun,
    FixStatus,
    GraphSource,
    ModeRun,
    Verdict,
    Verification,
)

_INDENT = 8
_BASELINE_WORDS = {
    BaselineStatus.REPRODUCED: "the failure is here as well",
    BaselineStatus.NOT_REPRODUCED: "NOT REPRODUCED: this machine does not fail, so no fix was tried",
    BaselineStatus.DIFFERENT: "A DIFFERENT FAILURE, which says nothing about the log",
    BaselineStatus.COULD_NOT_RUN: "could not run",
}
_VERDICT_WORDS = {
    Verdict.CONFIRMED: ("pass", "This machine confirms the diagnosis"),
    Verdict.CONTRADICTED: ("fail", "This machine contradicts the diagnosis"),
    Verdict.OPEN: ("warn", "This machine neither confirms nor contradicts the diagnosis"),
}
_COLUMNS = ("mode", "status", "first call", "step", "spread", "samples/s", "gain", "peak")


#: Rows that are measured and compile nothing.
_IN_EAGER = frozenset({"eager", "suppress_errors"})


def lay_out_verification(verification: Verification, layout: Layout) -> Iterator[StyledLine]:
    """Return the block, or nothing where there is nothing to tell."""
    graph, baseline = verification.graph, verification.baseline
    what = f"{graph.kind.value}: {graph.source}" if graph.source else graph.note or graph.kind.value
    facts = [f"torch {verification.torch}" if verification.torch else "", verification.device or ""]
    head = layout.symbols.separator.join(part for part in (what, *facts) if part)
    yield from _rows("Here", harmless_line(head), layout, "plain")
    if graph.note and graph.kind is not GraphSource.NONE:
        yield from _rows("", harmless_line(graph.note), layout, "dim")
    if baseline is not None and graph.kind is not GraphSource.NONE:
        yield from _rows("", _baseline(baseline), layout, "bold")
    if baseline is not None and baseline.status is BaselineStatus.REPRODUCED:
        for run in verification.runs:
            yield from _run(run, layout)
    if baseline is not None:
        style, words = _VERDICT_WORDS[verification.verdict]
        is_of_probe = graph.kind is GraphSource.PROBE and verification.verdict is not Verdict.OPEN
        yield from _rows("", f"{words}, as far as a probe can." if is_of_probe else f"{words}.", layout, style)
    if verification.matrix:
        yield ()
        yield from _rows("Modes", harmless_line(verification.matrix_of or ""), layout, "plain")
        yield from _matrix(verification.matrix, layout)
    yield ()


def _baseline(baseline: Baseline) -> str:
    words = _BASELINE_WORDS[baseline.status]
    compiles = f", {baseline.compiles} compiles" if baseline.compiles and baseline.compiles > 1 else ""
    time = f" ({baseline.seconds:.1f} s{compiles})" if baseline.seconds else ""
    note = f": {baseline.note}" if baseline.note and baseline.status is not BaselineStatus.REPRODUCED else ""
    return harmless_line(f"{words}{time}{note}")


def _run(run: FixRun, layout: Layout) -> Iterator[StyledLine]:
    symbols = layout.symbols
    style, mark = {
        FixStatus.FIXES: ("pass", symbols.passed),
        FixStatus.DOES_NOT_FIX: ("fail", symbols.failed),
        FixStatus.DIFFERENT: ("fail", symbols.failed),
    }.get(run.status, ("dim", symbols.unknown))
    costs = []
    if run.compile_s is not None:
        costs.append(f"compiled in {run.compile_s:.1f} s")
    if run.compiles is not None and run.compiles != 1:
        costs.append(f"{run.compiles} compiles")
    if run.step_ms is not None:
        costs.append(f"{run.step_ms:.3g} ms a step")
    detail = symbols.separator.join((run.status.value, *costs, *((run.note,) if run.note else ())))
    first, *rest = wrap(harmless_line(f"{run.fix}: {detail}"), layout.width - _INDENT - 2)
    yield (("plain", " " * _INDENT), (style, f"{mark} "), ("plain", first))
    for row in rest:
        yield (("plain", " " * (_INDENT + 2)), ("dim", row))


def _matrix(modes: Sequence[ModeRun], layout: Layout) -> Iterator[StyledLine]:
    rows = [_COLUMNS, *(_cells(mode) for mode in modes)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_COLUMNS))]
    for number, row in enumerate(rows):
        cells = [
            cell.ljust(width) if place < 2 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield (("dim" if number == 0 else "plain", "  " + "  ".join(cells)),)
    for mode in modes:
        if mode.note:
            for row_text in wrap(harmless_line(f"{mode.mode}: {mode.note}"), layout.width - 4):
                yield (("dim", f"    {row_text}"),)
    yield from _rows("", _summary(modes), layout, "bold")


def _cells(mode: ModeRun) -> tuple[str, ...]:
    def cell(value: float | None, form: str) -> str:
        return "-" if value is None else form.format(value)

    return (
        mode.mode,
        mode.status,
        cell(mode.first_call_s, "{:.1f} s"),
        cell(mode.step_ms, "{:.3g} ms"),
        cell(mode.step_spread_ms, "{:.2g} ms"),
        cell(mode.samples_per_s, "{:.0f}"),
        cell(mode.gain, "{:.2f}x"),
        cell(mode.peak_mib, "{:.0f} MiB"),
    )


def _summary(modes: Sequence[ModeRun]) -> str:
    """Say in one sentence whether compiling pays."""
    gains = [(mode.gain, mode.mode) for mode in modes if mode.gain is not None and mode.mode not in _IN_EAGER]
    if not gains:
        return "no way of compiling ran, so nothing can be said of its gain"
    gain, mode = max(gains)
    if gain <= 1:
        return f"compiling LOSES here: the best, {mode}, is {gain:.2f} times as fast as eager"
    return f"the fastest is {mode}: {gain:.2f} times as fast as eager"


def _rows(head: str, text: str, layout: Layout, style: str) -> Iterator[StyledLine]:
    for number, row in enumerate(wrap(text, layout.width - _INDENT)):
        yield (("label", f"  {head if number == 0 else '':<6}"), (style, row))
