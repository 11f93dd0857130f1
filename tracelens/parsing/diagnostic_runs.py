"""Runs of compiler messages: one token for all those that another one follows at once.

A failed build of a C++ kernel prints a thousand warnings, each of a headline
and the source below it. Read one by one they would take the grammar three
tokens each; yet wherever one may stand, any number may.
"""

from __future__ import annotations

import re
from functools import cache

from tracelens.expressions import expression
from tracelens.parsing.blocks import Block, Group
from tracelens.parsing.line_kinds import kind_of


def find_run(block: Block, start: int) -> list[Group]:
    """Return the messages from ``start`` that another one follows at once."""
    groups: list[Group] = []
    position = start
    while position < block.size:
        group = _group_at(block.text, position)
        if group is None:
            break
        groups.append(group)
        position = group.end
    # More may belong to the last one than can be told here.
    return groups[:-1]


def _group_at(text: str, start: int) -> Group | None:
    find = text.find
    headline, leading = start, 0
    after = find("\n", start) + 1
    kind = kind_of(text[start:after])
    if kind == "DIAGNOSTIC_LEAD":
        found = leads_below().match(text, after)
        headline = found.end() if found else after
        leading = text.count("\n", start, headline)
        after = find("\n", headline) + 1
        kind = kind_of(text[headline:after]) if after else ""
    if kind != "DIAGNOSTIC":
        return None
    end = find("\n", after) + 1
    if end and kind_of(text[after:end]) == "DIAGNOSTIC_SOURCE":
        found = sources_below().match(text, end)
        end = found.end() if found else end
    else:
        end = after
    return Group(start, headline, after, end, leading)


@cache
def leads_below() -> re.Pattern[str]:
    """The lines below the first one of those that lead to a message."""
    return expression(r"(?:[ \t]{4,24}from [^\n]+:\d+(?::\d+)?[,:][^\n]*\n)+")


@cache
def sources_below() -> re.Pattern[str]:
    """The lines below the first one of the source that a message quotes."""
    return expression(r"(?:[ \t]{0,8}\d* \|(?:[ \t][^\n]*)?\n)+")
