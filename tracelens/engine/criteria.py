"""What sets two candidates apart, in words that can be told; only asked by those who ask why."""

from __future__ import annotations

from collections.abc import Sequence

from tracelens.engine.judge import Candidate
from tracelens.engine.log import Log
from tracelens.engine.rank import order_of
from tracelens.typed import Enum


class Criterion(Enum):
    """What candidates are ordered by, in this order; ``FAILURE`` compares the best of what each failure holds."""

    SEVERITY = "severity"
    ROLE = "role"
    PROCESS = "process"
    FAILURE = "failure"
    EARLIER_FAILURE = "earlier failure"
    DEPTH = "depth"
    WEIGHT = "weight"
    LINE = "line"


def what_decides(winner: Candidate, loser: Candidate, candidates: Sequence[Candidate], log: Log) -> Criterion:
    """Return the first thing in the order of candidates that sets two of those that are ranked apart."""
    order = order_of(candidates, log)
    pairs = zip(Criterion, order.key(winner), order.key(loser), strict=False)
    return next((criterion for criterion, one, other in pairs if one != other), Criterion.LINE)
