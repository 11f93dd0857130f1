"""Feeds each message through ``analyze`` and compares the answer with the map."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from corpus.lab.inventory.decisions import NOT_A_FAILURE, WRAPPER, Chapter, Decision, decide
from corpus.lab.inventory.dressing import Dress, dresses, era_of
from corpus.lab.inventory.releases import Release
from corpus.lab.inventory.sites import How, Site
from tracelens.api import analyze_text
from tracelens.findings import Diagnosis, Outcome
from tracelens.ruleset.bundled import load_ruleset


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """One message in one dress: what the map says, what analyze says."""

    site: Site
    dress: Dress
    decision: Decision
    answer: Diagnosis

    @property
    def is_right(self) -> bool:
        """Tell whether the answer is one that the map allows."""
        return any(_allows(label, self.answer, self.site) for label in self.decision.labels)

    @property
    def is_best(self) -> bool:
        """Tell whether the answer is the one that the map prefers."""
        return _allows(self.decision.labels[0], self.answer, self.site)

    def __str__(self) -> str:
        """Put everything that helps to decide who is wrong in one line."""
        codes = " ".join(finding.code for finding in self.answer.findings)
        return (
            f"{self.site.key} [{self.dress.name}] map: {' or '.join(self.decision.labels)} ({self.decision.where}); "
            f"analyze: {self.answer.label or self.answer.outcome.value} {codes}"
        )


def judge(release: Release, sites: Iterable[Site], chapters: tuple[Chapter, ...]) -> Iterator[Verdict]:
    """Yield a verdict on each mapped site in each of its dresses."""
    era = era_of(release.package, release.order)
    ruleset = load_ruleset()
    for site in sites:
        decision = decide(site, chapters)
        if decision is None:
            continue
        for dress in dresses(site, era, decision.values):
            yield Verdict(site=site, dress=dress, decision=decision, answer=analyze_text(dress.log, ruleset))


def unmapped(sites: Iterable[Site], chapters: tuple[Chapter, ...]) -> tuple[Site, ...]:
    """Return the sites that nobody has decided about."""
    return tuple(site for site in sites if decide(site, chapters) is None)


def _allows(label: str, answer: Diagnosis, site: Site) -> bool:
    if label == NOT_A_FAILURE and site.how in (How.LOGGED, How.WARNED):
        return answer.outcome is Outcome.CLEAN
    if label in (NOT_A_FAILURE, WRAPPER):
        # No root cause is accused on the strength of a message that names none.
        return answer.outcome is not Outcome.DIAGNOSED
    return answer.label == label
