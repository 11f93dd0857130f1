"""How far the map and the rules know a release, as figures."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from corpus.lab.inventory.judging import Verdict
from tracelens.findings import Outcome, RootCause

_CAUSES = tuple(cause.value for cause in RootCause)
HEAD = "release          messages  mapped    new   gone   logs  agreed   best label   of a root cause   falsely accused"


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Counts over one release; ``logs`` are messages in each of their dresses."""

    name: str
    messages: int
    unmapped: int
    new: int
    gone: int
    logs: int = 0
    agreed: int = 0
    best: int = 0
    causes: int = 0
    causes_agreed: int = 0
    accused: int = 0

    def __str__(self) -> str:
        """Lay the counts out under ``HEAD``."""
        mapped = _share(self.messages - self.unmapped, self.messages)
        row = f"{self.name:<16}{self.messages:>9}{mapped:>8}{self.new:>7}{self.gone:>7}"
        if not self.logs:
            return row
        causes = f"{self.causes_agreed} of {self.causes}"
        return (
            f"{row}{self.logs:>7}{_share(self.agreed, self.logs):>8}{_share(self.best, self.logs):>13}"
            f"{causes:>18}{self.accused:>18}"
        )


def count(verdicts: Iterable[Verdict]) -> dict[str, int]:
    """Count verdicts, under the names of the fields of ``Figures``."""
    counts = dict.fromkeys(("logs", "agreed", "best", "causes", "causes_agreed", "accused"), 0)
    for verdict in verdicts:
        labels = verdict.decision.labels
        counts["logs"] += 1
        counts["agreed"] += verdict.is_right
        counts["best"] += verdict.is_best
        if is_of_a_cause(labels[0]):
            counts["causes"] += 1
            counts["causes_agreed"] += verdict.is_right
        diagnosed = verdict.answer.outcome is Outcome.DIAGNOSED
        counts["accused"] += diagnosed and not any(is_of_a_cause(label) for label in labels)
    return counts


def is_of_a_cause(label: str) -> bool:
    """Tell whether a label belongs to one of the four root causes."""
    return label.partition("/")[0] in _CAUSES


def _share(part: int, whole: int) -> str:
    # Rounded down, so that 100% means all of them.
    return f"{int(1000 * part / whole) / 10}%" if whole else "-"
