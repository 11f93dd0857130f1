"""The fixes for the recompiles of a trace: each kind of guard has a rule that knows it."""

from __future__ import annotations

from collections.abc import Iterator

from tracelens.engine.environment import Machine, environment_captures
from tracelens.engine.fixes import fit_fixes
from tracelens.expressions import expression
from tracelens.record import replace
from tracelens.ruleset.compiled import RuleSet
from tracelens.ruleset.model import AllOf, AnyOf, Condition, Kind, Leaf, Rule
from tracelens.timeline import RecompileFix, RecompileGroup, Timeline

_CODES = "TL30", "TL31"
_SETTING = expression(r"\btorch\._dynamo\.(?:config|decorators)\.\w+")


def fit_timeline(timeline: Timeline, ruleset: RuleSet, machine: Machine) -> Timeline:
    """Return a timeline whose recompiles have the fixes that fit their kind of guard."""
    if not timeline.recompiles:
        return timeline
    rules = _rules_by_guard(ruleset)
    return replace(timeline, recompiles=tuple(_fitted(group, rules, machine) for group in timeline.recompiles))


def _rules_by_guard(ruleset: RuleSet) -> dict[str, Rule]:
    """Return the first rule for recompiles of each kind of guard; their codes are those of dynamic shapes."""
    found: dict[str, Rule] = {}
    for entry in ruleset.entries:
        if entry.code.startswith(_CODES):
            for kind in _guard_kinds(entry.rule.when):
                found.setdefault(kind, entry.rule)
    return found


def _guard_kinds(condition: Condition) -> Iterator[str]:
    if isinstance(condition, Leaf):
        if condition.kind is Kind.RECOMPILE:
            yield from (str(kind) for field, kinds in condition.choices if field == "kind" for kind in kinds)
    elif isinstance(condition, AnyOf | AllOf):
        for member in condition.conditions:
            yield from _guard_kinds(member)


def _fitted(group: RecompileGroup, rules: dict[str, Rule], machine: Machine) -> RecompileGroup:
    rule = rules.get(group.guard_kind)
    if rule is None:
        return group
    captures = {**environment_captures(machine), **_captures(group)}
    fixes = [
        RecompileFix(id=fix.id, title=fix.title, commands=fix.commands) for fix in fit_fixes(rule, captures, machine)
    ]
    # What torch itself advises for this guard, and what names the very thing that changed, is better than the rest.
    named = [*_SETTING.findall(group.hint or ""), *([group.subject] if group.subject else ())]
    fixes.sort(key=lambda fix: not any(name in command for command in fix.commands for name in named))
    return replace(group, code=rule.code, fixes=tuple(fixes))


def _captures(group: RecompileGroup) -> dict[str, str]:
    known = {
        "guard": group.guard,
        "kind": group.guard_kind,
        # What Dynamo itself has named is no variable of the program.
        "source": None if group.subject and group.subject.startswith("___") else group.subject,
        "dimension": None if group.dimension is None else str(group.dimension),
        "function": group.function,
        "expected": group.values[0] if group.values else None,
        "actual": group.values[-1] if len(group.values) > 1 else None,
    }
    return {name: value for name, value in known.items() if value}
