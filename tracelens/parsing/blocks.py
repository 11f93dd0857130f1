r"""Blocks: runs of lines that are read on their own, as a text of their own.

The strand itself is one. So is the message of a log record whose header
stands on every line, and a traceback that somebody indented as a whole. A
block knows for each of its lines where that line stood in the input, so what
is found in the deepest block still has true line numbers. An odd line costs
its own block only.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tracelens.events import RecordHeader
from tracelens.expressions import expression
from tracelens.text import Process, Span, Strand
from tracelens.typed import TYPE_CHECKING, TypeAlias, cache

if TYPE_CHECKING:
    from tracelens.parsing.stretches import Stretch

#: Blocks inside blocks; deeper ones are plain text.
MAX_DEPTH = 4


#: One compiler message in a text: where the lines begin that lead to its headline, where the headline, the source
#: that it quotes, where that ends; and the number of lines before the headline.
Group: TypeAlias = tuple[int, int, int, int, int]


class Block:
    """Lines of text with their line numbers, and what is known about all of them.

    ``text`` is the lines, each ended by one newline. ``diagnostics`` holds the
    runs of compiler messages found in it so far, by the offset they begin at;
    each is made of stretches that begin at an offset. ``floods`` holds the kind
    of the lines of each run of others.
    """

    __slots__ = ("depth", "diagnostics", "first_lines", "floods", "last_lines", "process", "record", "size", "text")

    def __init__(  # noqa: PLR0913 - a record of what it is, all by keyword
        self,
        *,
        text: str,
        first_lines: Sequence[int],
        last_lines: Sequence[int],
        process: Process | None = None,
        record: RecordHeader | None = None,
        depth: int = 0,
    ) -> None:
        """Take the lines as they are; see ``cleaned`` for what should be done before."""
        self.text = text
        self.size = len(text)
        self.first_lines = first_lines
        self.last_lines = last_lines
        self.process = process
        self.record = record
        self.depth = depth
        self.floods: dict[int, str] = {}
        self.diagnostics: dict[int, list[tuple[int, Stretch]]] = {}

    def span(self, line: int, count: int = 1) -> Span:
        """Return where ``count`` lines from the 0-based ``line`` stand in the input."""
        first = self.first_lines[line]
        last = self.last_lines[line + count - 1 if count > 1 else line]
        return Span(line=first, end_line=last if last > first else first)  # noqa: FURB136  # for each line of a log

    def inner(self, text: str, line: int, count: int, record: RecordHeader | None) -> Block:
        """Return a block of ``count`` lines of this one, from ``line``, with a text of its own."""
        return Block(
            text=cleaned(text),
            first_lines=self.first_lines[line : line + count],
            last_lines=self.last_lines[line : line + count],
            process=self.process,
            record=record,
            depth=self.depth + 1,
        )


def block_of(strand: Strand) -> Block:
    """Return the whole of a strand as a block."""
    text = strand.text
    if text and not text.endswith("\n"):
        text += "\n"
    return Block(
        text=cleaned(text),
        first_lines=strand.line_numbers,
        last_lines=strand.last_line_numbers,
        process=strand.process,
    )


@cache
def _pytest_marks() -> re.Pattern[str]:
    """A run of lines that pytest has marked as what was raised."""
    return expression(r"^(?:E(?:[ \t][^\n]*)?\n)+", re.MULTILINE)


def _unmarked(run: re.Match[str]) -> str:
    lines = run.group().removesuffix("\n").split("\n")
    if not any(line.startswith("E   ") for line in lines):
        return run.group()
    return dedented([line[1:] for line in lines])


@cache
def _group_gutter() -> re.Pattern[str]:
    return expression(r"^(?: *\| ?)+|^(?: *\| ?)*(?: *\+ (?=Exception Group)| *\+[+-]{3,}.*-{3,}$)", re.MULTILINE)


def cleaned(text: str) -> str:
    """Take marks off that stand before every line; the number of lines stays.

    pytest's ``E   `` and the gutter of an exception group would hide what
    the lines are.
    """
    if "\nE   " in text or text.startswith("E   "):
        text = _pytest_marks().sub(_unmarked, text)
    if "+ Exception Group Traceback" in text:
        text = _group_gutter().sub("", text)
    return text


def dedented(lines: Sequence[str]) -> str:
    """Return the lines without their common indentation."""
    margin = min((len(line) - len(line.lstrip(" \t")) for line in lines if line.strip()), default=0)
    return "".join(f"{line[margin:] if line.strip() else ''}\n" for line in lines)
