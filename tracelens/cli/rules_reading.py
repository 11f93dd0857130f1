"""``tracelens rules list``, ``show`` and ``schema``: what there is."""

from __future__ import annotations

import argparse
from typing import Any

from tracelens.cli.output import layout_for_output, write_errors, write_text
from tracelens.errors import UsageError
from tracelens.findings import SCHEMA_VERSION, ExitCode
from tracelens.handbook.finding import find_rule, with_examples
from tracelens.handbook.labels import CAUSES
from tracelens.report.harmless import harmless, harmless_line, json_text
from tracelens.report.wrap import shorten
from tracelens.ruleset.bundled import load_ruleset
from tracelens.ruleset.load import bundled_taxonomy, load_labels
from tracelens.ruleset.model import Rule
from tracelens.ruleset.spelling import spell_rule
from tracelens.ruleset.templates import fill_text


def list_rules(options: argparse.Namespace) -> ExitCode:
    """Print one line for each rule, or one object for all."""
    labels = load_labels(bundled_taxonomy())
    if options.cause not in (None, *CAUSES):
        message = f"--cause is one of {', '.join(CAUSES)}: {harmless_line(options.cause)}"
        raise UsageError(message)
    if options.label not in (None, *labels):
        message = f"there is no label {harmless_line(options.label)!r}; tracelens explain CAUSE names those of a cause"
        raise UsageError(message)
    rules = [rule for rule in load_ruleset(options.rules).rules if _is_wanted(rule, options)]
    if options.json:
        write_text(json_text({"schema_version": SCHEMA_VERSION, "rules": [_listed(rule) for rule in rules]}), None)
        return ExitCode.EXPLAINED
    layout = layout_for_output(None)
    columns = [max((len(word) for word in words), default=0) for words in zip(*map(_columns, rules), strict=True)]
    for rule in rules:
        head = "  ".join(word.ljust(width) for word, width in zip(_columns(rule), columns, strict=True))
        row = f"{head}  {harmless_line(fill_text(rule.title, {}))}"
        write_text(f"{shorten(row, max(layout.width, len(head) + 22), layout.symbols.ellipsis)}\n", None)
    return ExitCode.EXPLAINED


def show_rule(options: argparse.Namespace) -> ExitCode:
    """Print a rule as it was loaded."""
    rule = known_rule(options.rule, options)
    spelled = spell_rule(with_examples(rule))
    if options.json:
        write_text(json_text(spelled), None)
        return ExitCode.EXPLAINED
    # YAML is not needed for anything else here.
    from tracelens.ruleset.as_yaml import dump_yaml

    write_text(harmless(dump_yaml(spelled)), None)
    return ExitCode.EXPLAINED


def print_schema(_options: argparse.Namespace) -> ExitCode:
    """Print the JSON Schema of a rule file."""
    from tracelens.authoring.schema import rule_schema

    write_text(json_text(rule_schema(load_labels(bundled_taxonomy()))), None)
    return ExitCode.EXPLAINED


def list_packs(_options: argparse.Namespace) -> ExitCode:
    """Print what ``--rules pack:NAME`` can name."""
    from tracelens.ruleset.packs import PREFIX, installed_packs

    packs = installed_packs()
    if not packs:
        write_errors("tracelens: no pack of rules is installed\n")
    for pack in packs:
        write_text(harmless_line(f"{PREFIX}{pack.name}  {pack.distribution}  {pack.folder}") + "\n", None)
    return ExitCode.EXPLAINED


def known_rule(name: str, options: argparse.Namespace) -> Rule:
    """Return a rule by its code or name; raises ``UsageError`` when there is none."""
    rule = find_rule(name, load_ruleset(options.rules))
    if rule is None:
        message = f"there is no rule {harmless_line(name)!r}; tracelens rules list names every rule"
        raise UsageError(message)
    return rule


def _is_wanted(rule: Rule, options: argparse.Namespace) -> bool:
    cause = rule.label.partition("/")[0]
    return options.cause in (None, cause) and options.label in (None, rule.label)


def _columns(rule: Rule) -> tuple[str, ...]:
    return rule.code, rule.label, rule.severity.value


def _listed(rule: Rule) -> dict[str, Any]:
    return {
        "code": rule.code,
        "name": rule.name,
        "label": rule.label,
        "cause": rule.label.partition("/")[0],
        "title": fill_text(rule.title, {}),
        "severity": rule.severity.value,
        "confidence": rule.confidence.value,
        "role": rule.role.value,
        "weight": rule.weight,
        "fixes": len(rule.fixes),
        "proven_fixes": sum(fix.proven is not None for fix in rule.fixes),
        "foreign": rule.foreign,
    }


ACTIONS = {"list": list_rules, "show": show_rule, "packs": list_packs, "schema": print_schema}
