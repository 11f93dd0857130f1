"""The map: what each message site means, decided by hand in YAML.

Each file of ``map/`` speaks of some modules and lists rules; the first rule
that fits decides. A file that is ``closed`` has the last word on its modules,
so that no general rule of a later file can take a message there. A site that
no rule fits is unmapped, which is an error: that is how a new message of a
new release asks to be read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from corpus.lab.inventory.sites import Site, settled

MAP = Path(__file__).with_name("map")
#: Decisions that are no label: the run goes on, or another message decides.
NOT_A_FAILURE = "not a failure"
WRAPPER = "wrapper"
_FIELDS = {"modules", "functions", "kinds", "how", "text", "values", "label", "because"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What a site means: the best label first, then others that are right too.

    ``values`` fill holes whose value decides the meaning.
    """

    labels: tuple[str, ...]
    because: str
    values: Mapping[str, str]
    where: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One entry of the map; empty conditions hold for every site."""

    modules: tuple[str, ...]
    functions: tuple[str, ...]
    kinds: tuple[str, ...]
    how: tuple[str, ...]
    text: re.Pattern[str] | None
    decision: Decision

    def fits(self, site: Site) -> bool:
        """Tell whether every condition holds."""
        return (
            (not self.modules or _any(self.modules, settled(site.module)))
            and (not self.functions or _any(self.functions, site.function))
            and (not self.kinds or _any(self.kinds, site.kind))
            and (not self.how or site.how.value in self.how)
            and (self.text is None or self.text.search(site.flat) is not None)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter:
    """One file of the map."""

    modules: tuple[str, ...]
    closed: bool
    rules: tuple[Rule, ...]


def decide(site: Site, chapters: Iterable[Chapter]) -> Decision | None:
    """Return the decision of the first rule that fits, if any."""
    for chapter in chapters:
        if not _any(chapter.modules, settled(site.module)):
            continue
        for rule in chapter.rules:
            if rule.fits(site):
                return rule.decision
        if chapter.closed:
            return None
    return None


def load_map(folder: Path = MAP) -> tuple[Chapter, ...]:
    """Read every file of the map, in the order of their names."""
    return tuple(_read_chapter(file) for file in sorted(folder.glob("*.yml")))


def _read_chapter(file: Path) -> Chapter:
    document = yaml.safe_load(file.read_text(encoding="utf-8"))
    return Chapter(
        modules=_texts(document["modules"]),
        closed=document.get("closed", False),
        rules=tuple(
            _read_rule(entry, f"{file.name} rule {number}") for number, entry in enumerate(document["rules"], start=1)
        ),
    )


def _read_rule(entry: dict[str, Any], where: str) -> Rule:
    unknown = set(entry) - _FIELDS
    if unknown or not entry.get("label") or not entry.get("because"):
        message = f"{where}: needs label and because, knows {sorted(_FIELDS)}, has {sorted(entry)}"
        raise ValueError(message)
    text = entry.get("text")
    return Rule(
        modules=_texts(entry.get("modules", ())),
        functions=_texts(entry.get("functions", ())),
        kinds=_texts(entry.get("kinds", ())),
        how=_texts(entry.get("how", ())),
        # Folded YAML joins alternatives with blanks after the bar.
        text=re.compile(text.replace("| ", "|")) if text else None,
        decision=Decision(
            labels=_texts(entry["label"]),
            because=entry["because"],
            values={str(key): str(value) for key, value in entry.get("values", {}).items()},
            where=where,
        ),
    )


def _texts(value: str | Iterable[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


@lru_cache(maxsize=65536)
def _any(globs: tuple[str, ...], name: str) -> bool:
    return any(fnmatchcase(name, glob) for glob in globs)
