"""What a rule is once its file has been read and found sound.

Conditions are a closed union of four records. Which fields a leaf may carry is
told in ``vocabulary``, which only those need who read or write rule files.
"""

from __future__ import annotations

from tracelens.findings import Confidence, FixKind, NotHelpful, Risk, Role, Severity, Stage
from tracelens.ruleset.patterns import Pattern
from tracelens.typed import Enum, NamedTuple, TypeAlias


class Kind(Enum):
    """The kinds of leaf, named as rule files spell them."""

    EXCEPTION = "exception"
    RECORD = "record"
    INVOCATION = "invocation"
    DIAGNOSTIC = "diagnostic"
    NINJA = "ninja"
    GUARD = "guard"
    RECOMPILE = "recompile"
    RECOMPILE_LIMIT = "recompile_limit"
    GRAPH_BREAK = "graph_break"
    CUDAGRAPH_SKIP = "cudagraph_skip"
    AUTOTUNE = "autotune"
    CACHE_MESSAGE = "cache_message"
    EXIT = "exit"
    OBSERVED = "observed"
    ARTIFACT = "artifact"
    GRAPH = "graph"
    ENVIRONMENT = "environment"
    UNFINISHED = "unfinished"
    COMPILED = "compiled"
    TEXT = "text"
    SAID = "said"


class Carrier(Enum):
    """Whether a WARNING, INFO or DEBUG record lowers what it carries."""

    LOWER = "lower"
    KEEP = "keep"


class Same(Enum):
    """What a further event must share with the primary one."""

    CHAIN = "chain"
    PROCESS = "process"


#: Kinds whose events say something, so that ``said`` looks at them.
SAYING = (
    Kind.EXCEPTION,
    Kind.RECORD,
    Kind.DIAGNOSTIC,
    Kind.EXIT,
    Kind.AUTOTUNE,
    Kind.CACHE_MESSAGE,
    Kind.RECOMPILE_LIMIT,
    Kind.GRAPH_BREAK,
    Kind.CUDAGRAPH_SKIP,
    Kind.NINJA,
    Kind.TEXT,
)


class Place(NamedTuple):
    """Where a further event must stand, seen from the primary one.

    One that is the ``root`` says why, and the primary one only what came of it: evidence begins with it.
    """

    within: int | None = None
    before: bool = False
    after: bool = False
    same: Same | None = None
    root: bool = False


class Leaf(NamedTuple):
    """A condition on one event: every field given must hold.

    ``said_in`` is empty where ``said`` looks at every kind. ``at_least`` asks for
    that many events of one process; ``grows`` names a capture whose size must grow from one to the next.
    """

    kind: Kind
    patterns: tuple[tuple[str, Pattern], ...] = ()
    choices: tuple[tuple[str, tuple[str | int | bool, ...]], ...] = ()
    said_in: tuple[Kind, ...] = ()
    at_least: int = 1
    place: Place | None = None
    grows: str | None = None


class AnyOf(NamedTuple):
    """Holds where any of its conditions holds; the first in order leads."""

    conditions: tuple[Condition, ...]


class AllOf(NamedTuple):
    """Holds where the first condition holds and the others hold around it."""

    conditions: tuple[Condition, ...]


class Not(NamedTuple):
    """Holds where its condition does not, seen from the primary event."""

    condition: Condition


Condition: TypeAlias = Leaf | AnyOf | AllOf | Not


class Handles(NamedTuple):
    """A neighbourhood in which torch recovered by itself, in lines.

    With ``since``, it begins at the nearest line before that says the first of
    these which any line there says, else below the last traceback that ended a
    program, and what began earlier is not excused. Nor is what stands above the
    end of a process. With ``only``, nothing there is excused but what says that; with ``unless``, nothing
    that says this. A ``quiet`` rule tells of nothing but what it excuses.
    """

    severity: Severity
    before: int = 0
    after: int = 0
    only: Pattern | None = None
    quiet: bool = False
    since: tuple[Pattern, ...] = ()
    unless: Pattern | None = None


class FixTemplate(NamedTuple):
    """A fix with commands for each platform and holes for captures.

    Exactly one of ``proven`` (a corpus case) and ``unproven`` (why there is
    no proof) is given.
    """

    id: str
    title: str
    kind: FixKind
    risk: Risk
    needs_root: bool
    commands: tuple[tuple[str, tuple[str, ...]], ...]
    proven: str | None = None
    unproven: str | None = None


class Examples(NamedTuple):
    """Short texts of logs, each whole in itself: a rule finds the positive ones and passes over the others."""

    positive: tuple[str, ...] = ()
    negative: tuple[str, ...] = ()


NO_EXAMPLES = Examples()


class Rule(NamedTuple):
    """One rule. ``foreign`` rules come from outside this package.

    ``examples`` are for those who read and test rule files; compiled rules come without.
    """

    code: str
    name: str
    label: str
    title: str
    summary: str
    severity: Severity
    confidence: Confidence
    stage: Stage | None
    role: Role
    weight: int
    carrier: Carrier
    versions: tuple[tuple[str, str], ...]
    when: Condition
    unless: tuple[Condition, ...]
    handles: Handles | None
    explanation: str
    fixes: tuple[FixTemplate, ...]
    not_helpful: tuple[NotHelpful, ...]
    references: tuple[str, ...]
    matches: tuple[str, ...]
    rejects: tuple[str, ...]
    aliases: tuple[str, ...] = ()
    foreign: bool = False
    examples: Examples = NO_EXAMPLES
