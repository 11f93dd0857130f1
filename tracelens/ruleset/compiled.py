"""Rules as JSON data: what YAML became after it was found sound.

Reading hundreds of YAML files costs more than reading a log. The wheel therefore
carries this form, and a checkout keeps it in the user's cache; ``dump`` writes it.
It is data only; whoever can write it can change what tracelens says, never what it
runs. The first line tells what it is. The second holds the gates of all rules, and
the codes and sizes of what follows: of each rule its sieve, read only when a gate
opens, what it looks for, read only when that passes the sieve, the rest, read only
when it is there, and its anchors.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise

from tracelens import __version__
from tracelens.findings import Confidence, FixKind, NotHelpful, Risk, Role, Severity, Stage
from tracelens.plain_json import loads
from tracelens.ruleset.model import (
    AllOf,
    AnyOf,
    Carrier,
    Condition,
    FixTemplate,
    Handles,
    Kind,
    Leaf,
    Not,
    Place,
    Rule,
    Same,
)
from tracelens.ruleset.patterns import Pattern
from tracelens.typed import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias, overload

if TYPE_CHECKING:
    from tracelens.ruleset.gates import Gate  # finding gates is for rules that do not come with them

#: Raised whenever the shape below changes, so that an old file is never misread.
FORMAT = 18

#: Where literals without a whole word are filed.
WORDLESS = ""
#: A rule comes in so many parts.
_PARTS = 4
#: The first two lines are shorter in a wheel, where no files have to be the same.
_HEAD_ROOM = 1 << 15


class Content(Protocol):
    """Bytes, or a file that is read where it is asked for."""

    def __len__(self) -> int:
        """Return how many bytes there are."""

    def __getitem__(self, part: slice, /) -> bytes:
        """Return those from one place to another; both are given."""


class StaleError(Exception):
    """Compiled rules of another version, or a file that is not ours."""


def fingerprint(folders: Iterable[tuple[str, str]]) -> str:
    """Return what changes when our version does, or the name, size or time of a file.

    The files are those of each folder whose names end as its second word says. Raises
    ``OSError`` for a folder that is not there.
    """
    parts = [__version__, str(FORMAT)]
    for folder, suffix in folders:
        with os.scandir(folder) as entries:
            files = [(entry.name, entry.stat()) for entry in entries if entry.name.endswith(suffix)]
        parts += sorted(f"{name} {status.st_size} {status.st_mtime_ns}" for name, status in files)
    return "\n".join(parts)


#: A literal, its words and part as ``patterns.Literal`` has them, and the numbers of the rules that it opens.
GateLiteral: TypeAlias = "tuple[str, Sequence[str], str, Sequence[int]]"


class GateGroup(NamedTuple):
    """The gates of all rules on one field of one kind.

    ``literals`` are those of the gates, each once; an empty text stands for any event of the kind.
    """

    kind: str
    field: str
    ignore_case: bool
    literals: Sequence[GateLiteral]

    def likely(self, _words: frozenset[str]) -> Iterable[GateLiteral]:
        """Return all literals that may stand in a log of these words."""
        return self.literals


class StoredGates:
    """A group that is read as far as a log's words go: most logs hold few of those that literals are filed under."""

    __slots__ = ("_content", "_places", "_sizes", "_start", "_words", "field", "ignore_case", "kind")

    def __init__(self, head: Sequence[Any], content: Content, start: int) -> None:
        """Take what the index says of the group, and where its literals begin."""
        self.kind, self.field, self.ignore_case, self._words, self._sizes = head
        self._content = content
        self._start = start
        self._places: dict[str, tuple[int, int]] | None = None

    def likely(self, words: frozenset[str]) -> list[GateLiteral]:
        """Return all literals that may stand in a log of these words."""
        places = self._places
        if places is None:
            ends = [*accumulate(map(int, self._sizes.split()), initial=self._start)]
            places = self._places = dict(zip(self._words.split(" "), pairwise(ends), strict=True))
        found = [places[word] for word in places.keys() & (words | {WORDLESS})]
        literals: list[GateLiteral] = loads(
            f"[{','.join([self._content[start:end].decode('ascii') for start, end in found])}]"
        )
        return literals


class Search(NamedTuple):
    """What a rule looks for; all that most rules with an open gate are ever asked."""

    versions: tuple[tuple[str, str], ...]
    when: Condition
    unless: tuple[Condition, ...]


class Entry:
    """One rule that may not have been read yet."""

    __slots__ = ("_data", "_gates", "_rule", "_search", "_starts", "code")

    def __init__(
        self,
        *,
        code: str,
        gates: tuple[Gate, ...] | None = None,
        rule: Rule | None = None,
        data: Content = b"",
        starts: Sequence[int] | None = None,
    ) -> None:
        """Take the rule itself, or data with the ``starts`` of its sieve, search, rest and anchors, and their end."""
        self.code = code
        self._gates = gates
        self._rule = rule
        self._search: Search | None = None
        self._data = data
        self._starts = starts

    @property
    def gates(self) -> tuple[Gate, ...]:
        """Return what must be in a log; reads the rule if they were not given."""
        if self._gates is not None:
            return self._gates
        from tracelens.ruleset.gates import find_gates

        return find_gates(self.search.when)

    @property
    def sieve(self) -> list[Any]:
        """Return what ``ruleset.sieve`` has found; empty where nobody has asked it."""
        return [] if self._starts is None else list(self._part(0))

    @property
    def search(self) -> Search:
        """Return what the rule looks for; the first time this reads it."""
        if self._search is None:
            if self._rule is None:
                self._search = _search(*self._part(1))
            else:
                self._search = Search(self._rule.versions, self._rule.when, self._rule.unless)
        return self._search

    @property
    def rule(self) -> Rule:
        """Return the rule; the first time this reads it."""
        if self._rule is None:
            self._rule = _rule(self.search, self._part(2))
        return self._rule

    @property
    def anchors(self) -> tuple[str, ...]:
        """Return expressions for lines that the scan of a large log must not pass over."""
        if self._starts is not None:
            return tuple(self._part(3))
        from tracelens.ruleset.triggers import find_anchors

        return find_anchors(self.rule)

    def _part(self, number: int) -> Any:  # noqa: ANN401 - as stored
        assert self._starts is not None  # noqa: S101  # where there is no rule there is data
        return loads(self._data[self._starts[number] : self._starts[number + 1]].decode("ascii"))


class _StoredEntries(Sequence[Entry]):
    """Rules in order of their codes, made when one asks for them."""

    def __init__(self, codes: Sequence[str], content: Content, starts: Sequence[int]) -> None:
        self._codes = codes
        self._content = content
        self._starts = starts
        self._made: dict[int, Entry] = {}

    def __len__(self) -> int:
        return len(self._codes)

    @overload
    def __getitem__(self, number: int) -> Entry: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[Entry]: ...
    def __getitem__(self, number: int | slice) -> Entry | Sequence[Entry]:
        if isinstance(number, slice):
            return [self[each] for each in range(len(self))[number]]
        made = self._made.get(number)
        if made is None:
            first = range(len(self))[number] * _PARTS
            starts = self._starts[first : first + _PARTS + 1]
            made = self._made[number] = Entry(code=self._codes[number], data=self._content, starts=starts)
        return made


class RuleSet:
    """Rules in order of their codes; each code stands there once."""

    __slots__ = ("entries", "gates")

    def __init__(self, entries: Sequence[Entry], *, gates: Iterable[GateGroup | StoredGates] | None = None) -> None:
        """Take entries in any order, or in that of their codes with their ``gates``."""
        self.entries = entries
        if gates is None:
            from tracelens.ruleset.gates import group_gates

            self.entries = tuple(sorted(entries, key=lambda entry: entry.code))
            gates = group_gates(entry.gates for entry in self.entries)
        self.gates = tuple(gates)

    @property
    def rules(self) -> tuple[Rule, ...]:
        """Return every rule; reads all of them."""
        return tuple(entry.rule for entry in self.entries)

    @property
    def anchors(self) -> tuple[str, ...]:
        """Return what the scan has to look for so that no rule is deaf, each once."""
        return tuple(dict.fromkeys(anchor for entry in self.entries for anchor in entry.anchors))


def entries_of(rules: Iterable[Rule]) -> tuple[Entry, ...]:
    """Return entries for rules that have been read."""
    return tuple(Entry(code=rule.code, rule=rule) for rule in rules)


def head_of(key: str) -> dict[str, Any]:
    """Return what the first line says of rules whose files have the fingerprint ``key``."""
    return {"format": FORMAT, "version": __version__, "key": key}


def undump(content: Content, *, key: str) -> RuleSet:
    """Return the rules of such lines; raises ``StaleError`` if they are not those wanted."""
    lines = content[0:_HEAD_ROOM]
    if lines.count(b"\n") < 2:
        lines = content[0 : len(content)]
    head_end = lines.find(b"\n")
    index_end = lines.find(b"\n", head_end + 1)
    try:
        if loads(lines[: max(0, head_end)].decode("ascii")) != head_of(key):
            raise StaleError
        groups, codes, sizes = loads(lines[head_end + 1 : index_end].decode("ascii"))
        gates = []
        place = index_end + 1
        for *head, size in groups:
            gates.append(StoredGates(head, content, place))
            place += size
        starts = [*accumulate(map(int, sizes.split()), initial=place)]
        entries = _StoredEntries(codes.split(), content, starts)
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise StaleError from error
    if starts[-1] != len(content):
        raise StaleError
    return RuleSet(entries, gates=gates)


def _handles(severity: str, before: int, after: int, *others: Any) -> Handles:  # noqa: ANN401  # as stored
    only, unless, quiet, since = others
    return Handles(
        severity=Severity(severity),
        before=before,
        after=after,
        only=_pattern(*only) if only else None,
        quiet=quiet,
        since=tuple(_pattern(*start) for start in since),
        unless=_pattern(*unless) if unless else None,
    )


def _search(versions: list[list[str]], when: list[Any], unless: list[list[Any]]) -> Search:
    return Search(
        versions=tuple((name, bounds) for name, bounds in versions),
        when=_condition(when),
        unless=tuple(map(_condition, unless)),
    )


def _rule(search: Search, data: dict[str, Any]) -> Rule:
    return Rule(
        code=data["code"],
        name=data["name"],
        label=data["label"],
        title=data["title"],
        summary=data["summary"],
        severity=Severity(data["severity"]),
        confidence=Confidence(data["confidence"]),
        stage=Stage(data["stage"]) if data["stage"] else None,
        role=Role(data["role"]),
        weight=data["weight"],
        carrier=Carrier(data["carrier"]),
        versions=search.versions,
        when=search.when,
        unless=search.unless,
        handles=_handles(*data["handles"]) if data["handles"] else None,
        explanation=data["explanation"],
        fixes=tuple(_fix(entry) for entry in data["fixes"]),
        not_helpful=tuple(NotHelpful(advice=advice, why=why) for advice, why in data["not_helpful"]),
        references=tuple(data["references"]),
        matches=tuple(data["matches"]),
        rejects=tuple(data["rejects"]),
        aliases=tuple(data["aliases"]),
    )


def _fix(data: list[Any]) -> FixTemplate:
    identity, title, kind, risk, needs_root, commands, proven, unproven = data
    return FixTemplate(
        id=identity,
        title=title,
        kind=FixKind(kind),
        risk=Risk(risk),
        needs_root=needs_root,
        commands=tuple((platform, tuple(lines)) for platform, lines in commands),
        proven=proven,
        unproven=unproven,
    )


def _condition(data: list[Any]) -> Condition:
    name = data[0]
    if name == "any":
        return AnyOf(tuple(map(_condition, data[1:])))
    if name == "all":
        return AllOf(tuple(map(_condition, data[1:])))
    if name == "not":
        return Not(_condition(data[1]))
    _, patterns, choices, said_in, at_least, place, grows = data
    return Leaf(
        Kind(name),
        tuple([(field, _pattern(*pattern)) for field, pattern in patterns]),
        tuple([(field, tuple(values)) for field, values in choices]),
        tuple(map(Kind, said_in)),
        at_least,
        _place(*place) if place else None,
        grows,
    )


def _pattern(source: str, literals: list[Any], ignore_case: bool, newlines: int) -> Pattern:  # noqa: FBT001  # as stored
    return Pattern(source, literals=literals, ignore_case=ignore_case, newlines=newlines)


def _place(within: int | None, before: bool, after: bool, same: str | None, root: bool) -> Place:  # noqa: FBT001  # as stored
    return Place(within=within, before=before, after=after, same=Same(same) if same else None, root=root)
