"""The page of one rule: what it means, how it looks, how it arises, what helps and what does not."""

from __future__ import annotations

from collections.abc import Iterator

from tracelens.findings import Confidence, FixKind, Risk, Role, Severity
from tracelens.handbook.topic import Block, Section, Topic, TopicKind, command, item, link, log, prose
from tracelens.handbook.verifying import how_to_verify
from tracelens.ruleset.model import FixTemplate, Rule
from tracelens.ruleset.templates import fill_command, fill_text

_SEVERITIES = {
    Severity.FATAL: "ends the run",
    Severity.DEGRADED: "the run goes on without what was asked for",
    Severity.HANDLED: "harmless: torch goes on",
}
_CONFIDENCES = {
    Confidence.CERTAIN: "certain where it matches",
    Confidence.LIKELY: "likely where it matches",
    Confidence.POSSIBLE: "possible where it matches",
}
_ROLES = {
    Role.CONSEQUENCE: "follows from another failure",
    Role.FALLBACK: "named only where nothing more specific is known",
}
_RISKS = {Risk.REVIEW: "review first", Risk.DESTRUCTIVE: "destructive"}
#: Cases of real runs are named for the torch that they ran on.
_LAB = "lab/"


def describe_rule(rule: Rule) -> Topic:
    """Return the page of a rule."""
    sections = (
        Section(heading="What it means", blocks=(prose(fill_text(rule.summary, {})),)),
        Section(heading="How it looks", blocks=tuple(_looks(rule))),
        Section(heading="How it arises", blocks=(prose(rule.explanation),)),
        Section(heading="What fixes it", blocks=tuple(_fixes(rule))),
        Section(
            heading="What does not help", blocks=tuple(item(entry.advice, entry.why) for entry in rule.not_helpful)
        ),
        Section(heading="What it is not", blocks=tuple(map(log, rule.examples.negative))),
        Section(heading="How to verify", blocks=how_to_verify(rule.label)),
        Section(heading="References", blocks=tuple(map(link, rule.references))),
    )
    return Topic(
        kind=TopicKind.RULE,
        name=rule.code,
        title=fill_text(rule.title, {}),
        facts=tuple(_facts(rule)),
        sections=tuple(section for section in sections if section.blocks),
        rule=rule,
    )


def _facts(rule: Rule) -> Iterator[str]:
    yield rule.label
    yield f"{rule.code}-{rule.name}"
    yield _SEVERITIES[rule.severity]
    yield _CONFIDENCES[rule.confidence]
    if rule.role in _ROLES:
        yield _ROLES[rule.role]
    for name, bounds in rule.versions:
        yield f"{name} {bounds}"


def _looks(rule: Rule) -> Iterator[Block]:
    yield from map(log, rule.examples.positive)
    releases = seen_in(rule)
    if releases:
        yield prose(f"Seen in real runs of torch {_listed(releases)}.")


def seen_in(rule: Rule) -> tuple[str, ...]:
    """Return the torch releases in whose real runs a rule was seen, oldest first."""
    found = {case.split("/")[1] for case in rule.matches if case.startswith(_LAB)}
    return tuple(sorted(found, key=_version))


def _version(name: str) -> tuple[int, ...]:
    return tuple(int(part) for part in name.partition("-")[0].split(".") if part.isdecimal())


def _listed(names: tuple[str, ...]) -> str:
    shown = [name.replace("-cuda", " (CUDA)") for name in names]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _fixes(rule: Rule) -> Iterator[Block]:
    for fix in rule.fixes:
        yield item(fill_text(fix.title, {}), "; ".join(_fix_facts(fix)))
        for platform, lines in fix.commands:
            text = "\n".join(fill_command(line, {}, fix.kind) for line in lines)
            yield command(text, "" if platform == "any" else platform)


def _fix_facts(fix: FixTemplate) -> Iterator[str]:
    yield f"proven by {fix.proven}" if fix.proven else f"unproven ({(fix.unproven or '').rstrip('.')})"
    if fix.needs_root:
        yield "needs root"
    if fix.risk in _RISKS:
        yield _RISKS[fix.risk]
    if fix.kind in (FixKind.CODE, FixKind.CONFIG):
        yield "a change of the program" if fix.kind is FixKind.CODE else "a setting"
