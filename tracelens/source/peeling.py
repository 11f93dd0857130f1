"""Take the decorations off that show on one line, and remember who they name.

Several in a row come off together, in any order. Where it differs whether a
decoration ends in a space, all lines that carry it are looked at before any
indentation is touched.
"""

from __future__ import annotations

import re

from tracelens.expressions import expression
from tracelens.source.decorations import UNSURE_GAP, decoration, decorations, owner_groups, owner_of
from tracelens.source.gaps import common_gap, has_gap
from tracelens.source.identity import Owner, merge
from tracelens.source.rows import Rows
from tracelens.source.signs import may_start_lines

#: What Ray puts behind a line that several workers printed.
_RAY_REPEAT = expression(r" \[repeated \d+x across cluster\](?: \(Ray deduplicates logs by default\..*)?$")
#: Where another rank began to write before this one had ended its line.
_TORN_IN = expression(r"(?<=[\w):}.])[ \t]?(?=\[rank(\d{1,5})\]:)")
#: Torch's own headers, which its log handler writes straight behind the rank.
_OWN_HEADER = expression(r"[VDIWEC]\d{4} \d\d:|\[[VDIWEF]\d{3,4} ")
_HEADER_FIRST = frozenset("VDIWEC[")

_MAX_KNOWN = 1024
#: Stands for an owner, where ``None`` is a good answer.
_UNREAD = Owner()


def peel(rows: Rows) -> Rows | None:
    """Take off every decoration that shows by itself; ``None`` if there is none."""
    if not may_start_lines(rows.text):
        return None
    peeled = _Peeled(rows)
    peeled.add_all()
    return peeled.rows() if peeled.changed else None


class _Peeled:
    """The rows so far, and which of them may begin with a space that is not theirs."""

    __slots__ = (
        "_known",
        "_old",
        "_owners",
        "_partial",
        "_sources",
        "_spaced",
        "_stamped",
        "_texts",
        "_unspaced",
        "changed",
    )

    def __init__(self, rows: Rows) -> None:
        self._old = rows
        self._texts: list[str] = []
        self._sources: list[int] = []
        self._owners: list[Owner | None] = []
        #: Who each beginning of a line was found to name.
        self._known: dict[str, Owner | None] = {}
        #: For each kind, the rows behind it that begin with a space, and how many do not.
        self._spaced: dict[str, list[int]] = {kind: [] for kind in UNSURE_GAP}
        self._unspaced = dict.fromkeys(UNSURE_GAP, 0)
        self._partial = False
        #: The rows behind a stamp.
        self._stamped: list[int] = []
        self.changed = False

    def add_all(self) -> None:
        """Peel all rows; where ranks tore into each other, one row becomes several."""
        match = decorations().match
        texts, sources, owners = self._texts, self._sources, self._owners
        outers = self._old.owners or [None] * len(self._old.texts)
        for source, (text, outer) in enumerate(zip(self._old.texts, outers, strict=True)):
            found = match(text)
            # A space before the first one is content, but for the gutter of a page.
            if found is None or (text[0] == " " and not text.lstrip(" ").startswith("|")):
                texts.append(text)
                sources.append(source)
                owners.append(outer)
                self._partial = False
                continue
            self.changed = True
            left = self._add(source, text, outer, found)
            while left is not None and (found := match(left)) is not None:
                left = self._add(source, left, outer, found)

    def _add(self, source: int, text: str, outer: Owner | None, found: re.Match[str]) -> str | None:
        """Keep what is behind the decorations, up to where another rank tore in; return the rest from there."""
        end = found.end()
        kind = found.lastgroup or ""
        rest = text[end:]
        tail = None
        torn = _TORN_IN.search(rest) if kind == "rank" and "[rank" in rest else None
        # The same rank again is a decoration within a decoration.
        if torn is not None and f"[rank{torn.group(1)}]" not in found.group():
            rest, tail = rest[: torn.start()], rest[torn.end() :]
        if kind in UNSURE_GAP:
            if rest[:1] == " ":
                self._spaced[kind].append(len(self._texts))
            elif rest and not (rest[0] in _HEADER_FIRST and _OWN_HEADER.match(rest)):
                self._unspaced[kind] += 1
        elif kind == "worker" and "x across cluster]" in rest:
            rest = _RAY_REPEAT.sub("", rest)
        elif kind == "stamp":
            was_partial, self._partial = self._partial, found.group().endswith((" P", " P "))
            if was_partial:
                self._texts[-1] += rest
                return tail
            self._stamped.append(len(self._texts))
        beginning = text[:end]
        owner = self._known.get(beginning, _UNREAD)
        if owner is _UNREAD:
            owner = self._read(beginning)
        self._texts.append(rest)
        self._sources.append(source)
        self._owners.append(owner if outer is None else merge(outer, owner))
        return tail

    def _read(self, beginning: str) -> Owner | None:
        """Return who the decorations of one row name together."""
        owner: Owner | None = None
        groups = owner_groups()
        place = 0
        while (match := decoration().match(beginning, place)) is not None:
            place = match.end()
            kind = match.lastgroup or ""
            if kind in groups:
                owner = merge(owner, owner_of(kind, match.group(*groups[kind])))
        # Stamps differ from line to line: there is no end of them to remember.
        if len(self._known) < _MAX_KNOWN:
            self._known[beginning] = owner
        return owner

    def rows(self) -> Rows:
        """Return the rows without decorations and without the spaces that were part of them."""
        texts = self._texts
        for kind, spaced in self._spaced.items():
            if spaced and has_gap([texts[i] for i in spaced], self._unspaced[kind]):
                for i in spaced:
                    texts[i] = texts[i][1:]
        wide = common_gap([texts[i] for i in self._stamped])
        if wide:
            for i in self._stamped:
                texts[i] = texts[i][wide:]
        rows = self._old.pick(self._sources)
        rows.texts = texts
        rows.owners = self._owners if any(owner is not None for owner in self._owners) else None
        return rows
