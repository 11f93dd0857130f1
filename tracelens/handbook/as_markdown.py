"""A page of the handbook as Markdown, for a wiki, a ticket or an answer to a colleague."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tracelens.expressions import expression
from tracelens.handbook.topic import Block, BlockKind, Topic
from tracelens.report.harmless import harmless, harmless_line

_ACTIVE = expression(r"[\\`*_\[\]<>|]")
_TICKS = expression(r"`+")
#: What GitHub would turn into a mention or a link to an issue.
_REFERENCE = expression(r"(?<![\w/])([@#])(?=\w)")


def render_topic_markdown(topic: Topic) -> str:
    """Return a page as Markdown; nothing in it acts."""
    parts = [f"# {_plain(topic.title)}"]
    if topic.facts:
        parts.append(" · ".join(map(_plain, topic.facts)))
    for section in topic.sections:
        parts.append(f"## {_plain(section.heading)}")
        parts += _blocks(section.blocks)
    return "\n\n".join(parts) + "\n"


def _blocks(blocks: tuple[Block, ...]) -> Iterator[str]:
    for block in blocks:
        if block.kind is BlockKind.PROSE:
            yield _plain(block.text)
        elif block.kind is BlockKind.ITEM:
            yield f"- {_plain(block.text)}" + (f": {_plain(block.note)}" if block.note else "")
        elif block.kind is BlockKind.LINK:
            yield f"- <{harmless_line(block.text).replace('>', '%3E')}>"
        elif block.kind is BlockKind.LOG:
            yield _fenced(block.text, "text")
        else:
            yield (f"{_plain(block.note)}:\n\n" if block.note else "") + _fenced(block.text, "sh")


def _fenced(text: str, language: str) -> str:
    text = harmless(text)
    longest = max((len(ticks) for ticks in _TICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def _plain(text: str) -> str:
    def escape(match: re.Match[str]) -> str:
        return {"<": "&lt;", ">": "&gt;"}.get(match[0], f"\\{match[0]}")

    escaped = _ACTIVE.sub(escape, harmless_line(text))
    return _REFERENCE.sub("\\1\u2060", escaped)
