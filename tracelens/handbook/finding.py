"""From a word on the command line to its page."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from tracelens.errors import UsageError
from tracelens.handbook.labels import CAUSES, describe_cause, describe_everything, describe_label
from tracelens.handbook.modes import MODES, describe_mode
from tracelens.handbook.rules import describe_rule
from tracelens.handbook.topic import Topic
from tracelens.report.harmless import harmless_line
from tracelens.ruleset.compiled import RuleSet
from tracelens.ruleset.load import bundled_folder, bundled_taxonomy, load_examples, load_meanings
from tracelens.ruleset.model import Rule

_SHOWN = 60


def find_topic(name: str | None, ruleset: RuleSet) -> Topic:
    """Return the page of a code, name, label, cause or mode; of everything for ``None``.

    Raises ``UsageError`` when there is none.
    """
    if name is None:
        return describe_everything()
    rule = find_rule(name, ruleset)
    if rule is not None:
        return describe_rule(with_examples(rule))
    mode = next((mode for mode in MODES if mode.name == name.lower()), None)
    if mode is not None:
        return describe_mode(mode)
    meanings = load_meanings(bundled_taxonomy())
    if name in meanings:
        rules = tuple(with_examples(rule) for rule in ruleset.rules if rule.label == name)
        return describe_label(name, meanings[name], rules)
    if name in CAUSES:
        return describe_cause(name, meanings, ruleset.rules)
    raise UsageError(_unknown(name, [*topic_names(ruleset), *meanings]))


def find_rule(name: str, ruleset: RuleSet) -> Rule | None:
    """Return the rule with a code, a name, an alias or a code and a name; capitals do not matter."""
    wanted = name.casefold()
    for entry in ruleset.entries:
        # Most are asked for by code, and then the others are not even read.
        if wanted == entry.code.casefold():
            return entry.rule
    for rule in ruleset.rules:
        if wanted in (rule.name, f"{rule.code}-{rule.name}".casefold(), *rule.aliases):
            return rule
    return None


def with_examples(rule: Rule) -> Rule:
    """Return a rule with the examples of its file, which compiled rules of ours come without."""
    if rule.foreign:
        return rule
    path = bundled_folder() / f"{rule.code}-{rule.name}.yml"
    return rule._replace(examples=load_examples(path))


def topic_names(ruleset: RuleSet) -> Iterator[str]:
    """Yield what can be asked for, labels aside."""
    yield from CAUSES
    yield from (mode.name for mode in MODES)
    for rule in ruleset.rules:
        yield from (rule.code, rule.name)


def _unknown(name: str, known: list[str]) -> str:
    close = get_close_matches(name, known, n=3)
    shown = harmless_line(name[:_SHOWN])
    advice = f"did you mean {' or '.join(close)}?" if close else "tracelens rules list names every rule"
    return f"nothing is known of {shown!r}; {advice}"
