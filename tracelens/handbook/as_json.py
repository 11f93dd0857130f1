"""A page of the handbook as one JSON object."""

from __future__ import annotations

from typing import Any

from tracelens.findings import SCHEMA_VERSION
from tracelens.handbook.topic import Block, Topic
from tracelens.report.harmless import json_text
from tracelens.ruleset.spelling import spell_rule


def render_topic_json(topic: Topic) -> str:
    """Return a page; of a rule with everything that its file says."""
    data: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "kind": topic.kind.value,
        "name": topic.name,
        "title": topic.title,
        "facts": list(topic.facts),
        "sections": [
            {"heading": section.heading, "blocks": [_block_data(block) for block in section.blocks]}
            for section in topic.sections
        ],
        "rule": spell_rule(topic.rule) if topic.rule else None,
    }
    return json_text(data)


def _block_data(block: Block) -> dict[str, str]:
    data = {"kind": block.kind.value, "text": block.text}
    return {**data, "note": block.note} if block.note else data
