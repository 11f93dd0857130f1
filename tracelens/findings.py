"""What tracelens concludes: findings, fixes and the whole answer.

Everything a report shows is here before rendering starts. The JSON keys of
the answer are the field names of these classes.
"""

from __future__ import annotations

from tracelens.record import Record
from tracelens.text import Span
from tracelens.typed import TYPE_CHECKING, Enum, IntEnum

if TYPE_CHECKING:
    from tracelens.events import MachineFact
    from tracelens.timeline import Timeline  # only a trace has one, and an import costs every start
    from tracelens.verification import Verification  # the same


class RootCause(Enum):
    """The four root causes; "not classified" is ``None``."""

    TOOLCHAIN = "toolchain"
    CACHE = "cache"
    DYNAMIC_SHAPES = "dynamic-shapes"
    ABI = "abi"


class Outcome(Enum):
    """What the log shows, in one word."""

    DIAGNOSED = "diagnosed"
    OUTSIDE = "outside"
    UNEXPLAINED = "unexplained"
    CLEAN = "clean"


class Severity(Enum):
    """What a failure did to the run."""

    FATAL = "fatal"
    DEGRADED = "degraded"
    HANDLED = "handled"


class Role(Enum):
    """What a finding is to the others of the same failure.

    A consequence usually follows from something else; a fallback is generic
    and stands only where nothing better does.
    """

    CAUSE = "cause"
    CONSEQUENCE = "consequence"
    FALLBACK = "fallback"


class Confidence(Enum):
    """How sure a finding is."""

    CERTAIN = "certain"
    LIKELY = "likely"
    POSSIBLE = "possible"


class Stage(Enum):
    """The stages of the compile pipeline, in order."""

    DYNAMO = "dynamo"
    AOT_AUTOGRAD = "aot_autograd"
    INDUCTOR = "inductor"
    TRITON = "triton"
    CPP = "cpp"
    NINJA = "ninja"
    RUNTIME = "runtime"


class StageStatus(Enum):
    """What the log says of one stage."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_REACHED = "not reached"
    UNKNOWN = "unknown"


class EvidenceRole(Enum):
    """Whether a line proves the finding or only helps to read it."""

    ROOT = "root"
    CONTEXT = "context"


class FixKind(Enum):
    """Where a fix is typed."""

    SHELL = "shell"
    ENV = "env"
    CODE = "code"
    CONFIG = "config"


class Risk(Enum):
    """What a fix can do to the machine or the results."""

    SAFE = "safe"
    REVIEW = "review"
    DESTRUCTIVE = "destructive"


#: Of every JSON document that tracelens writes; it grows by a minor number with each new key.
SCHEMA_VERSION = "1.0"


class ExitCode(IntEnum):
    """The exit codes of ``tracelens analyze``."""

    #: The log is explained: diagnosed, outside or clean.
    EXPLAINED = 0
    #: A failure stays unexplained.
    UNEXPLAINED = 1
    #: Usage, unreadable input or a bad rule file.
    USAGE = 2
    #: An internal error.
    INTERNAL = 3
    #: ``--verify`` contradicts the diagnosis.
    CONTRADICTED = 4
    #: ``--verify`` settles nothing: the failure is not here, or could not be run.
    UNSETTLED = 5
    #: ``--exit-on-failure`` and the log is not clean.
    FAILURE = 10


class Evidence(Record):
    """Lines of the input that make a finding true; ``text`` is raw.

    ``source`` names the artifact that the lines are in; ``None`` is the log itself.
    """

    span: Span
    text: str
    role: EvidenceRole
    source: str | None = None


class FixVerification(Record):
    """What a re-run said of one fix; ``status`` as in ``Verification``."""

    status: str
    note: str | None = None


class Fix(Record):
    """One thing to do, fitted to the platform that the log shows.

    ``proven`` is the corpus case that proves it, ``None`` when unproven.
    """

    id: str
    title: str
    kind: FixKind
    commands: tuple[str, ...]
    risk: Risk
    needs_root: bool
    platform: str | None
    proven: str | None
    verification: FixVerification | None = None


class NotHelpful(Record):
    """Popular advice that will not help here, and why not."""

    advice: str
    why: str


class UserFrame(Record):
    """A place in the user's own program; ``line`` is 1-based in the file at ``path``."""

    path: str
    line: int
    function: str | None = None
    source: str | None = None


class Fingerprint(Record):
    """A name of a cause that is the same on all machines, and words to search other reports of it by."""

    value: str
    search: str


class LogExcerpt(Record):
    """Lines of the input as they are, for a report that has to stand by itself."""

    span: Span
    text: str


class Finding(Record):
    """One conclusion of one rule, with all that a report says of it."""

    code: str
    label: str
    title: str
    summary: str
    severity: Severity
    confidence: Confidence
    stage: Stage | None
    rank: int | None
    process: str | None
    occurrences: int
    evidence: tuple[Evidence, ...]
    fixes: tuple[Fix, ...]
    because: str
    not_helpful: tuple[NotHelpful, ...]
    explanation: str = ""
    references: tuple[str, ...] = ()
    ranks: tuple[int, ...] = ()
    role: Role = Role.CAUSE
    #: The inputs it was found in; empty where there is only one.
    sources: tuple[str, ...] = ()
    #: Where in the user's program it came from; ``None`` where the log shows no such line.
    user_frame: UserFrame | None = None
    fingerprint: Fingerprint | None = None

    @property
    def root_cause(self) -> RootCause | None:
        """Return the root cause that the label belongs to, if to any."""
        cause = self.label.partition("/")[0]
        return next((root for root in RootCause if root.value == cause), None)

    @property
    def line(self) -> int | None:
        """Return the 1-based line of the first root evidence."""
        root = self.root
        return None if root is None else root.span.line

    @property
    def root(self) -> Evidence | None:
        """Return the first piece of root evidence."""
        return next((item for item in self.evidence if item.role is EvidenceRole.ROOT), None)


class PipelineStage(Record):
    """One stage of the pipeline line."""

    stage: Stage
    status: StageStatus


class Environment(Record):
    """What the log itself says of the machine; ``None`` where it is silent."""

    torch: str | None = None
    triton: str | None = None
    cuda: str | None = None
    python: str | None = None
    os: str | None = None
    gpu: str | None = None
    driver: str | None = None
    compiler: str | None = None
    package_manager: str | None = None
    ranks: int | None = None


class Coverage(Record):
    """Lines of the input, and how many of the parsed ones were understood."""

    lines: int
    parsed: int
    unparsed: int


class Diagnostic(Record):
    """A remark about our own work on this input."""

    code: str
    message: str
    line: int | None = None


class CheckStatus(Enum):
    """What came of one look at the machine."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_RUN = "not run"


class Check(Record):
    """One look at the machine: what was seen, in words, and as facts for the rules.

    ``output`` is what a tool printed; it is read as a log is.
    """

    name: str
    status: CheckStatus
    detail: str
    facts: tuple[MachineFact, ...] = ()
    output: str = ""


class Replacement(Record):
    """How often something of one kind was redacted, and how many different ones there were."""

    kind: str
    times: int
    different: int


class Unexplained(Record):
    """What was seen when no rule explains a failure, and what to try next."""

    seen: str
    next_command: str


class Diagnosis(Record):
    """The whole answer for one input."""

    outcome: Outcome
    root_cause: RootCause | None
    label: str | None
    confidence: Confidence | None
    findings: tuple[Finding, ...]
    environment: Environment
    pipeline: tuple[PipelineStage, ...]
    coverage: Coverage
    diagnostics: tuple[Diagnostic, ...] = ()
    unexplained: Unexplained | None = None
    source: str = "-"
    #: The lines shown when nothing explains the failure.
    evidence: tuple[Evidence, ...] = ()
    #: What the compilations of a trace took; ``None`` without one.
    timeline: Timeline | None = None
    #: What was looked at, where it was a machine and no log.
    checks: tuple[Check, ...] = ()
    #: Of the failure that the answer is about; ``None`` when clean.
    fingerprint: Fingerprint | None = None
    #: As much of the log as was asked for.
    excerpts: tuple[LogExcerpt, ...] = ()
    #: What a re-run on this machine showed, where one was asked for.
    verification: Verification | None = None
