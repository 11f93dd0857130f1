"""The regular expressions that tell one kind of line from another.

Kinds are the terminals of ``grammar/terminals.lark``, where each is shown by
a real line. A line is asked, in this order: does a record header begin it;
does it begin like an exception (``word_kind``); does it begin with the fixed
words of a kind (``LITERAL``, by its first character); does it have the shape
of one (``SHAPED``). All look at the beginning of a line, none takes more than
linear time, each is compiled when first needed.
"""

from __future__ import annotations

import re
from functools import lru_cache

from tracelens.events import Level, RecordHeader
from tracelens.expressions import expression
from tracelens.parsing import diagnostics, exit_shapes, facts, records
from tracelens.typed import cache

#: Last parts of exception names, and whole names that have no such ending.
EXCEPTION_NAME = (
    r"(?:\w*Exception|\w+(?:Error|Interrupt|Failed|Failure|Violation|Exceeded|Expired|Exhausted|Timeout"
    r"|[a-z]Warning|LimitHit)|\w*(?:OutOfResources|OutOfMemory|DataDependentSymNode|BrokenProcessPool|BrokenExecutor"
    r"|InvalidCxxCompiler|InvalidBackend|TritonMissing|GPUTooOldForTriton|Unsupported|UnsupportedLanguageConstruct"
    r"|MissingOperatorWithDecomp|MissingOperatorWithoutDecomp|PendingUnbackedSymbolNotFound|RestartAnalysis"
    r"|ResetRequired|SkipFrame|SkipCodeRecursiveException|FakeTensorMismatch|Bypass\w+Cache|StopIteration"
    r"|StopAsyncIteration|SystemExit|GeneratorExit|ExceptionGroup|RemoteTraceback))"
)
#: ``torch._dynamo.exc.Unsupported``, ``ValueError``.
QUALIFIED_NAME = rf"(?:[A-Za-z_]\w*\.)*{EXCEPTION_NAME}"

#: A longer line is classified by its beginning.
_LONG_LINE = 8192
#: A line up to this length is remembered with its kind.
_MEMORABLE = 400
#: How far into a line the first words of a traceback may stand, and how deep.
_HEAD_WITHIN = 200
_HEAD_INDENT = 60
#: Compiler messages and exits may be indented so far.
_SHAPE_INDENT = 24
#: What may follow a name that a message follows, or that stands alone.
_AFTER_NAME = frozenset(":\n(< \t\r")

#: What stands before a Python exception that C++ code let through and nobody caught; of libstdc++ and of libc++.
THROWN_BY = (
    r"(?:[ \t]{0,40}what\(\): {1,4}"
    r"|(?:libc\+\+abi(?:\.dylib)?: )?terminat(?:e called|ing)[^\n]{1,80}? of type '?[\w:]{1,80}'?: )"
)
THROWN = rf"{THROWN_BY}(?={QUALIFIED_NAME}(?:: |\s*$))"

HEAD_TEXT = "Traceback (most recent call last)"
_LINK = r"(?:The above exception was the direct cause of|During handling of the above exception)"
_FRAME = r'(?:> )?File "[^"\n]*", line \d+(?:, in |$|\n|,? ?\()'
_STEP = r"\[\d+/\d+\] (?=\S*(?:[/\\.]|\b(?:cc|nvcc|cl|c|g|clang)\b))"
_NOTEBOOK_FILE = (
    r"(?:<ipython-input-[^>\n]*>|(?:~|/|[A-Za-z]:\\)[^\s:]*\.(?:py|pyx)|/tmp/ipykernel_[^\s:]*) in [^\n]*[)>]\s*$"
)

#: (kind, first characters, pattern)
LITERAL: tuple[tuple[str, str, str], ...] = (
    ("RELAY", "-O", r"-- Process \d+ terminated with the following error:|Original (?:Traceback|exception was)\b"),
    ("LINK", "TD", _LINK),
    ("FRAMES", "F>", _FRAME),
    ("DUMP_FRAMES", "F", r'File "[^"\n]*", line \d+ in '),
    ("THROWN", "ltw", THROWN),
    ("CALLED_AT", "A", r"At:\s*$"),
    ("NOTEBOOK_FRAME", "CIF", r"(?:Cell|Input) In ?\[\d+\], (?:line \d+|in )|File [^\n\"]+?:\d+(?:, in |$|\n)"),
    ("NOTEBOOK_FRAME", "<", _NOTEBOOK_FILE),
    ("OCCURRED", "E", r"Exception has occurred: \w"),
    ("RECOMPILING", "R('\"", r"\(?['\"]?Recompiling function "),
    ("RECOMPILE_LIMIT", "t", r"torch\._?dynamo hit (?:config\.)?\w*(?:recompile_limit|cache_size_limit)"),
    (
        "RECOMPILE_ADVICE",
        "Tt",
        r"[Tt]o (?:log all recompilation reasons|diagnose recompilation issues|monitor recompilations)",
    ),
    ("GRAPH_BREAK", "G", r"Graph break(?: in user code at|: | from |\w* \(user stack suppressed)"),
    ("CUDAGRAPH", "sSC", r"[sS]kipping cudagraphs? |CUDAGraph supports dynamic shapes by recording"),
    ("AUTOTUNE_ERROR", "RCN", r"(?:Runtime|CUDA compilation|NVGEMM\w*) error during autotuning"),
    (
        "AUTOTUNE",
        "EFB",
        r"Exception [^\n]{1,2000}? for benchmark choice |Fail(?:ed)? to benchmark choice |Benchmark of choice ",
    ),
    ("AUTOTUNE_END", "I", r"Ignoring this choice"),
    (
        "CACHE",
        "fFAaB",
        (
            r"(?:fx graph|FX graph|FxGraph|FXGraph\w*|AOTAutograd|autograd) ?[Cc]ache "
            r"(?:unable|miss|hit|no shape|bypass)"
            r"|Bypassing (?:fx graph|autograd|AOTAutograd) cache|Failed to (?:load|pickle|deserialize) cached? "
        ),
    ),
    ("GRAPH", "c", r"class (?:GraphModule|<lambda>|\w*GraphModule\w*)\((?:torch\.)?(?:nn\.)?\w*Module\):"),
    (
        "ARTIFACT",
        "OWKHML",
        (
            r"(?:Output|Wrapper|Kernel|Header) code written to: "
            r"|Writing (?:minified repro|checkpoint|repro file|FX graph)|Minifier script written to "
            r"|Last frame execution written to |Wrote minimal repro out to"
        ),
    ),
    ("ARTIFACT", "mgj", r"\w{1,80} debug trace: "),
    ("COMMAND", "C", r"Command:\s*$"),
    ("OUTPUT", "O", r"Output:\s*$"),
    ("NINJA_FAILED", "F", r"FAILED: [^\n]"),
    ("PYTEST_SUMMARY", "FE", r"(?:FAILED|ERROR) [^\s:]+(?:::\S.*)? - "),
    ("NINJA_STOPPED", "n", r"ninja: (?:build stopped|error|fatal|warning|no work|Entering)"),
    ("NINJA_STEP", "[", _STEP),
    ("DIAGNOSTIC_LEAD", "I", r"In file included from "),
    (
        "DIAGNOSTIC_END",
        "cC0123456789",
        (
            r"[Cc]ompilation (?:terminated|aborted)"
            r"|\d+ (?:catastrophic )?(?:errors?|warnings?)(?: and \d+ \w+)? (?:generated|detected)"
        ),
    ),
    ("PYTEST_CODE", ">_", r">  +\S|(?:_ ){10}"),
    (
        "STACK_INTRO",
        "fUuFCOSP",
        (
            r"(?:from user code|User code traceback|[Uu]ser [Ss]tack|Found from|Created at|Original traceback"
            r"|Potential framework code culprit|Stack \(most recent|Stack trace|Call stack)[^\n]*$"
        ),
    ),
    ("CXX_FRAME", "f#", r"frame #\d+: |#\d{1,3} {1,4}\S[^\n]* (?:from|in|at) "),
    ("IGNORED", "E", r"Exception ignored (?:in|on|while)\b"),
    ("QUOTES", "\"'", r"(?:\"\"\"|''')\s*$"),
    ("RULE", "=-*+", r"(?:={10,}|-{10,}|\*{10,}|\+[-=+]{10,})\s*$"),
    ("SECTION", "=_-", r"[=_-]{3,} [^\n]{1,200} [=_-]{3,}\s*$"),
)

#: How a paragraph begins that goes on with the message above it.
HINTS: tuple[str, ...] = (
    "Set TORCH",
    "You can suppress this",
    "import torch._dynamo",
    "torch._dynamo.config",
    "Suggested fix",
    "For more",
    "For even more",
    "For extended logs",
    "consider using ",
    "For debugging",
    "For C++",
    "Compile with `TORCH_USE_CUDA_DSA",
    "CUDA kernel errors might",
    "Device-side assertion",
    "The error above occurred",
    "The following call raised",
    "Exception raised from ",
    "C++ CapturedTraceback",
    "While executing ",
    "Last error:",
    "To fix the error",
    "To execute this test",
    "To run this test",
    "Use tlparse",
    "This could be ",
    "This message can be suppressed",
    "Please ",
    "If you ",
    "See ",
    "Note",
    "Minifier script",
    "Hint:",
    "Explanation:",
    "Developer debug context",
    "(Triggered internally",
    "Could not guard",
    "Caused by",
    "The error above",
)

#: What has a shape but no fixed words; the name of the group that matches is the kind.
SHAPED: tuple[str, ...] = (
    rf"(?P<DIAGNOSTIC>{diagnostics.DIAGNOSTIC_PATTERN})",
    rf"(?P<INVOCATION>{diagnostics.INVOCATION_PATTERN})",
    (
        r"(?:[A-Za-z]:\\)?[^\s:\"'()<>=]+\.\w+:\d+(?:(?P<PYTEST_PLACE>: (?:[A-Za-z_]\w*\.)*[A-Z]\w*\s*$)"
        r"|(?P<PYTEST_FRAME>: (?:in [^\n]*|\s*)$)|(?P<RICH_FRAME> in [^\s:]+\s*$))"
    ),
    rf"(?P<FACT>{facts.FACT_PATTERN})",
    rf"(?P<EXIT>{exit_shapes.EXIT_PATTERN})",
)
_LEAD = (
    r"[^\s:][^:\n]*(?::\\[^:\n]*)?: (?:In|At) (?:\w+ )*"
    r"(?:function|instantiation|substitution|scope|lambda|constructor|destructor|specialization)"
)

#: Kinds of indented lines; after them SHAPED is tried behind the indentation.
INDENTED: tuple[tuple[str, str], ...] = (
    ("FRAMES", rf"[ \t]{{1,40}}{_FRAME}"),
    ("THROWN", THROWN),
    ("DUMP_FRAMES", r'[ \t]{1,8}File "[^"\n]*", line \d+ in '),
    ("DIAGNOSTIC_SOURCE", r" {0,8}\d* \|(?:[ \t]|$)"),
    ("DIAGNOSTIC_LEAD", r"[ \t]{4,24}from [^\n]+:\d+(?::\d+)?[,:]"),
    ("NINJA_STEP", rf"[ \t]{{1,16}}{_STEP}"),
    ("NINJA_FAILED", r"[ \t]{1,16}FAILED: [^\n]"),
    ("NINJA_STOPPED", r"[ \t]{1,16}ninja: "),
    ("LINK", rf"[ \t]{{1,60}}{_LINK}"),
)

#: An alternation with one group per kind, and the kind of each group.
Alternation = tuple[re.Pattern[str], tuple[str, ...]]


def _alternation(kinds: tuple[tuple[str, str], ...]) -> Alternation:
    pattern = "|".join(f"({pattern})" for _kind, pattern in kinds)
    return expression(pattern), ("", *(kind for kind, _pattern in kinds))


def kind_of(line: str) -> str:
    """Return the kind of a line, looked at alone; ``""`` if it is blank. A newline ends it."""
    if len(line) <= _MEMORABLE:
        return _remembered_kind(line)
    return _kind(line if len(line) <= _LONG_LINE else f"{line[: _LONG_LINE - 1]}\n")


def _kind(line: str) -> str:
    first = line[0]
    if first.isspace():
        return _kind_of_indented(line)
    may_begin = first in records.HEADER_FIRST or any(map(line.__contains__, records.HEADER_SIGNS))
    if may_begin and _header().match(line) and header_of(line):
        return "RECORD"
    if HEAD_TEXT in line and line.find(HEAD_TEXT) < _HEAD_WITHIN:
        return "RELAY" if line.startswith("Original") else "HEAD"
    kind = ""
    match = _name().match(line)
    if match is not None and line[match.end()] in _AFTER_NAME:
        match = _word().match(line)
        if match is not None:
            kind = word_kind(match.group(1), message=line[match.end(1)] == ":")
            if kind not in {"", "NAMED"}:
                return kind
    return _by_words(line, first) or kind or ("ANNOUNCE" if line.rstrip().endswith(":") else "TEXT")


#: Crashes repeat their lines: those of a rank are those of the others.
_remembered_kind = lru_cache(maxsize=4096)(_kind)


def _kind_of_indented(line: str) -> str:
    pattern, kinds = _indented()
    match = pattern.match(line)
    if match is not None and match.lastindex is not None:
        return kinds[match.lastindex]
    solid = line.lstrip()
    if not solid:
        return ""
    margin = len(line) - len(solid)
    if HEAD_TEXT in solid and margin <= _HEAD_INDENT and solid.find(HEAD_TEXT) < 30:
        return "HEAD"
    if margin > _SHAPE_INDENT or not _may_have_shape(solid):
        return "INDENTED"
    return _by_shape(solid) or "INDENTED"


def _may_have_shape(line: str) -> bool:
    """Tell whether an indented line holds what one of each SHAPED kind does; spelled out, for most lines come here."""
    return (
        ": " in line
        or " -" in line
        or ":/" in line
        or "|" in line
        or "==" in line
        or "Killed" in line
        or "(core dumped)" in line
    )


def _by_words(line: str, first: str) -> str:
    """Return the kind of a line that no header and no name begins."""
    alternation = _literal(first)
    if alternation is not None:
        match = alternation[0].match(line)
        if match is not None and match.lastindex is not None:
            return alternation[1][match.lastindex]
    return _by_shape(line)


def _by_shape(line: str) -> str:
    """Return the kind of a line that only its shape tells, else nothing."""
    match = _shaped().match(line)
    if match is not None and match.lastgroup is not None:
        return match.lastgroup
    if (": In " in line or ": At " in line) and _lead().match(line):
        return "DIAGNOSTIC_LEAD"
    return "NOTEBOOK_FRAME" if " in " in line and _notebook_file().match(line) else ""


#: What stands before a line that has no header.
NO_HEADER: tuple[RecordHeader, int] = (RecordHeader(level=Level.UNKNOWN), 0)


@lru_cache(maxsize=64)
def header_of(line: str) -> tuple[RecordHeader, int] | None:
    """Read the record header of a line; remembered, for it is asked for several times."""
    return records.read_header(line.rstrip("\n"))


@cache
def _literal(first: str) -> Alternation | None:
    """Return the alternation of the kinds that begin with this character."""
    kinds = tuple((kind, pattern) for kind, characters, pattern in LITERAL if first in characters)
    hints = tuple(re.escape(hint) for hint in HINTS if hint[0] == first)
    if hints:
        kinds += (("HINT", "|".join(hints)),)
    return _alternation(kinds) if kinds else None


@cache
def _shaped() -> re.Pattern[str]:
    return expression("|".join(SHAPED))


@cache
def _lead() -> re.Pattern[str]:
    return expression(_LEAD)


@cache
def _notebook_file() -> re.Pattern[str]:
    return expression(_NOTEBOOK_FILE)


@cache
def _indented() -> Alternation:
    """Return the alternation of the kinds of indented lines."""
    return _alternation(INDENTED)


@cache
def _header() -> re.Pattern[str]:
    """Return the pattern that begins each line with a record header, and a few others."""
    return expression(records.HEADER_PATTERN)


@cache
def _name() -> re.Pattern[str]:
    """Return the pattern of a name at the beginning of a line."""
    return expression(r"[A-Za-z_][\w.]*")


@cache
def _word() -> re.Pattern[str]:
    """Return the pattern of a line that is a name and a message; the name is group 1."""
    return expression(r"([A-Za-z_][\w.]*(?:<locals>\.\w+)?(?:\(\w{1,80}\))?)(?::(?:[ \t]|$)|[ \t\r]*$)")


@cache
def _exception_name() -> re.Pattern[str]:
    return expression(rf"{QUALIFIED_NAME}\Z")


@lru_cache(maxsize=1024)
def word_kind(name: str, *, message: bool) -> str:
    """Return the kind of a line that begins with a name; ``message`` if a colon follows."""
    last = name.rpartition(".")[2]
    if last.endswith("RemoteTraceback"):
        return "REMOTE"
    if last.startswith("nccl"):
        # A result of NCCL, of which torch tells on the second line of its own exception.
        return ""
    if last.startswith("RayTaskError("):
        return "EXCEPTION_RELAY"
    if _exception_name().match(name):
        return "EXCEPTION"
    if not last[:1].isupper():
        return ""
    packaged = message and "." in name and name[0].islower()
    return "EXCEPTION" if packaged else "NAMED"
