"""What compilers, assemblers, linkers and loaders say, in any language.

``DIAGNOSTIC_PATTERN`` and ``INVOCATION_PATTERN`` find the lines,
``read_diagnostic`` and ``read_invocation`` take them apart. The severity comes
out in English whatever locale printed it: from the word where it is known,
from Microsoft's error number where only that survives translation.
"""

from __future__ import annotations

import re
from functools import cache

from tracelens.events import CompilerDiagnostic, CompilerInvocation, RecordHeader
from tracelens.parsing.diagnostic_words import SEVERITY_WORDS, SEVERITY_PATTERN, UNKNOWN_COMMAND_PATTERN
from tracelens.text import Process, Span

_PATH = r"(?:[A-Za-z]:[\\/])?[^\s:'\"(][^:\n]{0,500}"
_PROGRAM = (
    r"(?:[^\s:'\"]{0,300}[\\/])?(?:[\w.]{1,60}-){0,5}"
    r"(?:g\+\+|gcc|cc1plus|cc1|c\+\+|cc|clang\+\+|clang|clang-cl|icpx|icx|icpc|icc|dpcpp|hipcc|amdclang\+\+|lto1|lto-wrapper|f951)"
    r"(?:-\d{1,2}(?:\.\d{1,2})?)?(?:\.exe)?"
)
_LINKER = (
    r"(?:[^\s:'\"]{0,300}[\\/])?(?:[\w.]{1,60}-){0,5}"
    r"(?:ld(?:\.(?:bfd|gold|lld|mold))?|ld64(?:\.lld)?|lld|mold|collect2|wasm-ld)(?:\.exe)?"
)

#: Order counts: the first shape that matches reads the line.
_SHAPES: dict[str, str] = {
    "ptxas": (
        r"(?P<tool>ptxas|nvlink|fatbinary|cicc)(?: (?P<path>[^\n,]{1,500}), line (?P<line>\d{1,9});)? ?"
        r"(?P<severity>fatal|error|warning|info) {0,4}: ?(?P<message>.*)"
    ),
    "nvcc": r"(?P<tool>nvcc|nvc\+\+|cudafe\+\+)(?:\.exe)? (?P<severity>fatal|error|warning) {0,4}: ?(?P<message>.*)",
    "collect2": rf"(?P<tool>{_LINKER}): ?(?P<severity>{SEVERITY_PATTERN})?(?P<message>.*)",
    "assembler_line": (
        rf"(?P<path>{_PATH}\.s):(?P<line>\d{{1,9}}): (?P<severity>Error|Warning|Fatal error|Info): (?P<message>.*)"
    ),
    "program": rf"(?P<tool>{_PROGRAM}): (?P<severity>{SEVERITY_PATTERN})(?P<message>.*)",
    "out_of_memory": rf"(?P<tool>{_PROGRAM}): (?P<message>out of memory allocating .*)",
    "undefined": r"(?:\S{1,500}: )?(?:in function `[^'\n]{1,1000}': ?)?(?:\S{1,500}: )?(?P<message>undefined reference to .*)",
    "located": (
        rf"(?P<path>{_PATH}):(?P<line>\d{{1,9}})(?::(?P<column>\d{{1,9}}))?: (?P<severity>{SEVERITY_PATTERN})(?P<message>.*)"
    ),
    "numbered": (
        rf"(?P<path>(?:[A-Za-z]:[\\/])?[^\n:*?\"<>|]{{1,500}}?) ?(?:\((?P<line>\d{{1,9}})(?:[,-](?P<column>\d{{1,9}}))?\))? ?: "
        r"(?P<word>[^\n:]{0,60}?)(?P<code>(?:C|D|LNK|MSB|U|CVT|RC|ML|NMAKE)\d{3,5}) ?[:：] ?(?P<message>.*)"
    ),
    "parenthesised": (
        rf"(?P<path>{_PATH})\((?P<line>\d{{1,9}})(?:,(?P<column>\d{{1,9}}))?\) ?: (?P<severity>{SEVERITY_PATTERN})(?P<message>.*)"
    ),
    "mlir": (
        r"loc\((?P<path>[^\n]{0,1000}?)\): (?P<severity>error|warning|note|remark): (?P<message>.*)"
    ),
    "loader_version": r"(?P<tool>\S{1,500}): (?P<path>\S{1,500}): (?P<message>(?:version|no version information).*)",
    "loader": (
        r"(?P<tool>\S{1,500}): (?P<message>(?:error while loading shared libraries|symbol lookup error|relocation error): .*)"
    ),
    "dyld": r"(?P<tool>dyld)(?:\[\d{1,9}\])?: (?P<message>.*)",
    "musl": r"(?P<message>Error (?:loading shared library|relocating) .*)",
    "macos_undefined": r"(?P<message>Undefined symbols for architecture .*)",
    "shell": (
        r"(?P<tool>(?:/(?:usr/)?bin/)?(?:env|ba|da|z|k|c)?sh): (?:(?:line )?\d{1,6}: )?"
        r"(?P<message>[^\n]{1,500}?: (?:command )?not found|[^\n]{1,500}?: (?:No such file or directory|Permission denied|Exec format error|cannot execute.{0,60})|command not found: .*)"
    ),
    "env": r"(?P<tool>(?:/usr/bin/)?env|make): (?P<message>['‘`]?[^\n'’:]{1,300}['’]?: (?:No such file or directory|Permission denied|command not found))",
    "cmd": UNKNOWN_COMMAND_PATTERN,
    "cmake": r"(?P<tool>CMake) (?P<severity>Error|Warning|Deprecation Warning)(?: \(dev\))?(?: at (?P<path>[^\n:]{1,500}):(?P<line>\d{1,9}) \([^\n)]{0,200}\))?: ?(?P<message>.*)",
    "llvm": r"(?P<tool>LLVM) ERROR: (?P<message>.*)",
    "assertion": r"(?P<tool>\S{1,300}): (?P<path>[^\s:]{1,500}):(?P<line>\d{1,9}): (?P<message>.{0,2000}Assertion [`'].{0,5000}' failed\.?.*)",
    "bug_report": r"(?P<message>PLEASE submit a bug report to .*)",
    "archiver": r"(?:\S{0,300}/)?(?P<tool>ar|as|ranlib|strip|objcopy|nm)(?:\.exe)?: (?P<severity>(?:fatal )?error: |warning: )?(?P<message>.*)",
    "bare": rf"(?P<severity>{SEVERITY_PATTERN})(?P<message>\S.*)",
}

_NAMED_GROUP = re.compile(r"\(\?P<\w+>")


def _uncaptured(pattern: str) -> str:
    return _NAMED_GROUP.sub("(?:", pattern)


#: Matches a whole line that is a diagnostic; the caller writes ``^`` before it.
DIAGNOSTIC_PATTERN: str = "(?:" + "|".join(map(_uncaptured, _SHAPES.values())) + ")"

#: Matches the start of a line that is a command of a compiler or linker.
INVOCATION_PATTERN: str = (
    r"(?:(?:\[\d{1,6}/\d{1,6}\] |\+ |# )?"
    r"(?:\"(?:[^\"\n]{0,300}[\\/])?(?:cl|link|lib|nvcc|clang-cl)(?:\.exe)?\""
    r"|(?:[^\s:'\"\[\](),=]{0,300}[\\/])?(?:[\w.]{1,60}-){0,5}"
    r"(?:g\+\+|gcc|c\+\+|cc|clang\+\+|clang|clang-cl|icpx|icx|nvcc|hipcc|ptxas|ninja|ld|cl|link|dpcpp)(?:-\d{1,2}(?:\.\d)?)?(?:\.exe)?)"
    r"(?= [^\n]{0,4000}?(?:[-/]\w|\.(?:cpp|cc|c|cu|o|s)\b))[^\n]*"
    r"|(?:[\w.]{1,100}: )?Command '[^\n]*(?:returned non-zero exit status|died with)[^\n]*)"
)


@cache
def _any_shape() -> re.Pattern[str]:
    return re.compile("|".join(f"(?P<{name}>{_uncaptured(pattern)})" for name, pattern in _SHAPES.items()))


@cache
def _shape(name: str) -> re.Pattern[str]:
    return re.compile(_SHAPES[name])


def read_diagnostic(
    line: str, span: Span, process: Process | None, record: RecordHeader | None
) -> CompilerDiagnostic | None:
    """Read one line of a compiler, linker or loader; ``None`` if it is none."""
    text = line.rstrip()
    match = _any_shape().match(text)
    if match is None or match.lastgroup is None:
        return None
    name = match.lastgroup
    found = _shape(name).match(text)
    if found is None:
        return None
    fields = found.groupdict()
    message = (fields.get("message") or "").strip()
    severity = _severity(name, fields, message)
    return CompilerDiagnostic(
        span=span,
        process=process,
        record=record,
        tool=_tool(name, fields, message),
        severity=severity,
        message=f"{fields['code']}: {message}" if fields.get("code") else message,
        path=fields.get("path"),
        line=int(fields["line"]) if fields.get("line") else None,
        column=int(fields["column"]) if fields.get("column") else None,
    )


def _severity(name: str, fields: dict[str, str | None], message: str) -> str:
    word = (fields.get("severity") or fields.get("word") or "").strip(" :：\u00a0\u202f").lower()
    if word in SEVERITY_WORDS:
        return SEVERITY_WORDS[word]
    code = fields.get("code")
    if code:
        return _severity_of_code(code)
    if name in {"llvm", "assertion", "bug_report"}:
        return "fatal error"
    return "warning" if "warning" in message[:40].lower() else "error"


def _severity_of_code(code: str) -> str:
    """Tell how grave Microsoft's numbered message is, in any language."""
    prefix = code.rstrip("0123456789")
    first = code[len(prefix)]
    if prefix == "C":
        return {"1": "fatal error", "4": "warning", "5": "warning"}.get(first, "error")
    if prefix == "LNK":
        return {"1": "fatal error", "4": "warning"}.get(first, "error")
    return "warning" if (prefix, first) == ("D", "9") else "error"


def _tool(name: str, fields: dict[str, str | None], message: str) -> str:
    fixed = {
        "ptxas": "ptxas",
        "nvcc": "nvcc",
        "collect2": "ld",
        "undefined": "ld",
        "macos_undefined": "ld",
        "assembler_line": "as",
        "numbered": "msvc",
        "mlir": "mlir",
        "cmake": "cmake",
        "llvm": "llvm",
        "bug_report": "llvm",
        "assertion": "llvm",
        "loader": "loader",
        "loader_version": "loader",
        "dyld": "loader",
        "musl": "loader",
        "shell": "shell",
        "env": "shell",
        "cmd": "shell",
    }.get(name)
    if fixed:
        return fixed
    program = (fields.get("tool") or "").lower()
    path = (fields.get("path") or "").lower()
    if name == "archiver":
        return "as" if program == "as" else "ar"
    if program:
        return _tool_of_program(program)
    if name == "parenthesised":
        return "nvcc"
    if path.endswith(".py"):
        return "mlir"
    return _tool_of_message(message)


def _tool_of_program(program: str) -> str:
    for mark, tool in (("clang", "clang"), ("icpx", "clang"), ("icx", "clang"), ("hip", "clang"), ("dpcpp", "clang")):
        if mark in program:
            return tool
    if any(mark in program for mark in ("g++", "gcc", "cc1", "lto", "f951")):
        return "gcc"
    return "driver"


def _tool_of_message(message: str) -> str:
    if "MLIR" in message or "Pipeline failed" in message:
        return "mlir"
    if "file not found" in message or "use of undeclared" in message or "unknown argument" in message:
        return "clang"
    if "‘" in message or "No such file or directory" in message or "[-W" in message:
        return "gcc"
    return "compiler"


@cache
def _called_process() -> re.Pattern[str]:
    return re.compile(
        r"Command (?P<quote>['\"])(?P<command>.{1,100000}?)(?P=quote) "
        r"(?:returned non-zero exit status (?P<status>-?\d{1,9})|died with <?Signals\.\w{1,20}: (?P<signal>\d{1,4})>?)",
        re.DOTALL,
    )


_STEP = re.compile(r"(?:\[\d{1,6}/\d{1,6}\] |\+ |# )?")
_FIRST_WORD = re.compile(r"\"([^\"\n]{1,500})\"|'([^'\n]{1,500})'|(\S{1,500})")
_LIST_ITEM = re.compile(r"'((?:[^'\\]|\\.){0,20000})'|\"((?:[^\"\\]|\\.){0,20000})\"")


def read_invocation(
    line: str, span: Span, process: Process | None, record: RecordHeader | None
) -> CompilerInvocation | None:
    """Read a command line, or the ``Command '[…]'`` of CalledProcessError."""
    failed = _called_process().search(line) if "Command " in line else None
    status = None
    if failed:
        command = failed["command"]
        if command.startswith("["):
            command = " ".join(first or second for first, second in _LIST_ITEM.findall(command))
        status = int(failed["status"]) if failed["status"] else -int(failed["signal"])
    else:
        command = line.strip()
        step = _STEP.match(command)
        command = command[step.end() :] if step else command
    word = _FIRST_WORD.match(command)
    if word is None:
        return None
    return CompilerInvocation(
        span=span,
        process=process,
        record=record,
        program=next(group for group in word.groups() if group),
        command=command,
        exit_status=status,
    )
