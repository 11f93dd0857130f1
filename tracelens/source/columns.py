"""Decorations that only many lines together can show to be one.

`3: ` is what srun --label writes before each line, or the start of a sentence;
`> ` quotes a mail, or points pdb at a line. Each family here comes off only
where it covers most of a region or a long run of it, and where what it says
(few processes, many lines) fits.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from itertools import pairwise

from tracelens.expressions import expression
from tracelens.record import Record
from tracelens.source.gaps import has_gap
from tracelens.source.identity import Owner, merge
from tracelens.source.line_starts import begins_something, begins_surely
from tracelens.source.rows import Rows
from tracelens.source.signs import may_have_column

#: A family on this share of the rows that hold something is a column of the whole region.
MOST = 0.6
#: A run of a family may have this many other rows in it: a process that another launcher started.
_MAX_HOLE = 2


class Family(Record):
    """One kind of column: how it looks, and what must be true of all its rows together.

    ``few_keys`` asks that the first group has few values for many rows.
    ``alone`` rows suffice where they are all of a region, ``min_rows`` where they
    are most of it, ``min_run`` rows in a row elsewhere. ``unsure_gap`` says that
    the space behind it may be the line's own.
    """

    name: str
    pattern: str
    alone: int
    min_rows: int
    min_run: int
    max_hole: int = 0
    few_keys: bool = False
    owner: Callable[[str], Owner | None] | None = None
    unsure_gap: bool = False


def _rank(key: str) -> Owner:
    return Owner(rank=int(key))


def _place(key: str) -> Owner:
    return Owner(places=(key,))


#: Tools that begin their messages with their own name and a colon.
_TOOL = r"(?!collect2|cc1|ld\d|lld|as\d|f951|nvlink|x86_64|aarch64)"
_LEVEL = r"(?!(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|CRITICAL|FATAL|SUCCESS|NOTICE)\b)"

_FAMILIES = (
    # Mail and Markdown quoting; not Python's prompt, nor where pdb stands.
    Family(name="quote", pattern=r">(?!>> | \S+\(\d+\)[\w<])", alone=1, min_rows=2, min_run=3, unsure_gap=True),
    Family(name="bar", pattern=r"\|(?: |$)", alone=1, min_rows=3, min_run=5),
    # cat -n, and pages that number lines.
    Family(name="number", pattern=r" {0,8}(\d{1,7})\t", alone=2, min_rows=4, min_run=8),
    # accelerate's and unittest runners' relay of a child.
    Family(name="stream", pattern=r"std(?:out|err):(?: |$)", alone=1, min_rows=2, min_run=3),
    # srun --label; it pads to the width of the highest rank.
    Family(
        name="label",
        pattern=r" {0,4}(\d{1,4}):(?: |$)",
        alone=2,
        min_rows=3,
        min_run=8,
        max_hole=_MAX_HOLE,
        few_keys=True,
        owner=_rank,
    ),
    # Intel MPI and MPICH with -prepend-rank.
    Family(
        name="bracket",
        pattern=r"\[(\d{1,4})\](?: |$)",
        alone=2,
        min_rows=3,
        min_run=8,
        max_hole=_MAX_HOLE,
        few_keys=True,
        owner=_rank,
    ),
    # docker compose.
    Family(
        name="service",
        pattern=rf"{_LEVEL}([A-Za-z][\w.-]{{0,63}}?) {{0,40}}\|(?: |$)",
        alone=1,
        min_rows=3,
        min_run=4,
        max_hole=_MAX_HOLE,
        few_keys=True,
        owner=_place,
    ),
    # concurrently, and the name of a service that a log shipper gives in brackets.
    Family(
        name="tag",
        pattern=rf"\[{_LEVEL}([a-z][\w./-]{{1,63}})\](?: |$)",
        alone=2,
        min_rows=3,
        min_run=4,
        max_hole=_MAX_HOLE,
        few_keys=True,
        owner=_place,
    ),
    # pdsh and clush.
    Family(
        name="host",
        pattern=rf"{_TOOL}([a-z][\w-]{{0,62}}\d(?:\.[\w.-]{{1,63}})?|\d{{1,3}}(?:\.\d{{1,3}}){{3}}):(?: |$)",
        alone=3,
        min_rows=4,
        min_run=8,
        max_hole=_MAX_HOLE,
        few_keys=True,
        owner=_place,
    ),
)

_CONTAINER = expression(r"[a-z][\w.-]*[-_]\d+")


@cache
def _any_family() -> re.Pattern[str]:
    return expression("|".join(f"(?P<{family.name}>{family.pattern})" for family in _FAMILIES))


def strip_columns(rows: Rows) -> Rows | None:
    """Take off the family that covers most rows, if any is a column here."""
    if not may_have_column(rows.text):
        return None
    pattern = _any_family()
    match = pattern.match
    key_groups = {family.name: pattern.groupindex[family.name] + (1 if family.few_keys else 0) for family in _FAMILIES}
    found: dict[str, list[Hit]] = {family.name: [] for family in _FAMILIES}
    for i, text in enumerate(rows.texts):
        hit = match(text)
        if hit is not None:
            name = hit.lastgroup or ""
            found[name].append((i, hit.end(), hit.group(key_groups[name])))
    filled = sum(1 for text in rows.texts if text)
    for family in sorted(_FAMILIES, key=lambda family: -len(found[family.name])):
        hits = found[family.name]
        chosen = _column(family, hits, rows.texts, filled) if hits else []
        if chosen:
            return _strip(family, chosen, rows)
    return None


#: A row that begins like a family: its index, where the rest begins, and what tells its process.
Hit = tuple[int, int, str]


def _column(family: Family, hits: list[Hit], texts: list[str], filled: int) -> list[Hit]:
    """Return the rows of a family that are a column, none if it is something else."""
    enough = family.alone if len(hits) == filled else family.min_rows
    if len(hits) < enough and not (family.few_keys and len(hits) == filled and _all_begin(hits, texts)):
        return []
    if not _fits(family, hits, texts):
        return []
    if len(hits) >= MOST * filled:
        return hits
    chosen: list[Hit] = []
    run: list[Hit] = []
    for hit in hits:
        if run and not _is_near(run[-1][0], hit[0], texts, family.max_hole):
            chosen += run if len(run) >= family.min_run else []
            run = []
        run.append(hit)
    chosen += run if len(run) >= family.min_run else []
    return chosen


def _all_begin(hits: list[Hit], texts: list[str]) -> bool:
    """Tell whether what is behind a column begins a record or a message on every row."""
    return all(begins_something(texts[i][end:]) for i, end, _key in hits)


def _is_near(before: int, after: int, texts: list[str], max_hole: int) -> bool:
    """Tell whether few rows lie between two of a run; empty ones do not count."""
    return after - before <= max_hole + 1 or not any(texts[before + 1 : after])


def _fits(family: Family, hits: list[Hit], texts: list[str]) -> bool:
    """Tell whether what follows a family, and its keys, are those of a column."""
    if family.name == "number":
        numbers = [int(texts[i][:end]) for i, end, _key in hits]
        return sum(1 for before, after in pairwise(numbers) if after > before) * 10 >= 9 * (len(numbers) - 1)
    if family.name in {"bar", "service"}:
        rests = [rest for i, end, _key in hits if (rest := texts[i][end:].rstrip())]
        if not rests or sum(1 for rest in rests if rest.endswith("|")) * 3 > len(rests):
            return False  # a column with nothing behind it, or a table
    return not family.few_keys or _names_few(family, hits, texts)


def _names_few(family: Family, hits: list[Hit], texts: list[str]) -> bool:
    """Tell whether the keys are those of a few processes with many lines each."""
    distinct = len({key for _i, _end, key in hits})
    if distinct > 1 and distinct * 2 > len(hits):
        return False  # numbered lines
    if family.name == "service":
        # One line alone must have the number that compose gives to each container.
        if len(hits) < family.min_rows and not all(_CONTAINER.fullmatch(key) for _i, _end, key in hits):
            return False
        # The names are padded to one width.
        return len({len(texts[i][:end].rstrip(" ")) for i, end, _key in hits}) == 1
    if family.name == "tag":
        # Programs tag their own messages, but neither the headers of torch nor the frames of Python.
        return any(begins_surely(texts[i][end:]) for i, end, _key in hits)
    if family.name in {"label", "host"}:
        told = sum(1 for i, end, _key in hits if texts[i].startswith(("error", "warning", "fatal", "note:"), end))
        return told * 2 <= len(hits)
    return True


def _strip(family: Family, hits: list[Hit], rows: Rows) -> Rows:
    texts = list(rows.texts)
    rests = [texts[i][end:] for i, end, _key in hits]
    if family.unsure_gap:
        spaced = [rest for rest in rests if rest[:1] == " "]
        if has_gap(spaced, sum(1 for rest in rests if rest[:1].strip())):
            rests = [rest[1:] if rest[:1] == " " else rest for rest in rests]
    for (i, _end, _key), rest in zip(hits, rests, strict=True):
        texts[i] = rest
    stripped = rows.with_texts(texts)
    if family.owner is not None:
        keys = dict.fromkeys(key for _i, _end, key in hits)
        named = {key: family.owner(key) for key in keys}
        outer = rows.owners
        owners: list[Owner | None] = [None] * len(texts) if outer is None else list(outer)
        for i, _end, key in hits:
            owners[i] = named[key] if owners[i] is None else merge(owners[i], named[key])
        stripped.owners = owners
    return stripped
