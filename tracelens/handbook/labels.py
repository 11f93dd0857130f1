"""The pages of labels, of the causes above them, and of everything."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tracelens.handbook.modes import MODES
from tracelens.handbook.topic import Block, Section, Topic, TopicKind, command, item, log, prose
from tracelens.handbook.verifying import how_to_verify
from tracelens.ruleset.model import Rule
from tracelens.ruleset.templates import fill_text

CAUSES = {
    "toolchain": "A build tool or header that the compile pipeline needs is missing or unusable.",
    "cache": "The on-disk compile cache (Inductor, Triton, extensions, vLLM) is corrupt, locked, unwritable or stale.",
    "dynamic-shapes": "Changing shapes or data-dependent values defeat specialisation: recompiles, limits, guards.",
    "abi": "C++ ABI, CUDA toolkit, driver, Triton or PTX versions do not belong together.",
    "outside": "A failure that is understood and is none of the four root causes.",
    "none": "What looks like a failure and is none.",
}


def describe_label(label: str, meaning: str, rules: tuple[Rule, ...]) -> Topic:
    """Return the page of a label; ``rules`` are those that answer it."""
    sections = (
        Section(heading="What it means", blocks=(prose(f"{meaning[:1].upper()}{meaning[1:]}."),)),
        Section(heading="How it looks", blocks=tuple(_looks(rules))),
        Section(heading="What fixes it", blocks=tuple(_fixes(rules))),
        Section(heading="What does not help", blocks=tuple(_not_helpful(rules))),
        Section(heading="How to verify", blocks=how_to_verify(label)),
        Section(heading="How it arises, and more", blocks=tuple(_pages(rules))),
    )
    return Topic(
        kind=TopicKind.LABEL,
        name=label,
        title=label,
        facts=(CAUSES[label.partition("/")[0]].rstrip("."), _counted(len(rules), "rule")),
        sections=tuple(section for section in sections if section.blocks),
    )


def describe_cause(cause: str, meanings: Mapping[str, str], rules: tuple[Rule, ...]) -> Topic:
    """Return the page of a cause with its labels."""
    labels = [label for label in meanings if label.partition("/")[0] == cause]
    return Topic(
        kind=TopicKind.CAUSE,
        name=cause,
        title=cause,
        facts=(_counted(len(labels), "label"), _counted(sum(rule.label in labels for rule in rules), "rule")),
        sections=(
            Section(heading="What it means", blocks=(prose(CAUSES[cause]),)),
            Section(heading="Its labels", blocks=tuple(item(label, meanings[label]) for label in labels)),
        ),
    )


def describe_everything() -> Topic:
    """Return the page that names what can be asked for."""
    return Topic(
        kind=TopicKind.OVERVIEW,
        name="tracelens",
        title="What can be explained",
        sections=(
            Section(heading="Causes", blocks=tuple(item(cause, text.rstrip(".")) for cause, text in CAUSES.items())),
            Section(heading="Modes", blocks=tuple(item(mode.name, mode.fact) for mode in MODES)),
            Section(
                heading="Rules and labels",
                blocks=(
                    command("tracelens explain TL101"),
                    command("tracelens explain toolchain/cxx-missing"),
                    command("tracelens rules list"),
                ),
            ),
        ),
    )


def _looks(rules: tuple[Rule, ...]) -> Iterator[Block]:
    for rule in rules:
        yield item(fill_text(rule.title, {}), f"{rule.code}, {rule.severity.value}")
        yield from map(log, rule.examples.positive[:1])


def _fixes(rules: tuple[Rule, ...]) -> Iterator[Block]:
    """Yield every fix once, the proven ones first; which rules it is for decides."""
    users: dict[tuple[str, bool], list[str]] = {}
    for rule in rules:
        for fix in rule.fixes:
            users.setdefault((fill_text(fix.title, {}), fix.proven is not None), []).append(rule.code)
    for (title, proven), codes in sorted(users.items(), key=lambda entry: (not entry[0][1], entry[1], entry[0])):
        yield item(title, f"{'proven' if proven else 'unproven'}, for {', '.join(codes)}")


def _not_helpful(rules: tuple[Rule, ...]) -> Iterator[Block]:
    seen: dict[str, str] = {}
    for rule in rules:
        for entry in rule.not_helpful:
            seen.setdefault(entry.advice, entry.why)
    yield from (item(advice, why) for advice, why in seen.items())


def _pages(rules: tuple[Rule, ...]) -> Iterator[Block]:
    if rules:
        yield command("\n".join(f"tracelens explain {rule.code}" for rule in rules))


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
