"""What a re-run on this machine showed: records of a verification, and its closed vocabulary.

The JSON keys of ``verification`` are the field names of these classes.
"""

from __future__ import annotations

from tracelens.record import Record
from tracelens.typed import Enum


class GraphSource(Enum):
    """What was run in the place of the user's program."""

    #: The very graph that failed, or the module that Inductor made from it.
    EXACT = "exact"
    #: The user's own program, by explicit request.
    SCRIPT = "script"
    #: A small graph of ours, for failures that do not depend on the graph.
    PROBE = "probe"
    NONE = "none"


class BaselineStatus(Enum):
    """What the machine did without any fix."""

    REPRODUCED = "reproduced"
    NOT_REPRODUCED = "not reproduced"
    DIFFERENT = "different failure"
    COULD_NOT_RUN = "could not run"


class FixStatus(Enum):
    """What the machine did with a fix."""

    FIXES = "fixes"
    DOES_NOT_FIX = "does not fix"
    DIFFERENT = "different failure"
    NOT_APPLICABLE = "not applicable here"
    CANNOT_TELL = "cannot tell"
    NOT_RUN = "not run"


class Verdict(Enum):
    """What all runs together say of the diagnosis."""

    #: The failure is here, and a fix that the diagnosis recommends ends it.
    CONFIRMED = "confirmed"
    #: The failure is here, and no recommended fix that could be tried helps.
    CONTRADICTED = "contradicted"
    #: The failure is not here, the machine has another one, or nothing could be tried.
    OPEN = "open"


class VerifiedGraph(Record):
    """What was run; ``ops`` counts its operators."""

    kind: GraphSource
    source: str | None = None
    compile_id: str | None = None
    ops: int | None = None
    note: str | None = None


class Baseline(Record):
    """The run without any fix; ``label`` is what tracelens reads in its output."""

    status: BaselineStatus
    label: str | None
    seconds: float
    note: str | None = None
    compiles: int | None = None


class FixRun(Record):
    """One run with one fix, and its cost."""

    fix: str
    status: FixStatus
    label: str | None = None
    compile_s: float | None = None
    step_ms: float | None = None
    compiles: int | None = None
    max_abs_error: float | None = None
    note: str | None = None
    #: Whether the diagnosis recommends it, or the user asked to try it.
    recommended: bool = True


class ModeRun(Record):
    """One row of the matrix: what one way of compiling costs and gives."""

    mode: str
    status: str
    first_call_s: float | None = None
    step_ms: float | None = None
    step_spread_ms: float | None = None
    samples_per_s: float | None = None
    #: How many times as fast as eager; ``None`` where either did not run.
    gain: float | None = None
    peak_mib: float | None = None
    note: str | None = None


class Verification(Record):
    """The whole answer of a machine to one diagnosis."""

    graph: VerifiedGraph
    device: str | None
    torch: str | None
    baseline: Baseline | None
    runs: tuple[FixRun, ...]
    matrix: tuple[ModeRun, ...] = ()
    #: What the matrix measured; ``None`` without one.
    matrix_of: str | None = None
    verdict: Verdict = Verdict.OPEN
