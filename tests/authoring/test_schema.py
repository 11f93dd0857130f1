"""The schema takes what the reader takes, and refuses what the reader refuses."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest
import yaml

from tests.command import REPOSITORY
from tests.ruleset.rule_text import FILE, SOUND, changed
from tracelens.authoring.schema import rule_schema
from tracelens.ruleset.load import bundled_taxonomy, load_labels
from tracelens.ruleset.read_rule import KEYS, read_rule
from tracelens.ruleset.vocabulary import FIELDS

LABELS = load_labels(bundled_taxonomy())
SCHEMA = rule_schema(LABELS)
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def complaints(document: Any) -> list[str]:
    return [error.message for error in VALIDATOR.iter_errors(document)]


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("file", sorted((REPOSITORY / "rules").glob("*.yml")), ids=lambda file: file.stem)
def test_our_rules_keep_to_it(file):
    assert complaints(yaml.safe_load(file.read_text(encoding="utf-8"))) == []


def test_it_knows_every_key_and_every_kind_of_condition():
    assert tuple(SCHEMA["properties"]) == KEYS
    named = {name for way in SCHEMA["$defs"]["condition"]["oneOf"] for name in way["required"]}
    assert {kind.value for kind in FIELDS} | {"any", "all", "not"} == named


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("code: TL101", "code: tl101"),
        ("severity: fatal", "severity: deadly"),
        ("stage: cpp", "stage: c"),
        ("label: toolchain/cxx-missing", "label: toolchain/none"),
        ("    needs_root: true", "    needs_root: maybe"),
        ("    proven: lab/2.13.0/fix-cxx", "    proven: lab/2.13.0/fix-cxx\n    unproven: both"),
        ("    proven: lab/2.13.0/fix-cxx\n", ""),
        ("references: [https", "references: [ftp"),
        ("      debian: sudo", "      ubuntu: sudo"),
        ("    - exception: {type: 'InvalidCxxCompiler$'}", "    - exception: {kind: 'InvalidCxxCompiler$'}"),
        ("    - exception: {type: 'InvalidCxxCompiler$'}", "    - exception: {owner: [us]}"),
        ("    - exception: {type: 'InvalidCxxCompiler$'}", "    - diagnostic: {severity: error}"),
        ("    - exception: {type: 'InvalidCxxCompiler$'}", "    - {exception: {}, said: 'x y z'}"),
        ("    - exception: {type: 'InvalidCxxCompiler$'}", "    - any: []"),
        ("    - exception: {type: 'InvalidCxxCompiler$'}", "    - said: {pattern: abc, in: [text], not_in: [text]}"),
        ("    - exception: {type: 'InvalidCxxCompiler$'}", "    - {exit: {}, count: 0}"),
        ("explanation: Inductor", "explanations: Inductor"),
        ("not_helpful:\n  - advice: clearing the cache\n    why: nothing was built yet.", "not_helpful: [cache]"),
        ("rejects: [lab/2.13.0/mlp]", "rejects: [lab/2.13.0/mlp, lab/2.13.0/mlp]"),
        ("rejects: [lab/2.13.0/mlp]", "examples: {good: ['a']}"),
    ],
)
def test_what_it_refuses_the_reader_refuses_too(old, new):
    text = changed(old, new)
    assert complaints(yaml.safe_load(text)) != []
    assert read_rule(text.encode(), file=FILE, labels=LABELS, foreign=False)[1] != ()


def test_the_sound_rule_is_taken_by_both():
    assert complaints(yaml.safe_load(SOUND)) == []
    assert read_rule(SOUND.encode(), file=FILE, labels=LABELS, foreign=False)[1] == ()
