"""A verdict on one rule, laid out for a terminal or as plain data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tracelens.engine.condition_steps import MAX_SEEN, Seen, Step
from tracelens.engine.verdict import Fate, Verdict
from tracelens.findings import SCHEMA_VERSION
from tracelens.report.harmless import harmless, harmless_line, whole_characters
from tracelens.report.layout import Layout, StyledLine
from tracelens.report.wrap import shorten, wrap

_FATES = {
    Fate.ANSWER: "It matched and is the answer.",
    Fate.OUTRANKED: "It matched and is not the answer.",
    Fate.LEFT_OUT: "It matched and is not among the findings.",
    Fate.VETOED: "It matched and was vetoed.",
    Fate.OTHER_VERSION: "It was not asked.",
    Fate.NO_MATCH: "It did not match.",
}
_MOST_ROWS = 4


def lay_out_verdict_on_rule(verdict: Verdict, source: str, layout: Layout) -> list[StyledLine]:
    """Return the verdict line by line."""
    rule, dot = verdict.rule, layout.symbols.separator
    won = verdict.fate is Fate.ANSWER
    head = f"{harmless_line(source)}{dot}{rule.code}-{rule.name}{dot}{rule.label}"
    lines: list[StyledLine] = [(("bold", row),) for row in wrap(head, layout.width)]
    lines.append((("pass" if won else "warn", _FATES[verdict.fate]),))
    for reason in verdict.reasons:
        lines += [(("plain", row),) for row in wrap(f"{reason[:1].upper()}{reason[1:]}.", layout.width)]
    lines += [(), (("label", "when"),), *_step(verdict.when, 1, layout)]
    for step in verdict.unless:
        lines += [(("label", "unless"),), *_step(step, 1, layout)]
    return lines


def _step(step: Step, depth: int, layout: Layout) -> Iterator[StyledLine]:
    indent = "  " * depth
    style, mark = ("pass", layout.symbols.passed) if step.holds else ("fail", layout.symbols.failed)
    asks = ", ".join(f"{name}: {value}" for name, value in step.asks)
    text = f"{step.name} {{{harmless_line(asks)}}}" if asks else step.name
    room = layout.width - len(indent) - 2
    yield (("plain", indent), (style, f"{mark} "), ("plain", shorten(text, room, layout.symbols.ellipsis)))
    for seen in step.seen:
        yield from _seen(seen, indent, layout)
    if step.places > MAX_SEEN and step.holds:
        yield (("dim", f"{indent}    {step.places} places in all"),)
    for missing in step.missing:
        for row in wrap(harmless_line(missing), room - 2):
            yield (("dim", f"{indent}    {row}"),)
    for member in step.members:
        yield from _step(member, depth + 1, layout)


def _seen(seen: Seen, indent: str, layout: Layout) -> Iterator[StyledLine]:
    gutter = f"{indent}    {seen.span.line} {layout.symbols.gutter} "
    rows = [
        row for line in harmless(seen.text).split("\n")[:_MOST_ROWS] for row in wrap(line, layout.width - len(gutter))
    ]
    for number, row in enumerate(rows[:_MOST_ROWS]):
        lead = gutter if number == 0 else f"{' ' * (len(gutter) - 2)}{layout.symbols.gutter} "
        yield (("dim", lead), ("evidence", row))


def verdict_data(verdict: Verdict, source: str) -> dict[str, Any]:
    """Return the verdict as plain data."""
    return {
        "schema_version": SCHEMA_VERSION,
        "source": whole_characters(source),
        "code": verdict.rule.code,
        "label": verdict.rule.label,
        "fate": verdict.fate.value,
        "reasons": list(verdict.reasons),
        "when": _step_data(verdict.when),
        "unless": [_step_data(step) for step in verdict.unless],
    }


def _step_data(step: Step) -> dict[str, Any]:
    return {
        "condition": step.name,
        "asks": dict(step.asks),
        "holds": step.holds,
        "places": step.places,
        "seen": [
            {
                "line": seen.span.line,
                "end_line": seen.span.end_line,
                "field": seen.field,
                "text": whole_characters(seen.text),
            }
            for seen in step.seen
        ],
        "missing": list(step.missing),
        "members": [_step_data(member) for member in step.members],
    }
