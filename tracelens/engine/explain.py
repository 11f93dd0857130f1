"""``python -m tracelens.engine.explain LOG``: why a log got its answer.

For authors of rules: prints the events of a log, every match of every rule
with its severity and failure, how they were ranked, and what failed without
an explanation. ``tracelens explain-match`` shows one rule condition by condition.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from tracelens.engine.diagnose import Judgement, judge_events
from tracelens.engine.fields import frames_of, said_by
from tracelens.engine.log import Log
from tracelens.engine.trial import store_of
from tracelens.events import Event, ExceptionChain
from tracelens.findings import ExitCode
from tracelens.ruleset.bundled import load_ruleset

_WIDTH = 160


def main(arguments: Sequence[str]) -> ExitCode:
    """Explain one log and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tracelens.engine.explain", description=__doc__)
    parser.add_argument("log", type=Path)
    parser.add_argument("--rules", type=Path, action="append", default=[], help="rules of another folder as well")
    parser.add_argument("--events", action="store_true", help="print every event, not only their number")
    options = parser.parse_args(arguments)
    text = options.log.read_bytes().decode("utf-8", "surrogateescape")
    judgement = judge_events(store_of(text), load_ruleset(options.rules), strict=True)
    for line in _explained(judgement, all_events=options.events):
        sys.stdout.write(line.encode("utf-8", "replace").decode("utf-8") + "\n")
    return ExitCode.EXPLAINED


def _explained(judgement: Judgement, *, all_events: bool) -> Iterator[str]:
    yield from _events(judgement.log, all_events=all_events)
    yield from _matches(judgement)
    yield ""
    yield f"environment: {judgement.machine.environment}"
    yield f"platforms: {', '.join(judgement.machine.platforms) or 'unknown'}"
    for failure in judgement.failures:
        yield f"failure {failure.event} at {failure.span.line}: {_short(failure.seen)}"
    left = judgement.unexplained
    yield f"unexplained: {_short(left.seen) if left else 'nothing'}"


def _events(log: Log, *, all_events: bool) -> Iterator[str]:
    counts = {kind.value: len(numbers) for kind, numbers in log.by_kind.items()}
    yield f"{len(log.events)} events: {', '.join(f'{count} {name}' for name, count in sorted(counts.items()))}"
    for number, event in enumerate(log.events) if all_events else ():
        yield f"{number:5d} {_place(event)} {_short(_described(event))}"
        if isinstance(event, ExceptionChain):
            for part, exception in enumerate(event.exceptions):
                frames = frames_of(event, part)
                deepest = f" [{frames[-1].path}:{frames[-1].line} {frames[-1].owner.value}]" if frames else ""
                relation = f" -> {exception.relation.value}" if exception.relation else ""
                yield f"      {part}: {exception.span.line}: {_short(said_by(exception))}{deepest}{relation}"


def _matches(judgement: Judgement) -> Iterator[str]:
    yield ""
    yield f"{len(judgement.candidates)} matches, {len(judgement.ranked)} findings:"
    for place, item in enumerate(judgement.ranked, start=1):
        best = item.best
        rule, times = best.rule, f"x{item.occurrences}"
        yield (
            f"{place:3d}. {rule.code}-{rule.name} {rule.label} {best.severity.value} {rule.role.value}"
            f" failure {best.failure} depth {best.depth} weight {rule.weight} {times}"
        )
        for candidate in item.all:
            proof = candidate.match.primary
            shown = (proof.text or "")[proof.start : proof.end]
            name = candidate.process.name if candidate.process else "-"
            yield f"       line {proof.span.line} {proof.kind.value} [{name}] {_short(shown)}"
        captures = ", ".join(f"{name}={value!r}" for name, value in best.match.captures.items())
        yield f"       captures: {_short(captures)}"


def _place(event: Event) -> str:
    process = f" [{event.process.name}]" if event.process else ""
    level = f" {event.record.level.value}" if event.record else ""
    return f"{event.span.line}-{event.span.end_line}{process}{level} {type(event).__name__}"


def _described(event: Event) -> str:
    if isinstance(event, ExceptionChain):
        return f"{len(event.exceptions)} exceptions"
    return repr(event).partition("(")[2].rstrip(")")


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
