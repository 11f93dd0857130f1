"""Rules as JSON data: what YAML became after it was found sound.

Reading hundreds of YAML files costs more than reading a log. The wheel therefore
carries this form, and a checkout keeps it in the user's cache. It is data
only; whoever can write it can change what tracelens says, never what it runs.
The first line tells what it is. The second holds the gates of all rules, and
the codes and sizes of what follows: each rule, read only when a gate opens,
and its anchors.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable

from tracelens import __version__
from tracelens.findings import Confidence, FixKind, NotHelpful, Risk, Role, Severity, Stage
from tracelens.ruleset.gates import Gate, GateGroup, find_gates, group_gates
from tracelens.ruleset.model import (
    AllOf,
    AnyOf,
    Carrier,
    Condition,
    FixTemplate,
    Handles,
    Kind,
    Leaf,
    Not,
    Place,
    Rule,
    Same,
)
from tracelens.ruleset.patterns import Literal, Pattern
from tracelens.typed import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path  # its import costs a start-up what all the gates do

#: Raised whenever the shape below changes, so that an old file is never misread.
FORMAT = 12


class StaleError(Exception):
    """Compiled rules of another version, or a file that is not ours."""


def fingerprint(files: Iterable[str]) -> str:
    """Return what changes when our version, or the name, size or time of any of the files does.

    Raises ``OSError`` for a file that is not there.
    """
    parts = [__version__, str(FORMAT)]
    for path in files:
        status = os.stat(path)
        parts.append(f"{os.path.basename(path)} {status.st_size} {status.st_mtime_ns}")
    return "\n".join(parts)


def write_bundle(*, rules: Path, taxonomy: Path, target: Path) -> None:
    """Write the compiled rules of a folder to a file; for building the wheel.

    Raises ``RuleFileError`` with every problem when a rule is not sound.
    """
    from tracelens.ruleset.load import load_folders, load_labels  # YAML belongs to the build, not to the start-up

    loaded = load_folders([rules], labels=load_labels(taxonomy), foreign=False)
    target.write_bytes(dump(loaded, key=""))


class Entry:
    """One rule that may not have been read yet."""

    __slots__ = ("_anchors", "_data", "_gates", "_rule", "code")

    def __init__(
        self,
        *,
        code: str,
        gates: tuple[Gate, ...] | None = None,
        rule: Rule | None = None,
        data: bytes = b"",
        anchors: bytes = b"[]",
    ) -> None:
        """Take the rule itself, or the texts that hold it and its anchors."""
        self.code = code
        self._gates = gates
        self._rule = rule
        self._data = data
        self._anchors = anchors

    @property
    def gates(self) -> tuple[Gate, ...]:
        """Return what must be in a log; reads the rule if they were not given."""
        return find_gates(self.rule.when) if self._gates is None else self._gates

    @property
    def rule(self) -> Rule:
        """Return the rule; the first time this reads it."""
        if self._rule is None:
            self._rule = _rule(json.loads(self._data))
        return self._rule

    @property
    def anchors(self) -> tuple[str, ...]:
        """Return expressions for lines that the scan of a large log must not pass over."""
        if self._rule is None or self._data:
            return tuple(json.loads(self._anchors))
        from tracelens.ruleset.triggers import find_anchors

        return find_anchors(self._rule)


class RuleSet:
    """Rules in order of their codes; each code stands there once."""

    __slots__ = ("entries", "gates")

    def __init__(self, entries: Iterable[Entry], *, gates: Iterable[GateGroup] | None = None) -> None:
        """Take entries in any order, or in that of their codes with their ``gates``."""
        self.entries = tuple(sorted(entries, key=lambda entry: entry.code))
        self.gates = group_gates(entry.gates for entry in self.entries) if gates is None else tuple(gates)

    @property
    def rules(self) -> tuple[Rule, ...]:
        """Return every rule; reads all of them."""
        return tuple(entry.rule for entry in self.entries)

    @property
    def anchors(self) -> tuple[str, ...]:
        """Return what the scan has to look for so that no rule is deaf, each once."""
        return tuple(dict.fromkeys(anchor for entry in self.entries for anchor in entry.anchors))


def entries_of(rules: Iterable[Rule]) -> tuple[Entry, ...]:
    """Return entries for rules that have been read."""
    return tuple(Entry(code=rule.code, rule=rule) for rule in rules)


def dump(rules: Iterable[Rule], *, key: str) -> bytes:
    """Return rules as lines of JSON; ``key`` is the fingerprint of the files they came from."""
    # Deriving anchors is for builds: what is dumped here has them.
    from tracelens.ruleset.triggers import find_anchors

    rules = sorted(rules, key=lambda rule: rule.code)
    sizes: list[tuple[str, int, int]] = []
    bodies: list[bytes] = []
    for rule in rules:
        data, anchors = _compact(_rule_data(rule)), _compact(find_anchors(rule))
        sizes.append((rule.code, len(data), len(anchors)))
        bodies += (data, anchors)
    head = _compact({"format": FORMAT, "version": __version__, "key": key})
    index = _compact([group_gates(find_gates(rule.when) for rule in rules), sizes])
    return b"\n".join((head, index, b"".join(bodies)))


def undump(content: bytes, *, key: str) -> RuleSet:
    """Return the rules of such lines; raises ``StaleError`` if they are not those wanted."""
    head, _, rest = content.partition(b"\n")
    index, _, bodies = rest.partition(b"\n")
    entries: list[Entry] = []
    place = 0
    try:
        if json.loads(head) != {"format": FORMAT, "version": __version__, "key": key}:
            raise StaleError
        groups, sizes = json.loads(index)
        for code, size, anchors_size in sizes:
            end = place + size
            entries.append(Entry(code=code, data=bodies[place:end], anchors=bodies[end : end + anchors_size]))
            place = end + anchors_size
        gates = [GateGroup(*group) for group in groups]
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise StaleError from error
    if place != len(bodies):
        raise StaleError
    return RuleSet(entries, gates=gates)


def _compact(data: object) -> bytes:
    return json.dumps(data, separators=(",", ":")).encode("ascii")


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


def _rule_data(rule: Rule) -> dict[str, Any]:
    return {
        **simple_fields(rule),
        "versions": rule.versions,
        "when": _condition_data(rule.when),
        "unless": [_condition_data(condition) for condition in rule.unless],
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
    only, since = handles.only and _pattern_data(handles.only), [_pattern_data(pattern) for pattern in handles.since]
    return [handles.severity.value, handles.before, handles.after, only, handles.quiet, since]


def _handles(severity: str, before: int, after: int, only: list[Any] | None, *others: Any) -> Handles:  # noqa: ANN401  # as stored
    quiet, since = others
    return Handles(
        severity=Severity(severity),
        before=before,
        after=after,
        only=_pattern(*only) if only else None,
        quiet=quiet,
        since=tuple(_pattern(*start) for start in since),
    )


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
        [place.within, place.before, place.after, place.same.value if place.same else None] if place else None,
    ]


def _rule(data: dict[str, Any]) -> Rule:
    return Rule(
        code=data["code"],
        name=data["name"],
        label=data["label"],
        title=data["title"],
        summary=data["summary"],
        severity=Severity(data["severity"]),
        confidence=Confidence(data["confidence"]),
        stage=Stage(data["stage"]) if data["stage"] else None,
        role=Role(data["role"]),
        weight=data["weight"],
        carrier=Carrier(data["carrier"]),
        versions=tuple((name, bounds) for name, bounds in data["versions"]),
        when=_condition(data["when"]),
        unless=tuple(_condition(entry) for entry in data["unless"]),
        handles=_handles(*data["handles"]) if data["handles"] else None,
        explanation=data["explanation"],
        fixes=tuple(_fix(entry) for entry in data["fixes"]),
        not_helpful=tuple(NotHelpful(advice=advice, why=why) for advice, why in data["not_helpful"]),
        references=tuple(data["references"]),
        matches=tuple(data["matches"]),
        rejects=tuple(data["rejects"]),
        aliases=tuple(data["aliases"]),
    )


def _fix(data: list[Any]) -> FixTemplate:
    identity, title, kind, risk, needs_root, commands, proven, unproven = data
    return FixTemplate(
        id=identity,
        title=title,
        kind=FixKind(kind),
        risk=Risk(risk),
        needs_root=needs_root,
        commands=tuple((platform, tuple(lines)) for platform, lines in commands),
        proven=proven,
        unproven=unproven,
    )


def _condition(data: list[Any]) -> Condition:
    name = data[0]
    if name == "any":
        return AnyOf(conditions=tuple(_condition(member) for member in data[1:]))
    if name == "all":
        return AllOf(conditions=tuple(_condition(member) for member in data[1:]))
    if name == "not":
        return Not(condition=_condition(data[1]))
    _, patterns, choices, said_in, at_least, place = data
    return Leaf(
        kind=Kind(name),
        patterns=tuple((field, _pattern(*pattern)) for field, pattern in patterns),
        choices=tuple((field, tuple(values)) for field, values in choices),
        said_in=tuple(map(Kind, said_in)),
        at_least=at_least,
        place=_place(*place) if place else None,
    )


def _pattern_data(pattern: Pattern) -> list[Any]:
    return [pattern.source, pattern.literals, pattern.ignore_case, pattern.newlines]


def _pattern(source: str, literals: list[list[Any]], ignore_case: bool, newlines: int) -> Pattern:  # noqa: FBT001  # as stored
    found = tuple(Literal(text, tuple(words), part) for text, words, part in literals)
    return Pattern(source, literals=found, ignore_case=ignore_case, newlines=newlines)


def _place(within: int | None, before: bool, after: bool, same: str | None) -> Place:  # noqa: FBT001  # as stored
    return Place(within=within, before=before, after=after, same=Same(same) if same else None)
