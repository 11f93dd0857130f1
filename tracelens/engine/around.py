"""Search a long text around the literals that a pattern needs, and nowhere else."""

from __future__ import annotations

from collections.abc import Sequence

from tracelens.ruleset.patterns import Hit, Pattern

#: So far around a literal can a match reach.
_LINES_BEFORE = 12
_LINES_AFTER = 24
_REACH = 4000
_MAX_OCCURRENCES = 1000


def search_around(pattern: Pattern, text: str, literals: Sequence[str], searched: str) -> Hit | None:
    """Return the first match in a long text, looking only around the literals that it needs.

    ``searched`` is the text as the literals are spelled: in lower case, or as
    it is. A match of several lines may reach so far and no further; a line
    that is pages long is looked at in part.
    """
    before, after = min(pattern.newlines, _LINES_BEFORE), min(pattern.newlines, _LINES_AFTER)
    done = 0
    for position in _occurrences(literals, searched):
        if position < done:
            continue
        start = max(_line_start(text, position, before), position - _REACH, 0)
        end = min(_line_end(text, position, after), position + _REACH)
        hit = pattern.search(text, max(start, 0), end)
        if hit:
            return hit
        done = end
    return None


def _occurrences(literals: Sequence[str], text: str) -> list[int]:
    positions: list[int] = []
    for literal in literals:
        position = text.find(literal)
        while position >= 0 and len(positions) < _MAX_OCCURRENCES * len(literals):
            positions.append(position)
            position = text.find(literal, position + len(literal))
    return sorted(positions)


def _line_start(text: str, position: int, lines: int) -> int:
    for _ in range(lines + 1):
        position = text.rfind("\n", 0, max(position, 0))
        if position < 0:
            return 0
    return position + 1


def _line_end(text: str, position: int, lines: int) -> int:
    for _ in range(lines + 1):
        position = text.find("\n", position + 1)
        if position < 0:
            return len(text)
    return position
