"""What a rule is once its file has been read and found sound.

Conditions are a closed union of four records. Which fields a leaf may carry,
and of which type, is one table; so is what each kind of leaf tells a text.
"""

from __future__ import annotations

from enum import Enum

from tracelens.events import GuardKind, Level, Owner
from tracelens.findings import Confidence, FixKind, NotHelpful, Risk, Role, Severity, Stage
from tracelens.ruleset.patterns import Pattern
from tracelens.topics import Topic
from tracelens.typed import NamedTuple, TypeAlias


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


class FieldType(Enum):
    """What a field of a leaf accepts, in words for the author of a rule."""

    #: A text is a pattern to search; a list holds exact values.
    TEXT = "a pattern, or a list of exact values"
    #: A closed list of values; several may be given.
    CHOICE = "a list of allowed values"
    FLAG = "true or false"
    NUMBERS = "a whole number or a list of them"
    #: A pattern, or true/false for "is there at all".
    PRESENCE = "a pattern, or true or false"


class Field(NamedTuple):
    """One field of a leaf; ``allowed`` is empty unless it is a choice.

    ``listed`` fields must be given as a list: one value alone is too easily
    taken for a pattern that covers others.
    """

    type: FieldType
    allowed: tuple[str, ...] = ()
    listed: bool = False


_TEXT = Field(type=FieldType.TEXT)
_FLAG = Field(type=FieldType.FLAG)
_PRESENCE = Field(type=FieldType.PRESENCE)
_GUARD_KINDS = Field(type=FieldType.CHOICE, allowed=tuple(kind.value for kind in GuardKind))

#: The tools a compiler diagnostic may come from.
TOOLS = (
    "gcc",
    "clang",
    "msvc",
    "nvcc",
    "ptxas",
    "ld",
    "as",
    "ar",
    "cmake",
    "mlir",
    "llvm",
    "loader",
    "shell",
    "driver",
    "compiler",
)
#: The severities of compiler diagnostics.
SEVERITIES = ("fatal error", "error", "warning", "note", "info")

FIELDS: dict[Kind, dict[str, Field]] = {
    Kind.EXCEPTION: {
        "type": _TEXT,
        "message": _TEXT,
        "frame": _TEXT,
        "innermost": _TEXT,
        "owner": Field(type=FieldType.CHOICE, allowed=tuple(owner.value for owner in Owner)),
        "position": Field(type=FieldType.CHOICE, allowed=("innermost", "outermost")),
        "headless": _FLAG,
        "unfinished": _FLAG,
    },
    Kind.RECORD: {
        "level": Field(type=FieldType.CHOICE, allowed=tuple(level.value for level in Level)),
        "location": _TEXT,
        "artifact": _TEXT,
        "message": _TEXT,
    },
    Kind.INVOCATION: {"program": _TEXT, "command": _TEXT, "failed": _FLAG},
    Kind.DIAGNOSTIC: {
        "tool": Field(type=FieldType.CHOICE, allowed=TOOLS),
        "severity": Field(type=FieldType.CHOICE, allowed=SEVERITIES, listed=True),
        "message": _TEXT,
        "path": _TEXT,
        "context": _TEXT,
    },
    Kind.NINJA: {"message": _TEXT, "output": _TEXT, "stopped": _PRESENCE},
    Kind.GUARD: {"kind": _GUARD_KINDS, "expression": _TEXT, "source": _TEXT},
    Kind.RECOMPILE: {"function": _TEXT, "kind": _GUARD_KINDS},
    Kind.RECOMPILE_LIMIT: {
        "setting": _TEXT,
        "function": _TEXT,
        "message": _TEXT,
        "kind": _GUARD_KINDS,
    },
    Kind.GRAPH_BREAK: {"type": _TEXT, "message": _TEXT},
    Kind.CUDAGRAPH_SKIP: {"reason": _TEXT, "rerecord": _FLAG},
    Kind.AUTOTUNE: {"message": _TEXT},
    Kind.CACHE_MESSAGE: {"message": _TEXT},
    Kind.EXIT: {"signal": _PRESENCE, "exit_code": Field(type=FieldType.NUMBERS), "message": _TEXT},
    Kind.OBSERVED: {
        "topic": Field(type=FieldType.CHOICE, allowed=tuple(topic.value for topic in Topic)),
        "message": _TEXT,
    },
    Kind.ARTIFACT: {"kind": _TEXT, "path": _TEXT},
    Kind.GRAPH: {"kind": _TEXT},
    Kind.ENVIRONMENT: {"fact": _TEXT, "value": _TEXT},
    Kind.UNFINISHED: {"message": _TEXT},
    Kind.COMPILED: {"function": _TEXT},
    Kind.TEXT: {"message": _TEXT},
    Kind.SAID: {"message": _TEXT},
}

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

_GUARD_CAPTURES = ("guard", "kind", "source", "dimension", "expected", "actual")

#: What each kind of leaf gives to titles and commands without any named group.
AUTOMATIC_CAPTURES: dict[Kind, tuple[str, ...]] = {
    Kind.EXCEPTION: ("type", "message", "frame"),
    Kind.RECORD: ("message", "location"),
    Kind.INVOCATION: ("program",),
    Kind.DIAGNOSTIC: ("message", "path", "tool"),
    Kind.NINJA: ("message", "output"),
    Kind.GUARD: _GUARD_CAPTURES,
    Kind.RECOMPILE: ("function", *_GUARD_CAPTURES),
    Kind.RECOMPILE_LIMIT: ("limit", "setting", "function", "message", *_GUARD_CAPTURES),
    Kind.GRAPH_BREAK: ("type", "message"),
    Kind.CUDAGRAPH_SKIP: ("reason",),
    Kind.AUTOTUNE: ("message", "choice"),
    Kind.CACHE_MESSAGE: ("message",),
    Kind.EXIT: ("message", "signal", "exit_code"),
    Kind.OBSERVED: ("message", "path", "reason", "holder"),
    Kind.ARTIFACT: ("artifact", "path"),
    Kind.GRAPH: (),
    Kind.ENVIRONMENT: ("fact", "value"),
    Kind.UNFINISHED: ("message",),
    Kind.COMPILED: ("function",),
    Kind.TEXT: ("message",),
    Kind.SAID: ("message",),
}

#: Facts of the log's environment that every text of a rule may use.
ENVIRONMENT_CAPTURES = (
    "torch",
    "triton",
    "cuda",
    "python",
    "python_minor",
    "os",
    "gpu",
    "driver",
    "script",
)

#: The platforms that commands can be written for.
PLATFORMS = ("any", "debian", "fedora", "alpine", "arch", "suse", "conda", "macos", "windows")


class Place(NamedTuple):
    """Where a further event must stand, seen from the primary one."""

    within: int | None = None
    before: bool = False
    after: bool = False
    same: Same | None = None


class Leaf(NamedTuple):
    """A condition on one event: every field given must hold.

    ``said_in`` is empty where ``said`` looks at every kind. ``at_least`` asks for
    that many events of one process.
    """

    kind: Kind
    patterns: tuple[tuple[str, Pattern], ...] = ()
    choices: tuple[tuple[str, tuple[str | int | bool, ...]], ...] = ()
    said_in: tuple[Kind, ...] = ()
    at_least: int = 1
    place: Place | None = None


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
    these which any line there says, and what began earlier is not excused. With
    ``only``, nothing there is excused but what says that. A ``quiet``
    rule tells of nothing but what it excuses.
    """

    severity: Severity
    before: int = 0
    after: int = 0
    only: Pattern | None = None
    quiet: bool = False
    since: tuple[Pattern, ...] = ()


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
