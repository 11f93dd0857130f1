"""A machine contradicts a diagnosis only when it has the failure and what is recommended does not help."""

from __future__ import annotations

import pytest

from tracelens.verification import Baseline, BaselineStatus, FixRun, FixStatus, Verdict
from tracelens.verify.verify import verdict_of

FIXES, FAILS, LEFT_OUT = FixStatus.FIXES, FixStatus.DOES_NOT_FIX, FixStatus.NOT_APPLICABLE


@pytest.mark.parametrize(
    ("baseline", "recommended", "asked_for", "verdict"),
    [
        (BaselineStatus.REPRODUCED, [LEFT_OUT, FIXES], [FAILS], Verdict.CONFIRMED),
        (BaselineStatus.REPRODUCED, [FAILS, FixStatus.DIFFERENT], [FIXES], Verdict.CONTRADICTED),
        (BaselineStatus.REPRODUCED, [LEFT_OUT], [FAILS], Verdict.OPEN),
        (BaselineStatus.REPRODUCED, [FixStatus.CANNOT_TELL], [], Verdict.OPEN),
        (BaselineStatus.NOT_REPRODUCED, [FixStatus.NOT_RUN], [], Verdict.OPEN),
        (BaselineStatus.DIFFERENT, [FixStatus.NOT_RUN], [], Verdict.OPEN),
        (BaselineStatus.COULD_NOT_RUN, [FixStatus.NOT_RUN], [], Verdict.OPEN),
    ],
)
def test_runs_are_weighed(baseline, recommended, asked_for, verdict):
    runs = [FixRun(fix="a", status=status) for status in recommended]
    runs += [FixRun(fix="b", status=status, recommended=False) for status in asked_for]
    assert verdict_of(Baseline(status=baseline, label=None, seconds=1.0), runs) is verdict
