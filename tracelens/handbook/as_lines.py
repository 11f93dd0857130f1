"""A page of the handbook laid out for a terminal: styled lines of a given width."""

from __future__ import annotations

from collections.abc import Iterator

from tracelens.handbook.topic import Block, BlockKind, Topic
from tracelens.report.harmless import harmless, harmless_line
from tracelens.report.layout import Layout, StyledLine
from tracelens.report.wrap import wrap

_INDENT = "  "


def lay_out_topic(topic: Topic, layout: Layout) -> list[StyledLine]:
    """Return a page line by line; only commands may be wider than the layout, since they are there to be copied."""
    lines: list[StyledLine] = [(("bold", row),) for row in wrap(harmless_line(topic.title), layout.width)]
    facts = layout.symbols.separator.join(map(harmless_line, topic.facts))
    lines += [(("dim", row),) for row in wrap(facts, layout.width)] if facts else []
    for section in topic.sections:
        lines += [(), (("label", section.heading),)]
        for block in section.blocks:
            lines += _block(block, layout)
    return lines


def _block(block: Block, layout: Layout) -> Iterator[StyledLine]:
    if block.kind is BlockKind.PROSE:
        yield from _rows(_INDENT, harmless_line(block.text), layout, "plain")
    elif block.kind is BlockKind.ITEM:
        note = f": {harmless_line(block.note)}" if block.note else ""
        yield from _rows(f"{_INDENT}- ", f"{harmless_line(block.text)}{note}", layout, "plain")
    elif block.kind is BlockKind.LINK:
        yield (("plain", f"{_INDENT}{harmless_line(block.text)}"),)
    elif block.kind is BlockKind.LOG:
        gutter = f"{_INDENT}{layout.symbols.gutter} "
        for line in harmless(block.text).split("\n"):
            yield from _rows(gutter, line, layout, "evidence", later=gutter)
    else:
        note = f"   # {harmless_line(block.note)}" if block.note else ""
        for number, line in enumerate(harmless(block.text).split("\n")):
            yield (("plain", f"{_INDENT}    "), ("command", line), ("dim", note if number == 0 else ""))


def _rows(head: str, text: str, layout: Layout, style: str, *, later: str | None = None) -> Iterator[StyledLine]:
    """Yield the rows of a text; all but the first begin with ``later``, or with as many blanks as the head is wide."""
    for number, row in enumerate(wrap(text, layout.width - len(head))):
        yield (("dim", head if number == 0 else later or " " * len(head)), (style, row))
