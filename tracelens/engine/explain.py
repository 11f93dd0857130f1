"""``python -m tracelens.engine.explain LOG``: why a log got its answer.

For authors of rules: prints the events of a log, every match of every rule
with its severity and failure, how they were ranked, and what failed without
an explanation. ``--code TL101`` shows one rule condition by condition.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from tracelens.engine.diagnose import Judgement, judge_events
from tracelens.engine.fields import frames_of, said_by
from tracelens.engine.log import Log
from tracelens.engine.match import Matcher
from tracelens.engine.trial import store_of
from tracelens.events import Event, ExceptionChain
from tracelens.findings import ExitCode
from tracelens.ruleset.bundled import load_ruleset
from tracelens.ruleset.compiled import RuleSet
from tracelens.ruleset.model import AllOf, Condition, Leaf, Not

_WIDTH = 160


def main(arguments: Sequence[str]) -> ExitCode:
    """Explain one log and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tracelens.engine.explain", description=__doc__)
    parser.add_argument("log", type=Path)
    parser.add_argument("--code", help="show how one rule fared, condition by condition")
    parser.add_argument("--rules", type=Path, action="append", default=[], help="rules of another folder as well")
    parser.add_argument("--events", action="store_true", help="print every event, not only their number")
    options = parser.parse_args(arguments)
    text = options.log.read_bytes().decode("utf-8", "surrogateescape")
    ruleset = load_ruleset(options.rules)
    judgement = judge_events(store_of(text), ruleset, strict=True)
    for line in _explained(judgement, ruleset, options.code, all_events=options.events):
        sys.stdout.write(line.encode("utf-8", "replace").decode("utf-8") + "\n")
    return ExitCode.EXPLAINED


def _explained(judgement: Judgement, ruleset: RuleSet, code: str | None, *, all_events: bool) -> Iterator[str]:
    yield from _events(judgement.log, all_events=all_events)
    yield from _matches(judgement)
    if code:
        yield from _rule(judgement.log, ruleset, code)
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


def _rule(log: Log, ruleset: RuleSet, code: str) -> Iterator[str]:
    entry = next((entry for entry in ruleset.entries if entry.code == code), None)
    if entry is None:
        yield f"no rule {code}"
        return
    yield ""
    chance = "may match" if entry in log.openable(ruleset) else "cannot match: none of its literals is in the log"
    yield f"{code}: {chance}"
    yield from _condition(Matcher(log), entry.rule.when, "  ")
    for veto in entry.rule.unless:
        yield "  unless"
        yield from _condition(Matcher(log), veto, "    ")


def _condition(matcher: Matcher, condition: Condition, indent: str) -> Iterator[str]:
    if isinstance(condition, Leaf):
        lines = [proof.span.line for proof in matcher.proofs(condition)]
        fields = [f"{name}: {pattern.source}" for name, pattern in condition.patterns]
        fields += [f"{name}: {list(wanted)}" for name, wanted in condition.choices]
        shown = f"lines {', '.join(map(str, lines[:12]))}" if lines else "nothing"
        yield f"{indent}{condition.kind.value} {{{_short('; '.join(fields))}}} -> {shown}"
    elif isinstance(condition, Not):
        yield f"{indent}not"
        yield from _condition(matcher, condition.condition, f"{indent}  ")
    else:
        yield f"{indent}{'all' if isinstance(condition, AllOf) else 'any'}"
        for member in condition.conditions:
            yield from _condition(matcher, member, f"{indent}  ")


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
