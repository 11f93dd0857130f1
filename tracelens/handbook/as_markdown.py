"""A page of the handbook as Markdown, for a wiki, a ticket or an answer to a colleague."""

from __future__ import annotations

from collections.abc import Iterator

from tracelens.handbook.topic import Block, BlockKind, Topic
from tracelens.report.harmless import harmless_line
from tracelens.report.markdown_text import fence, prose


def render_topic_markdown(topic: Topic) -> str:
    """Return a page as Markdown; nothing in it acts."""
    parts = [f"# {prose(topic.title)}"]
    if topic.facts:
        parts.append(" · ".join(map(prose, topic.facts)))
    for section in topic.sections:
        parts.append(f"## {prose(section.heading)}")
        parts += _blocks(section.blocks)
    return "\n\n".join(parts) + "\n"


def _blocks(blocks: tuple[Block, ...]) -> Iterator[str]:
    for block in blocks:
        if block.kind is BlockKind.PROSE:
            yield prose(block.text)
        elif block.kind is BlockKind.ITEM:
            yield f"- {prose(block.text)}" + (f": {prose(block.note)}" if block.note else "")
        elif block.kind is BlockKind.LINK:
            yield f"- <{harmless_line(block.text).replace('>', '%3E')}>"
        elif block.kind is BlockKind.LOG:
            yield fence(block.text)
        else:
            yield (f"{prose(block.note)}:\n\n" if block.note else "") + fence(block.text, "sh")
