"""One page of the handbook: sections of blocks, the same for every format."""

from __future__ import annotations

from tracelens.record import Record
from tracelens.ruleset.model import Rule
from tracelens.typed import Enum


class TopicKind(Enum):
    """What a page is about."""

    RULE = "rule"
    LABEL = "label"
    CAUSE = "cause"
    MODE = "mode"
    OVERVIEW = "overview"


class BlockKind(Enum):
    """How a block is to be read: ``LOG`` is what software printed, ``COMMAND`` is to be typed."""

    PROSE = "prose"
    ITEM = "item"
    LOG = "log"
    COMMAND = "command"
    LINK = "link"


class Block(Record):
    """A piece of a section; ``note`` says what to know of it."""

    kind: BlockKind
    text: str
    note: str = ""


class Section(Record):
    """A heading and what stands under it."""

    heading: str
    blocks: tuple[Block, ...]


class Topic(Record):
    """A page; ``rule`` is there when it is about one."""

    kind: TopicKind
    name: str
    title: str
    facts: tuple[str, ...] = ()
    sections: tuple[Section, ...] = ()
    rule: Rule | None = None


def prose(text: str) -> Block:
    """Return a paragraph."""
    return Block(kind=BlockKind.PROSE, text=text)


def item(text: str, note: str = "") -> Block:
    """Return one entry of a list."""
    return Block(kind=BlockKind.ITEM, text=text, note=note)


def command(text: str, note: str = "") -> Block:
    """Return something to be typed."""
    return Block(kind=BlockKind.COMMAND, text=text, note=note)


def log(text: str) -> Block:
    """Return what software prints."""
    return Block(kind=BlockKind.LOG, text=text)


def link(text: str) -> Block:
    """Return an address on the web."""
    return Block(kind=BlockKind.LINK, text=text)
