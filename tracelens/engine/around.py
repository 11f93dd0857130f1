"""Search a long text around the literals that a pattern needs, and nowhere else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tracelens.ruleset.patterns import Hit, Pattern

#: So far around a literal can a match reach.
_LINES_BEFORE = 12
_LINES_AFTER = 24
_REACH = 4000
_MAX_OCCURRENCES = 1000
#: More lines than that are not looked for one by one.
_MAX_LINES = 16
#: What stands before and behind a whole line: at the ends of a text, nothing does.
_ENDS = ("\n", "")


def search_around(pattern: Pattern, text: str, literals: Sequence[str], searched: str) -> Hit | None:
    """Return the first match in a long text, looking only around the literals that it needs.

    ``searched`` is the text as the literals are spelled: in lower case, or as
    it is. A match of several lines may reach so far and no further; a line
    that is pages long is looked at in part.
    """
    return _search_at(pattern, text, _occurrences(literals, searched))


def search_around_lines(
    pattern: Pattern, text: str, literals: Sequence[str], lines: Sequence[str], *, is_lower: bool
) -> Hit | None:
    """Do the same, given the different lines of the text that hold any of the literals, which hold no line ends.

    Few lines hold one, and a whole line is found much faster than a word.
    """
    positions: list[int] = []
    if len(lines) <= _MAX_LINES:
        for line in lines:
            places = _occurrences(literals, lowered(line) if is_lower else line)
            positions += [start + place for start in _places_of(line, text) for place in places]
    if not 0 < len(positions) < _MAX_OCCURRENCES:
        positions = _occurrences(literals, lowered(text) if is_lower else text)
    return _search_at(pattern, text, sorted(positions))


def _places_of(line: str, text: str) -> Iterator[int]:
    """Yield where a line begins in a text, wherever it stands there."""
    end = len(line)
    place = text.find(line)
    while place >= 0:
        if text[place - 1 : place] in _ENDS and text[place + end : place + end + 1] in _ENDS:
            yield place
        place = text.find(line, place + 1)


def _search_at(pattern: Pattern, text: str, positions: Iterable[int]) -> Hit | None:
    before, after = min(pattern.newlines, _LINES_BEFORE), min(pattern.newlines, _LINES_AFTER)
    done = 0
    for position in positions:
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


def lowered(text: str) -> str:
    """Return a text with its ASCII letters in lower case, so that no position moves."""
    return text.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")
