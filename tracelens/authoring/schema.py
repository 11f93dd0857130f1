"""The JSON Schema of a rule file, made from what the reader of rule files goes by.

It is for editors: whatever it refuses the reader refuses too. The reader knows
more, such as which patterns run in linear time and which captures there are.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tracelens.findings import Confidence, FixKind, Risk, Role, Severity, Stage
from tracelens.ruleset.linear import MAX_LENGTH
from tracelens.ruleset.model import SAYING, Carrier, Examples, Kind, Same
from tracelens.ruleset.read_condition import GROUPS
from tracelens.ruleset.read_rule import (
    CASE,
    CODE,
    FIX_KEYS,
    FIX_REQUIRED,
    HANDLED_AS,
    HANDLES_KEYS,
    KEYS,
    LONGEST_EXAMPLE,
    NAME,
    REQUIRED,
    URL,
)
from tracelens.ruleset.versions import SUBJECTS
from tracelens.ruleset.vocabulary import FIELDS, PLATFORMS, Field, FieldType
from tracelens.typed import Enum

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_TEXT: dict[str, Any] = {"type": "string", "minLength": 1}
_NUMBER: dict[str, Any] = {"type": "integer", "minimum": 0}
_FLAG: dict[str, Any] = {"type": "boolean"}
_PATTERN: dict[str, Any] = {"type": "string", "minLength": 1, "maxLength": MAX_LENGTH, "format": "regex"}
_CONDITION: dict[str, Any] = {"$ref": "#/$defs/condition"}


def rule_schema(labels: Iterable[str]) -> dict[str, Any]:
    """Return the schema of a rule file with some labels."""
    properties = {**_plain_properties(labels), **_nested_properties()}
    return {
        "$schema": _DIALECT,
        "title": "A rule of tracelens",
        **_object({key: properties[key] for key in KEYS}, required=REQUIRED),
        "$defs": {"condition": _condition()},
    }


def _plain_properties(labels: Iterable[str]) -> dict[str, Any]:
    return {
        "code": _matching(CODE.pattern),
        "name": _matching(NAME.pattern),
        "label": {"enum": list(labels)},
        "title": _TEXT,
        "summary": _TEXT,
        "severity": _one_of(Severity),
        "confidence": _one_of(Confidence),
        "stage": {"enum": [*(stage.value for stage in Stage), None]},
        "role": _one_of(Role),
        "weight": {"type": "integer", "minimum": -1000, "maximum": 1000},
        "carrier": _one_of(Carrier),
        "versions": _object(dict.fromkeys(SUBJECTS, _TEXT)),
        "explanation": _TEXT,
        "aliases": _list(_matching(NAME.pattern), unique=True),
        "references": _list(_matching(URL.pattern), unique=True),
        "matches": _list(_matching(CASE.pattern), unique=True),
        "rejects": _list(_matching(CASE.pattern), unique=True),
    }


def _nested_properties() -> dict[str, Any]:
    kinds = {"enum": list(HANDLED_AS)}, _NUMBER, _NUMBER, _PATTERN, _FLAG, _list(_PATTERN), _PATTERN
    handles = dict(zip(HANDLES_KEYS, kinds, strict=True))
    example = {**_TEXT, "maxLength": LONGEST_EXAMPLE}
    return {
        "when": _CONDITION,
        "unless": _list(_CONDITION),
        "handles": _object(handles, required=HANDLES_KEYS[:1]),
        "fixes": _list(_fix()),
        "not_helpful": _list(_object({"advice": _TEXT, "why": _TEXT}, required=("advice", "why"))),
        "examples": _object(dict.fromkeys(Examples._fields, _list(example, unique=True))),
    }


def _fix() -> dict[str, Any]:
    commands = {"anyOf": [_TEXT, _list(_TEXT)]}
    properties = {
        "id": _matching(NAME.pattern),
        "title": _TEXT,
        "kind": _one_of(FixKind),
        "risk": _one_of(Risk),
        "needs_root": _FLAG,
        "commands": {**_object(dict.fromkeys(PLATFORMS, commands)), "minProperties": 1},
        "proven": _matching(CASE.pattern),
        "unproven": _TEXT,
    }
    proof = [{"required": ["proven"]}, {"required": ["unproven"]}]
    return {**_object({key: properties[key] for key in FIX_KEYS}, required=FIX_REQUIRED), "oneOf": proof}


def _condition() -> dict[str, Any]:
    place = {"within": _NUMBER, "before": _FLAG, "after": _FLAG, "same": _one_of(Same), "root": _FLAG}
    members = {"any": _filled(_CONDITION), "all": _filled(_CONDITION), "not": _CONDITION}
    groups = [_object({name: members[name], **place}, required=(name,)) for name in GROUPS]
    count = {"type": "integer", "minimum": 1}
    often = {"count": count, "grows": _TEXT}
    leaves = [_object({kind.value: _leaf(kind), **often, **place}, required=(kind.value,)) for kind in FIELDS]
    return {"oneOf": [*groups, *leaves]}


def _leaf(kind: Kind) -> dict[str, Any]:
    if kind is not Kind.SAID:
        return _object({name: _field(field) for name, field in FIELDS[kind].items()})
    kinds = _list({"enum": [saying.value for saying in SAYING]})
    spelled = _object({"pattern": _PATTERN, "in": kinds, "not_in": kinds}, required=("pattern",))
    return {"anyOf": [_PATTERN, {**spelled, "not": {"required": ["in", "not_in"]}}]}


def _field(field: Field) -> dict[str, Any]:
    number = {"type": "integer"}
    if field.type is FieldType.FLAG:
        return _FLAG
    if field.type is FieldType.PRESENCE:
        return {"anyOf": [_FLAG, _PATTERN, _list(_TEXT)]}
    if field.type is FieldType.NUMBERS:
        return {"anyOf": [number, _list(number)]}
    if field.type is FieldType.CHOICE:
        word = {"enum": list(field.allowed)}
        return _list(word) if field.listed else {"anyOf": [word, _list(word)]}
    return {"anyOf": [_PATTERN, _list(_TEXT)]}


def _object(properties: dict[str, Any], *, required: Iterable[str] = ()) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object", "additionalProperties": False, "properties": properties}
    return {**schema, "required": list(required)} if required else schema


def _list(item: dict[str, Any], *, unique: bool = False) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "array", "items": item}
    return {**schema, "uniqueItems": True} if unique else schema


def _filled(item: dict[str, Any]) -> dict[str, Any]:
    return {**_list(item), "minItems": 1}


def _matching(pattern: str) -> dict[str, Any]:
    return {"type": "string", "pattern": f"^(?:{pattern})$"}


def _one_of(members: type[Enum]) -> dict[str, Any]:
    return {"enum": [member.value for member in members]}
