"""Facts read from a log, before anyone has judged them.

An event says what the log said and where. It never says what that means:
meaning lives in ``findings``, and rules are the only road between the two.
Equal facts are equal wherever they stood: spans do not take part in
comparison. Every event knows the process that printed it and, where a log
record carried it, that record's header.
"""

from __future__ import annotations

from tracelens.record import Record, aside
from tracelens.text import Process, Span
from tracelens.typed import TYPE_CHECKING, Enum, TypeAlias

if TYPE_CHECKING:
    from tracelens.topics import Topic  # nothing in a log is of any


class Level(Enum):
    """The level of a log record, as ``logging`` and glog name them.

    ``UNKNOWN`` is a header that names no level (``[2025-01-01 00:00:00 TP0]``
    of SGLang): it says nothing about how grave the message is.
    """

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"
    CRITICAL = "critical"
    UNKNOWN = "unknown"


class Owner(Enum):
    """Whose code a stack frame is in."""

    USER = "user"
    TORCH = "torch"
    TRITON = "triton"
    GENERATED = "generated"
    STANDARD_LIBRARY = "standard library"
    PACKAGE = "package"
    UNKNOWN = "unknown"


class Relation(Enum):
    """How an exception led to the next one in its chain."""

    CAUSE = "cause"
    CONTEXT = "context"
    EMBEDDED = "embedded"
    REMOTE = "remote"


class CompileId(Record):
    """``[0/2_1]`` or ``[!0/1/2]``, fields as in torch/_guards.py."""

    frame_id: int
    frame_compile_id: int
    compiled_autograd_id: int | None = None
    attempt: int = 0


class RecordHeader(Record):
    """The header of a log record: glog style, logging style, vLLM, absl.

    ``location`` is what stands before the message: ``module:line``, a logger
    name or a file. ``artifact`` is torch's artifact name without the leading
    underscores (``recompiles``, ``graph_code``).
    """

    level: Level
    location: str | None = None
    compile_id: CompileId | None = None
    artifact: str | None = None
    time: str | None = None


class _Event(Record):
    span: Span = aside()
    process: Process | None = None
    record: RecordHeader | None = None


class StackFrame(Record):
    """One entry of a traceback; ``line`` is 1-based in the file at ``path``."""

    path: str
    line: int | None
    function: str | None
    source: str | None = None
    owner: Owner = Owner.UNKNOWN


class Elision(Record):
    """Stack frames that were left out: by Python, by torch, by us."""

    count: int | None


class ChainedException(Record):
    """One exception of a chain.

    ``type_name`` is qualified as far as it was printed. ``message`` has no
    trailing blank lines. ``relation`` says how it led to the *next* one in
    the chain, ``None`` for the last. ``span`` covers type and message only.
    A wrapper that quotes another exception in its message
    (``BackendCompilerFailed``, ``InductorError``) is split: the quoted one
    stands before it with ``Relation.EMBEDDED`` and carries the quoted text.
    """

    type_name: str
    message: str
    span: Span = aside()
    frames: tuple[StackFrame | Elision, ...] = ()
    relation: Relation | None = None
    notes: tuple[str, ...] = ()


class ExceptionChain(_Event):
    """A traceback with all that led to it; oldest (innermost) first.

    ``exceptions`` is never empty. ``headless`` marks a chain whose beginning
    was cut away; ``unfinished`` one whose last exception line never came
    (its ``type_name`` is then empty).
    """

    exceptions: tuple[ChainedException, ...]
    headless: bool = False
    unfinished: bool = False


class LogRecord(_Event):
    """A record whose message is plain text; ``record`` is never ``None``."""

    message: str


class CompilerInvocation(_Event):
    """A command that runs a compiler, linker or assembler, as printed."""

    program: str
    command: str
    exit_status: int | None = None


class CompilerDiagnostic(_Event):
    """One message of a compiler, assembler or linker.

    ``tool`` is what printed it: gcc, clang, msvc, nvcc, ptxas, ld (and
    collect2, gold, lld, mold), as, ar, cmake, mlir, llvm, loader (the dynamic
    loader), shell (a program was not found), driver (``c++`` and the like, of
    unknown make), compiler (when it cannot be told). ``severity`` is "fatal error",
    "error", "warning", "note" or "info", whatever language it was printed
    in. ``context`` is the quoted source below it.
    """

    tool: str
    severity: str
    message: str
    path: str | None = None
    line: int | None = None
    column: int | None = None
    context: str | None = None


class NinjaBuild(_Event):
    """A failed edge or the end of a ninja build; ``outputs`` of failed edges."""

    outputs: tuple[str, ...] = ()
    stopped: str | None = None
    message: str = ""


class GuardKind(Enum):
    """What a guard looks at; only ``SIZE`` answers to ``dynamic=True``."""

    SIZE = "size"
    STRIDE = "stride"
    RANK = "rank"
    INT = "int"
    FLOAT = "float"
    STRING = "string"
    BOOL = "bool"
    OBJECT_ID = "object id"
    TYPE = "type"
    DTYPE = "dtype"
    DEVICE = "device"
    REQUIRES_GRAD = "requires_grad"
    LENGTH = "length"
    KEYS = "keys"
    NONE_CHECK = "is None"
    GLOBAL_STATE = "global state"
    GRAD_MODE = "grad mode"
    AUTOCAST = "autocast"
    SYMBOLIC = "symbolic shape"
    HASATTR = "attribute"
    OTHER = "other"
    EMPTY = "empty"


class GuardFailure(_Event):
    """A guard that no longer held. ``expression`` is the guard as printed.

    ``comment`` is what torch printed behind it: the user's line that made the
    guard, or a hint. It is no part of ``expression``.
    """

    expression: str
    kind: GuardKind
    source: str | None = None
    dimension: int | None = None
    expected: str | None = None
    actual: str | None = None
    compile_id: CompileId | None = None
    comment: str | None = None


class Recompile(_Event):
    """``Recompiling function f in file:line`` and the guards that failed."""

    function: str
    location: str | None
    guards: tuple[GuardFailure, ...]


class RecompileLimit(_Event):
    """``hit config.recompile_limit (8)`` in any release's wording."""

    limit: int | None
    setting: str | None
    function: str | None
    guards: tuple[GuardFailure, ...]
    message: str


class GraphBreak(_Event):
    """A graph break that was logged (not raised); fields as in torch.

    ``gb_id`` is the number under which torch documents it (``GB0059``), and
    ``location`` the ``file:line`` of the user's code.
    """

    gb_type: str | None
    context: str | None
    explanation: str | None
    hints: tuple[str, ...]
    message: str
    gb_id: str | None = None
    location: str | None = None


class CudagraphSkip(_Event):
    """``skipping cudagraphs due to …`` or a re-recording warning."""

    reason: str
    rerecord: bool = False


class AutotuneFailure(_Event):
    """A choice that autotuning dropped and went on without."""

    choice: str | None
    message: str


class CacheMessage(_Event):
    """What a compile cache says of itself: bypass, miss, unreadable entry."""

    message: str


class ProcessExit(_Event):
    """The end of a process as the log tells it.

    From a shell ("Bus error (core dumped)"), faulthandler, the kernel's or
    Ray's OOM killer, Slurm, torchelastic. ``signal`` is a name such as
    ``SIGBUS``. ``first_failure`` marks torchelastic's root cause.
    """

    message: str
    signal: str | None = None
    exit_code: int | None = None
    pid: int | None = None
    rank: int | None = None
    first_failure: bool = False


class Observation(_Event):
    """What was seen on the machine itself, and stands in no log.

    ``facts`` holds (name, value) pairs, under the names that the texts of
    rules ask for: path, reason, compiler, … ``fatal`` is ``False`` where
    ``torch.compile`` runs all the same, ``proven`` where nothing shows that the
    failure has to do with it.
    """

    topic: Topic
    message: str
    facts: tuple[tuple[str, str], ...] = ()
    fatal: bool = True
    proven: bool = True


class EnvironmentReport(_Event):
    """Facts about the machine: collect_env, banners, paths, version prints.

    ``facts`` holds (name, value) pairs; the names are those of ``environment``
    in the answer: torch, triton, cuda, python, os, gpu, driver, compiler, …
    """

    facts: tuple[tuple[str, str], ...]


class GraphText(_Event):
    """A printed graph: ``kind`` is the artifact name (graph_code, aot_graphs)."""

    kind: str
    name: str | None
    code: str


class ArtifactPath(_Event):
    """A path that the log names for later use: debug directory, minifier."""

    kind: str
    path: str


class Unfinished(_Event):
    """Work that an artifact shows begun and not ended, without a word on why."""

    message: str


class Compiled(_Event):
    """One compilation that came to its end; ``stages`` are those that took any time."""

    function: str | None
    stages: tuple[str, ...]


class Text(_Event):
    """A line or a run of lines that no grammar rule knows."""

    message: str


Event: TypeAlias = (
    ExceptionChain
    | LogRecord
    | CompilerInvocation
    | CompilerDiagnostic
    | NinjaBuild
    | GuardFailure
    | Recompile
    | RecompileLimit
    | GraphBreak
    | CudagraphSkip
    | AutotuneFailure
    | CacheMessage
    | ProcessExit
    | Observation
    | EnvironmentReport
    | GraphText
    | ArtifactPath
    | Unfinished
    | Compiled
    | Text
)

#: What can be known of a machine without any log.
MachineFact: TypeAlias = EnvironmentReport | Observation | ProcessExit
