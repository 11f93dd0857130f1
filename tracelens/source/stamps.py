"""Find a stamp column of a form that nobody wrote down.

Where most lines of a region, or of a part of it, begin with the same shape
(digits become `0`) and that shape is a time, a priority or a bracketed tag,
it was put there by whatever carried the log. A shape that a level follows is
the header of a logging record and stays, unless tracebacks carry it too.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache, lru_cache

from tracelens.expressions import expression
from tracelens.source.columns import MOST
from tracelens.source.identity import Owner, merge
from tracelens.source.rows import Rows
from tracelens.source.signs import DAY, MIN_STAMPED, MONTH, STAMP_START, STAMPED

#: Rows of a part that are looked at, and how many parts of a region are.
_PART = 40
_MAX_PARTS = 12
#: A part of a region that has a column is at least a fiftieth of it.
_RARE = 50
#: Within a part, a column is on nearly every row.
_NEARLY_ALL = 0.85
#: So much of a row, and so many of its words, can be its column.
_HEAD = 96
_MAX_WORDS = 8
_NULLED = bytes.maketrans(b"123456789", b"000000000")

#: In a shape, digits (and hex ids) are `0`; these stand for the name of a day and of a month.
_A_DAY, _A_MONTH = "\x01", "\x02"
_DATE = r"(?:0[-/.]0[-/.]0|(?:\x01,? )?\x02 0(?:,? 0)?|(?:\x01,? )?0 \x02(?: 0)?|0-\x02-0)"
_ZONE = r"(?: ?[AP]M)?(?: ?(?:Z|UTC|GMT|MSK|[A-Z]{1,3}T|[+-]0(?::0)?))?"
_CLOCK = rf"0:0:0(?:[.,:]0)?{_ZONE}"
_STAMP = rf"[\[(<]?(?:{_DATE}[T ,_@:-]{{0,2}}(?:{_CLOCK}|0:0{_ZONE})|{_CLOCK}(?: 0)?)[\])>]?[:|,-]?"
#: The bare name of a host behind a stamp, which is not the head of torch's own records; other tags are columns of
#: their own once the stamp is gone.
_HOST = r"(?![VDIWEC]0(?: |$))[\w-]*[A-Za-z][\w.@-]*0[\w.@-]*"
_LEVELS = r"TRACE|DEBUG|INFO|WARN|WARNING|ERROR|CRITICAL|FATAL|SUCCESS|NOTICE"
_TAG_ALONE = rf"<0>|\[(?!{_LEVELS})[A-Za-z][^\]\s]*[0/][^\]\s]*\]|\[[A-Za-z]+ 0\]|[\w.-]+ [A-Za-z][\w.@/-]*\[0\]:"
#: stern: the name of a pod, which ends in a number or a hash, and of its container.
_POD = r"[a-z][a-z.-]*-[a-z0.-]*0[a-z0.-]* [a-z][a-z0-]*"
#: Behind the column of a carrier, the stamp or the header that the program itself wrote.
_RESTAMPED = expression(r"\s{1,2}(?:\[?\d{2,4}[-/.]\d\d[-/.]\d\d[T ]\d\d:\d\d|[VDIWEC]\d{4} \d\d:)")
_RANK = expression(r"\[[^\]]*(?:rank|gpu|device|worker|TP)[ _=:#-]?(\d{1,4})\]", re.IGNORECASE)
#: So much of a row is looked at to tell records from other lines.
_LOOK = 240


_TIMED = rf"{_STAMP}(?: {_HOST})?(?: [|-])?|0\.0s 0"


@cache
def _column(*, is_timed: bool) -> re.Pattern[str]:
    """Return the pattern of shapes that are columns; of few rows, only those with a time are."""
    return expression(_TIMED if is_timed else rf"{_TIMED}|{_TAG_ALONE}|{_POD}")


@cache
def _number() -> re.Pattern[str]:
    return expression(r"\b(?=[a-f]*\d)[0-9a-f]{7,}\b|\d+")


@cache
def _day_or_month() -> re.Pattern[str]:
    return expression(rf"\b{DAY}\b|\b({MONTH})\b")


@cache
def _level_follows() -> re.Pattern[str]:
    return expression(
        r"[\s\-:|\]\[(,.\d]{0,40}(?:\[[^\]\n]{0,80}\]\s{0,4})?(?:[\w.<>/\\]{1,100}(?::\d+)?[\s:|\-\]\[(]{1,4}){0,3}"
        rf"(?:{_LEVELS}|debug|info|warning|error)\b"
    )


@cache
def _goes_on() -> re.Pattern[str]:
    """Return the pattern of what no record begins with: a piece of a traceback."""
    return expression(r"[ \t]{2,}\S|Traceback \(most recent|[\w.]+(?:Error|Exception): |\s*[\^~]+$")


@cache
def _start() -> re.Pattern[str]:
    return expression(STAMP_START)


@cache
def _starts() -> re.Pattern[str]:
    return expression(STAMPED)


def strip_stamps(rows: Rows) -> Rows | None:
    """Take off the longest stamp-like shape that most rows begin with."""
    found = len(_starts().findall(rows.text))
    filled = len(rows.texts) - rows.texts.count("")
    if found < min(MIN_STAMPED, max(1, filled)) or found * _RARE < filled:
        return None
    for shape in _column_shapes(rows.texts):
        match = _texts_of(shape).match
        hits = [(i, hit) for i, text in enumerate(rows.texts) if (hit := match(text)) is not None]
        rests = [rows.texts[i][hit.end() :] for i, hit in hits]
        if rests and not _is_record_header(rests):
            return _without(rows, hits, rests, shape)
    return None


def _without(rows: Rows, hits: list[tuple[int, re.Match[str]]], rests: list[str], shape: str) -> Rows:
    gap = _gap_of(rests)
    texts = list(rows.texts)
    for (i, _hit), rest in zip(hits, rests, strict=True):
        texts[i] = rest[gap:] if not rest[:gap].strip() else rest
    stripped = rows.with_texts(texts)
    if _RANK.search(shape) or re.fullmatch(_POD, shape):
        known: dict[str, Owner] = {}
        owners: list[Owner | None] = [None] * len(texts) if rows.owners is None else list(rows.owners)
        for i, hit in hits:
            column = hit.group()
            if column not in known:
                known[column] = _owner_in(column)
            owners[i] = merge(owners[i], known[column])
        stripped.owners = owners
    return stripped


def _owner_in(column: str) -> Owner:
    """Return the process that a column names: by a rank in brackets, or as a pod and its container."""
    rank = _RANK.search(column)
    if rank is not None:
        return Owner(rank=int(rank.group(1)), sticky=True)
    return Owner(places=("/".join(column.split()),))


def _column_shapes(texts: list[str]) -> list[str]:
    """Return the shapes that may be the column, best first, looking at parts of a long region."""
    filled = [text for text in texts if text]
    if len(filled) <= _PART and (shapes := _common_shapes(filled, MOST)):
        return shapes
    votes: Counter[str] = Counter()
    for run in sorted(_stamped_runs(texts), key=len, reverse=True)[:_MAX_PARTS]:
        for shape in _common_shapes(run[:: max(1, len(run) // _PART)], _NEARLY_ALL):
            votes[shape] += len(run)
    votes.update(_common_shapes(filled[:: max(1, len(filled) // (_PART * 5))], MOST))
    # Most votes first, so that a part where two columns meet does not decide for all.
    return sorted(votes, key=lambda shape: (-votes[shape], -len(shape), shape))


def _stamped_runs(texts: list[str]) -> list[list[str]]:
    """Return the runs of rows that begin like a stamp; empty rows do not end one."""
    match = _start().match
    runs: list[list[str]] = [[]]
    for text in texts:
        if match(text):
            runs[-1].append(text)
        elif text and runs[-1]:
            runs.append([])
    return [run for run in runs if len(run) > MIN_STAMPED]


def _common_shapes(texts: list[str], share: float) -> list[str]:
    """Return the shapes of columns that so large a share of the texts begins with, longest first."""
    counts: Counter[str] = Counter()
    heads = "\n".join([text[: _HEAD + 1] for text in texts if text[0] not in " \t"]).encode("utf-8", "surrogatepass")
    # Many heads differ in their numbers only.
    nulled = heads.translate(_NULLED).decode("utf-8", "surrogatepass")
    for head, count in Counter(nulled.split("\n") if nulled else ()).items():
        for shape in _shapes_of(head):
            counts[shape] += count
    needed = max(min(MIN_STAMPED, len(texts)), share * len(texts))
    column = _column(is_timed=len(texts) < MIN_STAMPED)
    shapes = [shape for shape, count in counts.items() if count >= needed and column.fullmatch(shape)]
    return sorted(shapes, key=lambda shape: (-len(shape), shape))


@lru_cache(maxsize=256)
def _shapes_of(text: str) -> list[str]:
    """Return the shapes of the beginnings of a line, up to each of its first spaces; processes begin theirs alike."""
    words = _day_or_month().sub(_placeholder, _number().sub("0", text[:_HEAD])).split()
    if len(text) > _HEAD:
        words.pop()
    return [" ".join(words[:count]) for count in range(1, min(len(words), _MAX_WORDS) + 1)]


def _placeholder(found: re.Match[str]) -> str:
    return _A_MONTH if found.group(1) else _A_DAY


@lru_cache(maxsize=64)
def _texts_of(shape: str) -> re.Pattern[str]:
    """Return the pattern of every text of this shape."""
    special = {"0": r"[0-9a-f]*\d[0-9a-f]*", " ": r"[ \t]+", _A_MONTH: MONTH, _A_DAY: DAY}
    return expression("".join(special.get(character) or re.escape(character) for character in shape) + r"(?=[ \t]|$)")


def _is_record_header(rests: list[str]) -> bool:
    """Tell whether the column is the head of logging records: a level follows, and only first lines have it."""
    level, goes_on = _level_follows(), _goes_on()
    filled = [rest[:_LOOK] for rest in rests if rest.strip()]
    if any(_RESTAMPED.match(rest) or (goes_on.match(rest[1:]) and not level.match(rest)) for rest in filled):
        return False
    return sum(1 for rest in filled if level.match(rest)) * 2 > len(filled)


def _gap_of(rests: list[str]) -> int:
    """Return how many of the spaces behind the column are its own."""
    filled = [rest for rest in rests if rest.strip()]
    gaps = [len(rest) - len(rest.lstrip(" ")) for rest in filled]
    frames = [gap for gap, rest in zip(gaps, filled, strict=True) if rest.startswith('File "', gap)]
    # Python indents a frame by two; what lies before that is the column's.
    return max(0, min([*gaps, *(gap - 2 for gap in frames)], default=0))
