"""The cases of the corpus, and what our own code answers to each, once a process."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING

from corpus.score import Case, load_cases
from tests.command import CORPUS
from tracelens.api import analyze_feed
from tracelens.ruleset.bundled import load_ruleset
from tracelens.source import expand_inputs

if TYPE_CHECKING:
    from tracelens.findings import Diagnosis
    from tracelens.ruleset.compiled import RuleSet

#: The folders that hold cases: ``messages`` are only tested, the others are scored too.
SETS = tuple(sorted({file.relative_to(CORPUS).parts[0] for file in CORPUS.rglob("case.yml")}))


@cache
def all_cases() -> dict[str, Case]:
    """Return every case by its id, which is its folder."""
    return {case.id: case for name in SETS for case in load_cases(name, "")}


@lru_cache(maxsize=4096)
def diagnose_case(identity: str) -> Diagnosis:
    """Analyse the log of a case as the command does."""
    (entry,) = expand_inputs([str(all_cases()[identity].log)])
    with entry.open() as feed:
        return analyze_feed(feed, our_rules(), source=identity)


@cache
def our_rules() -> RuleSet:
    """Return the rules of this checkout."""
    return load_ruleset()
