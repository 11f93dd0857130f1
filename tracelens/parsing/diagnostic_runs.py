"""Runs of compiler messages: one token for all those that another one follows at once.

A failed build of a C++ kernel prints a thousand warnings, each of a headline
and the source below it. Read one by one they would take the grammar three
tokens each; yet wherever one may stand, any number may.
"""

from __future__ import annotations

import re

from tracelens.alike import ALIKE_KEPT, shape_of
from tracelens.expressions import expression
from tracelens.parsing.blocks import Block, Group
from tracelens.parsing.line_kinds import kind_of
from tracelens.parsing.stretches import Stretch, Stretches
from tracelens.typed import cache

#: What can begin another line of quoted source.
_SOURCE_BEGINS = " \t0123456789"
#: So many headlines are remembered with what stood below them.
_REMEMBERED = 2048


class DiagnosticRuns:
    """Finds the runs of one block; ``known`` is what was seen before, in other blocks too."""

    __slots__ = ("_known", "_size", "_text", "_verified")

    def __init__(self, block: Block, known: Stretches) -> None:
        """Take the block."""
        self._text = block.text
        self._size = block.size
        self._known = known
        self._verified: dict[bytes, int] = {}

    def find(self, start: int) -> list[tuple[int, Stretch]]:
        """Return the messages from ``start`` that another one follows at once, as stretches and where these begin."""
        found: list[tuple[int, Stretch]] = []
        groups: list[Group] = []
        text, find = self._text, self._text.find
        position = start
        while position < self._size:
            source = find("\n", position) + 1
            headline = text[position:source]
            stretch = self._known.at(text, position, headline)
            if stretch is not None and self._is_group(position + len(stretch.text)):
                self._close(groups, found)
                found.append((position, stretch))
                position += len(stretch.text)
                continue
            group = self._group(position, source, headline)
            if group is None:
                break
            groups.append(group)
            position = group[3]
        # More may belong to the last one than can be told here. Below a stretch there is always another one.
        self._close(groups[:-1], found)
        return found

    def _close(self, groups: list[Group], found: list[tuple[int, Stretch]]) -> None:
        if groups:
            found.append((groups[0][0], self._known.stretch(self._text, groups)))
            groups.clear()

    def _is_group(self, start: int) -> bool:
        """Tell whether a message begins at ``start``, so that nothing more belongs to the one before."""
        return _group_at(self._text, start) is not None

    def _group(self, start: int, source: int, headline: str) -> Group | None:
        """Return the message whose first line is ``headline``, if it is one."""
        text, known = self._text, self._known.below
        below = known.get(headline)
        if below is not None and text.startswith(below, source):
            end = source + len(below)
            # At the end of the text "" begins anything.
            if text[end : end + 1] not in _SOURCE_BEGINS:
                return start, start, source, end, 0
        shape = shape_of(headline)
        verified = self._verified.get(shape, 0)
        if verified >= ALIKE_KEPT:
            return start, start, source, _source_end(text, source), 0
        group = _group_at(text, start)
        if group is not None and group[1] == start:
            self._verified[shape] = verified + 1
            if len(known) < _REMEMBERED:
                known[headline] = text[source : group[3]]
        return group


def _group_at(text: str, start: int) -> Group | None:
    find = text.find
    headline, leading = start, 0
    after = find("\n", start) + 1
    kind = kind_of(text[start:after]) if after else ""
    if kind == "DIAGNOSTIC_LEAD":
        found = leads_below().match(text, after)
        headline = found.end() if found else after
        leading = text.count("\n", start, headline)
        after = find("\n", headline) + 1
        kind = kind_of(text[headline:after]) if after else ""
    if kind != "DIAGNOSTIC":
        return None
    return start, headline, after, _source_end(text, after), leading


def _source_end(text: str, start: int) -> int:
    """Return where the source ends that is quoted from ``start``, if any is."""
    if not text.startswith(" ", start):
        return start
    end = text.find("\n", start) + 1
    if not end or kind_of(text[start:end]) != "DIAGNOSTIC_SOURCE":
        return start
    found = sources_below().match(text, end)
    return found.end() if found else end


@cache
def leads_below() -> re.Pattern[str]:
    """The lines below the first one of those that lead to a message."""
    return expression(r"(?:[ \t]{4,24}from [^\n]+:\d+(?::\d+)?[,:][^\n]*\n)+")


@cache
def sources_below() -> re.Pattern[str]:
    """The lines below the first one of the source that a message quotes."""
    return expression(r"(?:[ \t]{0,8}\d* \|(?:[ \t][^\n]*)?\n)+")
