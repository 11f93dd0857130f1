"""A rule spelled out again as its file would have it, for people and for programs.

Reading what this gives yields the same rule. Places that a group handed down
stand at each member, and patterns stand as they are searched.
"""

from __future__ import annotations

from typing import Any

from tracelens.ruleset.dump import simple_fields
from tracelens.ruleset.model import AllOf, AnyOf, Condition, FixTemplate, Handles, Kind, Leaf, Not, Place, Rule
from tracelens.ruleset.vocabulary import FIELDS, FieldType

_SINGLE = (FieldType.FLAG, FieldType.PRESENCE)


def spell_rule(rule: Rule) -> dict[str, Any]:
    """Return a rule as plain data, in the order in which rule files are written; what is not set is left out."""
    spelled: dict[str, Any] = {
        "code": rule.code,
        "name": rule.name,
        "aliases": list(rule.aliases),
        **simple_fields(rule),
        "versions": dict(rule.versions),
        "when": spell_condition(rule.when),
        "unless": [spell_condition(condition) for condition in rule.unless],
        "handles": _spell_handles(rule.handles) if rule.handles else None,
        "explanation": rule.explanation,
        "fixes": [_spell_fix(fix) for fix in rule.fixes],
        "not_helpful": [{"advice": entry.advice, "why": entry.why} for entry in rule.not_helpful],
        "references": list(rule.references),
        "matches": list(rule.matches),
        "rejects": list(rule.rejects),
        "examples": {name: list(texts) for name, texts in rule.examples._asdict().items() if texts},
    }
    return {key: value for key, value in spelled.items() if value not in (None, [], {})}


def spell_condition(condition: Condition) -> dict[str, Any]:
    """Return a condition as a rule file has it."""
    if isinstance(condition, AnyOf):
        return {"any": [spell_condition(member) for member in condition.conditions]}
    if isinstance(condition, AllOf):
        return {"all": [spell_condition(member) for member in condition.conditions]}
    if isinstance(condition, Not):
        return {"not": spell_condition(condition.condition)}
    spelled: dict[str, Any] = {condition.kind.value: spell_leaf(condition)}
    if condition.at_least != 1:
        spelled["count"] = condition.at_least
    if condition.grows:
        spelled["grows"] = condition.grows
    return {**spelled, **(spell_place(condition.place) if condition.place else {})}


def spell_leaf(leaf: Leaf) -> Any:  # noqa: ANN401  # a text or keys and values, as files have it
    """Return what stands under the kind of a leaf."""
    if leaf.kind is Kind.SAID:
        source = leaf.patterns[0][1].source
        return {"pattern": source, "in": [kind.value for kind in leaf.said_in]} if leaf.said_in else source
    fields: dict[str, Any] = {name: pattern.source for name, pattern in leaf.patterns}
    for name, wanted in leaf.choices:
        alone = FIELDS[leaf.kind][name].type in _SINGLE and isinstance(wanted[0], bool)
        fields[name] = wanted[0] if alone else list(wanted)
    return fields


def spell_place(place: Place) -> dict[str, Any]:
    """Return where an event must stand, as a rule file says it."""
    spelled: dict[str, Any] = {} if place.within is None else {"within": place.within}
    spelled |= {name: True for name in ("before", "after", "root") if getattr(place, name)}
    if place.same:
        spelled["same"] = place.same.value
    return spelled or {"before": False}


def _spell_handles(handles: Handles) -> dict[str, Any]:
    spelled: dict[str, Any] = {"as": handles.severity.value, "before": handles.before, "after": handles.after}
    spelled |= {key: pattern.source for key in ("only", "unless") if (pattern := getattr(handles, key))}
    if handles.since:
        spelled["since"] = [pattern.source for pattern in handles.since]
    return {**spelled, "quiet": True} if handles.quiet else spelled


def _spell_fix(fix: FixTemplate) -> dict[str, Any]:
    spelled: dict[str, Any] = {
        "id": fix.id,
        "title": fix.title,
        "kind": fix.kind.value,
        "risk": fix.risk.value,
        "needs_root": fix.needs_root,
        "commands": {platform: list(lines) for platform, lines in fix.commands},
    }
    return {**spelled, "proven": fix.proven} if fix.proven else {**spelled, "unproven": fix.unproven}
