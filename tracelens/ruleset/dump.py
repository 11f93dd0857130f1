"""Rules into the lines of JSON that ``compiled`` reads: for the wheel, and for a checkout whose rules have changed."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tracelens.ruleset.compiled import head_of
from tracelens.ruleset.gates import filed, find_gates, group_gates
from tracelens.ruleset.load import load_folders, load_labels
from tracelens.ruleset.model import AllOf, AnyOf, Condition, FixTemplate, Handles, Not, Place, Rule
from tracelens.ruleset.patterns import Pattern
from tracelens.ruleset.sieve import find_sieve
from tracelens.ruleset.triggers import find_anchors


def write_bundle(*, rules: Path, taxonomy: Path, target: Path) -> None:
    """Write the compiled rules of a folder to a file; for building the wheel.

    Raises ``RuleFileError`` with every problem when a rule is not sound.
    """
    loaded = load_folders([rules], labels=load_labels(taxonomy), foreign=False)
    target.write_bytes(dump(loaded, key=""))


def dump(rules: Iterable[Rule], *, key: str) -> bytes:
    """Return rules as lines of JSON; ``key`` is the fingerprint of the files they came from."""
    rules = sorted(rules, key=lambda rule: rule.code)
    groups: list[tuple[Any, ...]] = []
    bodies: list[bytes] = []
    for kind, field, ignore_case, literals in group_gates(find_gates(rule.when) for rule in rules):
        by_word = {word: _compact(some)[1:-1] for word, some in filed(literals).items()}
        groups.append(
            (kind, field, ignore_case, " ".join(by_word), _sizes(by_word.values()), sum(map(len, by_word.values())))
        )
        bodies += by_word.values()
    parts = [
        _compact(part)
        for rule in rules
        for part in (find_sieve(rule.when), _search_data(rule), _rest_data(rule), find_anchors(rule))
    ]
    index = _compact([groups, " ".join(rule.code for rule in rules), _sizes(parts)])
    return b"\n".join((_compact(head_of(key)), index, b"".join((*bodies, *parts))))


def _sizes(parts: Iterable[bytes]) -> str:
    return " ".join(str(len(part)) for part in parts)


def simple_fields(rule: Rule) -> dict[str, Any]:
    """Return what of a rule is one word, number or text, under the names of a rule file."""
    return {
        "code": rule.code,
        "name": rule.name,
        "label": rule.label,
        "title": rule.title,
        "summary": rule.summary,
        "severity": rule.severity.value,
        "confidence": rule.confidence.value,
        "stage": rule.stage.value if rule.stage else None,
        "role": rule.role.value,
        "weight": rule.weight,
        "carrier": rule.carrier.value,
    }


def _search_data(rule: Rule) -> list[Any]:
    return [rule.versions, _condition_data(rule.when), [_condition_data(condition) for condition in rule.unless]]


def _rest_data(rule: Rule) -> dict[str, Any]:
    return {
        **simple_fields(rule),
        "handles": _handles_data(rule.handles) if rule.handles else None,
        "explanation": rule.explanation,
        "fixes": [_fix_data(fix) for fix in rule.fixes],
        "not_helpful": [[item.advice, item.why] for item in rule.not_helpful],
        "references": rule.references,
        "matches": rule.matches,
        "rejects": rule.rejects,
        "aliases": rule.aliases,
    }


def _handles_data(handles: Handles) -> list[Any]:
    only, unless = (pattern and _pattern_data(pattern) for pattern in (handles.only, handles.unless))
    since = [_pattern_data(pattern) for pattern in handles.since]
    return [handles.severity.value, handles.before, handles.after, only, unless, handles.quiet, since]


def _fix_data(fix: FixTemplate) -> list[Any]:
    return [
        fix.id,
        fix.title,
        fix.kind.value,
        fix.risk.value,
        fix.needs_root,
        fix.commands,
        fix.proven,
        fix.unproven,
    ]


def _condition_data(condition: Condition) -> list[Any]:
    if isinstance(condition, AnyOf):
        return ["any", *(_condition_data(member) for member in condition.conditions)]
    if isinstance(condition, AllOf):
        return ["all", *(_condition_data(member) for member in condition.conditions)]
    if isinstance(condition, Not):
        return ["not", _condition_data(condition.condition)]
    place = condition.place
    return [
        condition.kind.value,
        [[name, _pattern_data(pattern)] for name, pattern in condition.patterns],
        condition.choices,
        [kind.value for kind in condition.said_in],
        condition.at_least,
        _place_data(place) if place else None,
        condition.grows,
    ]


def _place_data(place: Place) -> list[Any]:
    return [place.within, place.before, place.after, place.same.value if place.same else None, place.root]


def _pattern_data(pattern: Pattern) -> list[Any]:
    return [pattern.source, pattern.literals, pattern.ignore_case, pattern.newlines]


def _compact(data: object) -> bytes:
    return json.dumps(data, separators=(",", ":")).encode("ascii")
