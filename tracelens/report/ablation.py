"""Which backend would still run: what the stages of the log say, and what to try."""

from __future__ import annotations

from tracelens.findings import Diagnosis, Stage, StageStatus

#: Each backend runs the stages of the one before it and more.
_BACKENDS = (
    ("eager", (Stage.DYNAMO,)),
    ("aot_eager", (Stage.DYNAMO, Stage.AOT_AUTOGRAD)),
    (
        "inductor",
        (Stage.DYNAMO, Stage.AOT_AUTOGRAD, Stage.INDUCTOR, Stage.TRITON, Stage.CPP, Stage.NINJA, Stage.RUNTIME),
    ),
)


def ablation(diagnosis: Diagnosis) -> str:
    """Return a table of the backends of ``torch.compile`` and what this log says of each."""
    statuses = {item.stage: item.status for item in diagnosis.pipeline}
    rows = [
        f"| `{backend}` | {_verdict([statuses.get(stage, StageStatus.UNKNOWN) for stage in stages])} |"
        for backend, stages in _BACKENDS
    ]
    return "\n".join(("| backend of `torch.compile` | by this log |", "|---|---|", *rows))


def _verdict(statuses: list[StageStatus]) -> str:
    if StageStatus.FAILED in statuses:
        return "fails"
    if all(status is StageStatus.PASSED for status in statuses):
        return "its stages passed; not run by itself"
    return "not known; run it"
