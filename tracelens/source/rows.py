"""The lines of a region while decorations come off them.

Rows are lines of the text to be; each remembers the lines of the input that
it came from and what its decorations said about its process. Steps never
change rows in place: they make new ones, or say that nothing is to be done.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import repeat
from operator import is_not

from tracelens.source.identity import Owner, name_of, with_known_rank

#: This many indented bare lines at most are taken for a torn piece of the traceback around them.
_MAX_TORN = 3


class Rows:
    """Parallel lists, one entry a row: text, first and last input line, owner.

    ``ends`` and ``owners`` are ``None`` while no row differs from the plain
    case: it ends where it begins, and nobody is named.
    """

    __slots__ = ("_text", "_woven", "ends", "numbers", "owners", "texts")

    def __init__(
        self,
        texts: list[str],
        numbers: list[int],
        *,
        ends: list[int] | None = None,
        owners: list[Owner | None] | None = None,
    ) -> None:
        """Take the lists as they are; they must be of one length."""
        self.texts = texts
        self.numbers = numbers
        self.ends = ends
        self.owners = owners
        self._text: str | None = None
        self._woven: bool | None = None

    @property
    def text(self) -> str:
        """All rows, each between two newlines, for patterns that look at line starts."""
        if self._text is None:
            self._text = "\n" + "\n".join(self.texts) + "\n"
        return self._text

    @property
    def is_woven(self) -> bool:
        """Tell whether rows of more than one process, or of one and of nobody, are mixed."""
        if self._woven is None:
            # Owners are few and shared: rows are told apart by identity first.
            unique = {id(owner): owner for owner in self.owners or ()}.values()
            self._woven = len({None if owner is None else name_of(owner) for owner in unique}) > 1
        return self._woven

    def with_texts(self, texts: list[str]) -> Rows:
        """Return the same rows with other text."""
        return Rows(texts, self.numbers, ends=self.ends, owners=self.owners)

    def pick(self, indices: Iterable[int]) -> Rows:
        """Return some of the rows, in the order given."""
        order = list(indices)
        return Rows(
            list(map(self.texts.__getitem__, order)),
            list(map(self.numbers.__getitem__, order)),
            ends=None if self.ends is None else list(map(self.ends.__getitem__, order)),
            owners=None if self.owners is None else list(map(self.owners.__getitem__, order)),
        )

    def spread(self, pieces: list[list[str] | None]) -> Rows:
        """Return rows in which row ``i`` became the rows ``pieces[i]``, or stayed if that is ``None``."""
        texts: list[str] = []
        sources: list[int] = []
        for i, piece in enumerate(pieces):
            if piece is None:
                texts.append(self.texts[i])
                sources.append(i)
            else:
                texts += piece
                sources += [i] * len(piece)
        rows = self.pick(sources)
        rows.texts = texts
        return rows

    def joined(self, groups: list[tuple[int, int, str]]) -> Rows:
        """Return rows in which each group (first, last, text) became one row."""
        texts: list[str] = []
        kept: list[int] = []
        ends: list[int] = []
        old_ends = self.numbers if self.ends is None else self.ends
        position = 0
        for first, last, text in groups:
            texts += self.texts[position:first]
            kept += range(position, first)
            ends += old_ends[position:first]
            texts.append(text)
            kept.append(first)
            ends.append(old_ends[last])
            position = last + 1
        texts += self.texts[position:]
        kept += range(position, len(self.texts))
        ends += old_ends[position:]
        rows = self.pick(kept)
        rows.texts, rows.ends = texts, ends
        return rows

    def by_owner(self) -> list[Rows]:
        """Return the rows of each process, in the order of their first rows."""
        owners = self.owners
        if owners is None:
            return [self]
        resolved = _resolve(self.texts, owners)
        names: dict[int, str | None] = {id(owner): name_of(owner) for owner in distinct(resolved)}
        groups: dict[str | None, list[int]] = {}
        # Owners are few and shared, and rows are many.
        group_of = {key: groups.setdefault(names.get(key), []) for key in dict.fromkeys(map(id, resolved))}
        for i, key in enumerate(map(id, resolved)):
            group_of[key].append(i)
        rows = Rows(self.texts, self.numbers, ends=self.ends, owners=resolved)
        picked = [rows.pick(indices) for indices in groups.values()]
        for each in picked:
            each._woven = False  # noqa: SLF001 - our own, and all of one name
        return picked


def distinct(owners: Iterable[Owner | None]) -> list[Owner]:
    """Return each owner once, in order; equal ones that are different objects may both be there."""
    return [owner for owner in {id(owner): owner for owner in owners}.values() if owner is not None]


def _resolve(texts: list[str], owners: list[Owner | None]) -> list[Owner | None]:
    """Find a home for bare rows, and the global rank of local ones."""
    ranks = {
        (owner.places, owner.local_rank): owner.rank
        for owner in reversed(distinct(owners))
        if owner.local_rank is not None and owner.rank is not None
    }
    resolved = list(owners)
    if ranks:
        known = {id(owner): with_known_rank(owner, ranks) for owner in distinct(owners)}
        resolved = [None if owner is None else known[id(owner)] for owner in owners]
    if all(map(is_not, resolved, repeat(None))):
        return resolved
    previous: Owner | None = None
    i = 0
    while i < len(texts):
        owner = resolved[i]
        if owner is not None:
            previous = owner
            i += 1
            continue
        end = i
        while end < len(texts) and resolved[end] is None:
            end += 1
        following = resolved[end] if end < len(texts) else None
        if previous is not None:
            _adopt(texts, resolved, range(i, end), previous, following)
        i = end
    return resolved


def _adopt(
    texts: list[str], resolved: list[Owner | None], bare: range, previous: Owner, following: Owner | None
) -> None:
    """Give a run of bare rows to the process that printed the row before them, where they are its own."""
    torn = (
        following is not None
        and name_of(following) == name_of(previous)
        and len(bare) <= _MAX_TORN
        and texts[bare.start - 1].startswith(" ")
        and all(not texts[i] or texts[i][0] in " \t" for i in bare)
    )
    if previous.sticky or torn:
        for i in bare:
            resolved[i] = previous
        return
    # Python prints an empty line without the prefix that it puts on the others.
    for i in bare:
        if texts[i].strip():
            break
        resolved[i] = previous
