"""The regular expressions that tell one kind of line from another.

One alternation for lines that begin at the margin and one for lines that are
indented, each with one group per kind; the first kind that matches wins, so
the order is part of the meaning. Kinds are the terminals of
``grammar/terminals.lark``, where each is shown by a real line. All of them
look at the beginning of a line only, and none can take more than linear time.
"""

from __future__ import annotations

import re
from functools import cache

from tracelens.parsing import diagnostics, exits, facts, records

#: Last parts of exception names, and whole names that have no such ending.
EXCEPTION_NAME = (
    r"(?:\w*(?:[a-z0-9_]Error|Exception|Interrupt|Failed|Failure|Violation|Exceeded|Expired|Exhausted|Timeout"
    r"|[a-z]Warning|LimitHit|OutOfResources|OutOfMemory|DataDependentSymNode|BrokenProcessPool|BrokenExecutor"
    r"|InvalidCxxCompiler|InvalidBackend|TritonMissing|GPUTooOldForTriton|Unsupported|UnsupportedLanguageConstruct"
    r"|MissingOperatorWithDecomp|MissingOperatorWithoutDecomp|PendingUnbackedSymbolNotFound|RestartAnalysis"
    r"|ResetRequired|SkipFrame|SkipCodeRecursiveException|FakeTensorMismatch|Bypass\w+Cache|StopIteration"
    r"|StopAsyncIteration|SystemExit|GeneratorExit|ExceptionGroup|RemoteTraceback)|EOFError|OSError|IOError)"
)
#: ``torch._dynamo.exc.Unsupported``, ``ValueError``, ``ray.exceptions.RayTaskError(OSError)``.
_QUALIFIED = rf"(?:[A-Za-z_]\w*\.)*{EXCEPTION_NAME}"
#: With a package before it, any capitalised name is an exception if a colon follows.
_PACKAGED = r"(?:[a-z_]\w*\.)+(?:<locals>\.)?[A-Z]\w*"
_EXCEPTION = rf"(?:{_QUALIFIED}(?::(?:[ \n]|$)|[ \t]*$)|{_PACKAGED}: )"
_FRAME = r'File "[^"\n]*", line \d+(?:, in |$|\n|,? ?\()'
_NOTEBOOK_PLACE = (
    r"(?:(?:Cell|Input) In ?\[\d+\], (?:line \d+|in )"
    r"|File [^\n\"]+?:\d+(?:, in |$|\n)"
    r"|(?:<ipython-input-[^>\n]*>|(?:~|/|[A-Za-z]:\\)[^\s:]*\.(?:py|pyx)|/tmp/ipykernel_[^\s:]*) in [^\n]*[)>]\s*$)"
)

#: Kinds of lines that begin at the margin, most telling first.
_AT_MARGIN: tuple[tuple[str, str], ...] = (
    ("RECORD", records.HEADER_PATTERN),
    ("RELAY", r"-- Process \d+ terminated with the following error:|Original (?:Traceback|exception was)\b"),
    ("HEAD", r"(?:[^\n]{0,200}?[^\w\n])??Traceback \(most recent call last\)"),
    ("LINK", r"(?:The above exception was the direct cause of|During handling of the above exception)"),
    ("FRAMES", _FRAME),
    ("DUMP_FRAMES", r'File "[^"\n]*", line \d+ in '),
    ("OCCURRED", r"Exception has occurred: \w"),
    ("REMOTE", r"(?:\w+\.)*_?RemoteTraceback: *$"),
    ("EXCEPTION_RELAY", r"(?:\w+\.)*RayTaskError\(\w+\): "),
    ("NOTEBOOK_FRAME", _NOTEBOOK_PLACE),
    ("RECOMPILING", r"\(?['\"]?Recompiling function "),
    ("RECOMPILE_LIMIT", r"torch\._?dynamo hit (?:config\.)?\w*(?:recompile_limit|cache_size_limit)"),
    (
        "RECOMPILE_ADVICE",
        r"[Tt]o (?:log all recompilation reasons|diagnose recompilation issues|monitor recompilations)",
    ),
    ("GRAPH_BREAK", r"Graph break(?: in user code at|: | from |\w* \(user stack suppressed)"),
    ("CUDAGRAPH", r"(?:s|S)kipping cudagraphs? |CUDAGraph supports dynamic shapes by recording"),
    (
        "AUTOTUNE",
        r"(?:Runtime|CUDA compilation|NVGEMM\w*|\w+) error during autotuning|Exception [^\n]*? for benchmark choice "
        r"|Fail(?:ed)? to benchmark choice |Benchmark of choice |Exception out of resource[^\n]*for benchmark",
    ),
    ("AUTOTUNE_END", r"Ignoring this choice"),
    (
        "CACHE",
        r"(?:fx graph|FX graph|FxGraph|FXGraph\w*|AOTAutograd|autograd) ?cache (?:unable|miss|hit|no shape|bypass)"
        r"|Bypassing (?:fx graph|autograd|AOTAutograd) cache|Failed to (?:load|pickle|deserialize) cached? ",
    ),
    ("GRAPH", r"class (?:GraphModule|<lambda>|\w*GraphModule\w*)\((?:torch\.)?(?:nn\.)?\w*Module\):"),
    (
        "ARTIFACT",
        r"(?:Output|Wrapper|Kernel|Header) code written to: |Writing (?:minified repro|checkpoint|repro file)"
        r"|[\w ]* debug trace: /|Minifier script written to |Last frame execution written to "
        r"|Wrote minimal repro out to|Writing FX graph to file: ",
    ),
    ("COMMAND", r"Command:\s*$"),
    ("OUTPUT", r"Output:\s*$"),
    ("NINJA_FAILED", r"FAILED: [^\n]"),
    ("NINJA_STOPPED", r"ninja: "),
    ("NINJA_STEP", r"\[\d+/\d+\] (?=\S*(?:[/\\.]|\b(?:cc|nvcc|cl|c|g|clang)\b))"),
    (
        "DIAGNOSTIC_LEAD",
        r"In file included from |[^\s:][^:\n]*(?::\\[^:\n]*)?: (?:In|At) (?:\w+ )*(?:function|instantiation|substitution|scope|lambda|constructor)",
    ),
    (
        "DIAGNOSTIC_END",
        r"compilation terminated|\d+ (?:catastrophic )?errors?(?: and \d+ warnings?)? (?:generated|detected)|\d+ warnings? (?:and \d+ errors? )?generated",
    ),
    ("EXCEPTION", _EXCEPTION),
    ("DIAGNOSTIC", diagnostics.DIAGNOSTIC_PATTERN),
    ("INVOCATION", diagnostics.INVOCATION_PATTERN),
    ("PYTEST_SUMMARY", r"(?:FAILED|ERROR) [^\s:]+(?:::\S.*)? - "),
    ("PYTEST_PLACE", rf"(?:[A-Za-z]:\\)?[^\s:\"'()<>=]+\.\w+:\d+: {_QUALIFIED}\s*$"),
    ("PYTEST_FRAME", r"(?:[A-Za-z]:\\)?[^\s:\"'()<>=]+\.\w+:\d+: (?:in [^\n]*|\s*)$"),
    ("PYTEST_CODE", r">  +\S|(?:_ ){10}"),
    (
        "STACK_INTRO",
        r"(?:from user code|User code traceback|[Uu]ser [Ss]tack|[Uu]ser stack trace|Found from|Created at|Original traceback|Stack \(most recent|Stack trace|Call stack)[^\n]*$",
    ),
    (
        "HINT",
        r"Set TORCH|You can suppress this|import torch\._dynamo|torch\._dynamo\.config|Suggested fix|For (?:more|even more|debugging|C\+\+) "
        r"|Compile with `TORCH_USE_CUDA_DSA|CUDA kernel errors might|Device-side assertion|The error above occurred"
        r"|Exception raised from |C\+\+ CapturedTraceback|While executing |Potential framework code culprit|Last error:"
        r"|The following call raised|To fix the error|Use tlparse|This could be |Please |If you |See |Note"
        r"|Minifier script|Hint:|Explanation:|Developer debug context|\(Triggered internally"
        r"|Could not guard|Caused by|User Stack|To (?:execute|run) this test|This message can be suppressed|The above ",
    ),
    ("CXX_FRAME", r"frame #\d+: |#\d{1,3} {1,4}\S[^\n]* (?:from|in|at) |terminate called |  what\(\): "),
    ("EXIT", exits.EXIT_PATTERN),
    ("FACT", facts.FACT_PATTERN),
    ("QUOTES", r"(?:\"\"\"|''')\s*$"),
    ("RULE", r"(?:={10,}|-{10,}|\*{10,}|\+[-=+]{10,})\s*$"),
    ("SECTION", r"[=_-]{3,} [^\n]{1,200} [=_-]{3,}\s*$"),
    ("ANNOUNCE", r"[^\n]{0,300}:\s*$"),
    ("NAMED", r"(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:: |\s*$)"),
)

#: Kinds of lines that are indented.
_INDENTED: tuple[tuple[str, str], ...] = (
    ("FRAMES", rf"[ \t]{{1,40}}{_FRAME}"),
    ("DUMP_FRAMES", r'[ \t]{1,8}File "[^"\n]*", line \d+ in '),
    ("HEAD", r"[ \t]{1,60}(?:\+ )?(?:Exception Group )?Traceback \(most recent call last\)"),
    ("DIAGNOSTIC_LEAD", r"[ \t]{4,24}from [^\n]+:\d+(?::\d+)?[,:]"),
    ("DIAGNOSTIC_SOURCE", r" {0,8}\d* \|(?:[ \t]|$)"),
    ("EXIT", rf"[ \t]{{1,8}}(?:{exits.EXIT_PATTERN})"),
    ("FACT", rf"[ \t]{{1,8}}(?:{facts.FACT_PATTERN})"),
    ("NINJA_FAILED", r"[ \t]{1,16}FAILED: [^\n]"),
    ("NINJA_STOPPED", r"[ \t]{1,16}ninja: "),
    ("LINK", r"[ \t]{1,60}(?:The above exception was the direct cause of|During handling of the above exception)"),
    ("DIAGNOSTIC", rf"[ \t]{{1,24}}(?:{diagnostics.DIAGNOSTIC_PATTERN})"),
)


@cache
def at_margin() -> tuple[re.Pattern[str], tuple[str, ...]]:
    """Return the alternation for lines without indentation, and the kind of each group."""
    return _compile(_AT_MARGIN)


@cache
def indented() -> tuple[re.Pattern[str], tuple[str, ...]]:
    """Return the alternation for indented lines, and the kind of each group."""
    return _compile(_INDENTED)


def _compile(kinds: tuple[tuple[str, str], ...]) -> tuple[re.Pattern[str], tuple[str, ...]]:
    pattern = "|".join(f"({pattern})" for _kind, pattern in kinds)
    return re.compile(pattern), ("", *(kind for kind, _pattern in kinds))
