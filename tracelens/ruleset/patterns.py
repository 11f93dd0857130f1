"""A search pattern of a rule: compiled on first use, gated by its literals.

Most patterns of most rules match nothing in a given log. Each therefore knows
literals of which at least one stands in every match, so that a caller can tell
by plain text search that it cannot match. Patterns of this package run on
``re``, whose import is free; patterns from elsewhere run on RE2, which cannot
be made to hang. Both search with the same flags: lines, and ASCII classes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tracelens.expressions import compiled, expression
from tracelens.typed import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from typing import Protocol

    class _Match(Protocol):
        def start(self) -> int: ...

        def end(self) -> int: ...

        def groupdict(self) -> dict[str, str | None]: ...

    class _Searcher(Protocol):
        def search(self, text: str, start: int = ..., end: int = ..., /) -> _Match | None: ...


FLAGS = re.MULTILINE | re.ASCII

#: Longer lines are searched at their head and tail only: a line of 50 MB is data, not prose.
LINE_HEAD = 24_000
LINE_TAIL = 8_000

#: A match that may hold so many newlines may hold any number.
MANY_NEWLINES = 24

_SURROGATES = "[\ud800-\udfff]"


class Literal(NamedTuple):
    """A text that stands in a match, and the runs of ASCII letters in it.

    ``words`` end on both sides within ``text``, so that each is a whole word
    of the log. ``part`` is the longer one of those at the ends, which may go
    on in the log; empty where it is too short to be worth a search.
    """

    text: str
    words: tuple[str, ...]
    part: str


#: A ``Literal``, or a plain tuple of the same: rules are read with hundreds, and these are made in a third of the time.
AnyLiteral: TypeAlias = "tuple[str, Sequence[str], str]"


class Hit(NamedTuple):
    """Where a pattern matched in a text, and what its named groups hold."""

    start: int
    end: int
    captures: tuple[tuple[str, str], ...] = ()


class Pattern:
    """One pattern of one rule.

    ``literals`` is empty where nothing is known to stand in each match; with
    ``ignore_case`` they are in lower case. ``newlines`` is how many of them
    a match can hold at most. ``foreign`` patterns run on RE2.
    """

    __slots__ = ("_searcher", "foreign", "ignore_case", "literals", "newlines", "source")

    def __init__(
        self,
        source: str,
        *,
        literals: Sequence[AnyLiteral] = (),
        ignore_case: bool = False,
        newlines: int = MANY_NEWLINES,
        foreign: bool = False,
    ) -> None:
        """Take a pattern that ``linear.find_problems`` has no objection to."""
        self.source = source
        self.literals = literals
        self.ignore_case = ignore_case
        self.newlines = newlines
        self.foreign = foreign
        self._searcher: _Searcher | None = None

    def __eq__(self, other: object) -> bool:
        """Compare what is searched for; gates follow from it."""
        return isinstance(other, Pattern) and (self.source, self.foreign) == (other.source, other.foreign)

    def __hash__(self) -> int:
        """Hash what is compared."""
        return hash((self.source, self.foreign))

    def __repr__(self) -> str:
        """Show the source."""
        return f"Pattern({self.source!r})"

    def search(self, text: str, start: int = 0, end: int | None = None) -> Hit | None:
        """Return the first match between two offsets of a text that ``shortened`` has seen."""
        searcher = self._searcher
        if searcher is None:
            searcher = self._searcher = compile_linear(self.source) if self.foreign else expression(self.source, FLAGS)
        end = len(text) if end is None else end
        if self.foreign:
            # RE2 encodes what it is given, so it is given no more than it has to look at.
            match, offset = searcher.search(compiled(_SURROGATES).sub("\ufffd", text[start:end])), start
        else:
            match, offset = searcher.search(text, start, end), 0
        if match is None:
            return None
        # The engines list groups in orders of their own.
        captures = tuple(sorted((name, value) for name, value in match.groupdict().items() if value is not None))
        return Hit(start=match.start() + offset, end=match.end() + offset, captures=captures)


def compile_linear(source: str) -> _Searcher:
    """Compile with RE2; raises ``ImportError`` without it, ``ValueError`` if refused."""
    import re2  # only foreign rules pay for it

    options = re2.Options()
    options.log_errors = False
    options.max_mem = 1 << 22
    try:
        searcher: _Searcher = re2.compile(f"(?m){source}", options)
    except re2.error as error:
        reason = error.args[0] if error.args else error
        raise ValueError(reason.decode() if isinstance(reason, bytes) else str(reason)) from error
    return searcher


def shortened(text: str) -> str:
    """Cut the middle out of lines too long to be messages."""
    if len(text) <= LINE_HEAD + LINE_TAIL:
        return text
    lines = text.split("\n")
    if max(map(len, lines)) <= LINE_HEAD + LINE_TAIL:
        return text
    return "\n".join(
        line if len(line) <= LINE_HEAD + LINE_TAIL else f"{line[:LINE_HEAD]} {line[-LINE_TAIL:]}" for line in lines
    )
