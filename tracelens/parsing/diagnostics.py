"""What compilers, assemblers, linkers, loaders and shells say, in any language.

``DIAGNOSTIC_PATTERN`` and ``INVOCATION_PATTERN`` find the lines,
``read_diagnostic`` and ``read_invocation`` take them apart. The severity comes
out in English whatever locale printed it: from the word where it is known,
from Microsoft's error number where only that survives translation.
"""

from __future__ import annotations

import re

from tracelens.events import CompilerDiagnostic, CompilerInvocation, RecordHeader
from tracelens.expressions import compiled
from tracelens.parsing.diagnostic_shapes import DIAGNOSTIC_PATTERN, INVOCATION_PATTERN, LAUNCHER, SHAPES, Shape
from tracelens.parsing.diagnostic_words import severity_of, severity_of_code
from tracelens.text import Process, Span

__all__ = ["DIAGNOSTIC_PATTERN", "INVOCATION_PATTERN", "read_diagnostic", "read_invocation"]


def read_diagnostic(
    line: str, span: Span, process: Process | None, record: RecordHeader | None, context: str | None = None
) -> CompilerDiagnostic | None:
    """Read one line of a compiler, linker, loader or shell; ``None`` if it is none.

    ``context`` is what stands around the line and is only passed on.
    """
    text = line.strip()
    for shape in SHAPES:
        for gate in shape.gates:
            if gate in text:
                break
        else:
            continue
        match = compiled(shape.pattern).match(text)
        reading = _read(shape, match.groupdict()) if match else None
        if reading:
            tool, severity, message, fields = reading
            return CompilerDiagnostic(
                span=span,
                process=process,
                record=record,
                tool=tool,
                severity=severity,
                message=message,
                path=fields.get("path") or fields.get("parenthesised"),
                line=int(fields["line"] or 0) if fields.get("line") else None,
                column=int(fields["column"] or 0) if fields.get("column") else None,
                context=context,
            )
    return None


_Fields = dict[str, "str | None"]


def _read(shape: Shape, fields: _Fields) -> tuple[str, str, str, _Fields] | None:
    """Return tool, severity and message, or ``None`` where the shape was only skin deep."""
    message = (fields.get("message") or "").strip()
    if fields.get("program"):
        return (*_read_program(fields["program"] or "", fields["rest"] or ""), fields)
    word, code = fields.get("word"), fields.get("code")
    severity = shape.severity or (severity_of(word) if word else None)
    if code:
        severity = severity or severity_of_code(code)
        message = f"{code}: {message}"
    if severity is None:
        return None
    return shape.tool or _tool(fields, message), severity, message, fields


_WORD = r"([^\W\d_][^\n:\uff1a]{1,40})[:\uff1a] ?"
_HARMLESS = ("creating ", "skipping incompatible", "in function", "`u' modifier", "In function")


def _read_program(program: str, rest: str) -> tuple[str, str, str]:
    """Read what follows ``g++: `` or ``/usr/bin/ld: ``: a severity or none."""
    word = compiled(_WORD).match(rest)
    severity = severity_of(word.group(1)) if word else None
    tool = _tool_of_program(program.lower())
    if word and severity:
        keeps = "internal" in word.group(1).lower()
        return tool, severity, rest if keeps else rest[word.end() :].strip()
    if any(text in rest for text in _HARMLESS):
        return tool, "note", rest
    return tool, "error", rest


def _tool_of_program(program: str) -> str:
    name = re.split(r"[\\/]", program)[-1].removesuffix(".exe")
    for tool, marks in (
        ("clang", ("clang", "icpx", "icx", "hipcc", "dpcpp")),
        ("gcc", ("g++", "gcc", "cc1", "lto", "f951", "<")),
        ("ld", ("ld", "mold", "collect2")),
    ):
        if any(mark in name for mark in marks):
            return tool
    last = re.sub(r"-[\d.]{1,5}$", "", name).rpartition("-")[2]
    return {"as": "as", "ar": "ar", "ranlib": "ar"}.get(last, "driver")


_CLANG = ("' file not found", "use of undeclared", "unknown argument", "[-W#")
_CHECKER_CODE = r"  \[[a-z][a-z-]{2,40}\]$"
_GCC = ("\u2018", "No such file or directory", "[-W", "#error")


def _tool(fields: _Fields, message: str) -> str:
    """Tell who printed a message that names no program."""
    if fields.get("nvidia"):
        return "ptxas" if fields["nvidia"] == "ptxas" else "nvcc"
    if fields.get("parenthesised"):
        # EDG, the parser of nvcc, and MSVC share the shape; MSVC numbers its errors.
        return "msvc" if (fields.get("word") or "").startswith(("note", "message")) else "nvcc"
    path = (fields.get("path") or "").lower()
    for tool, holds in (
        ("llvm", "Assertion" in message and any(mark in path + message for mark in ("llvm", "mlir", "triton"))),
        ("as", path.endswith(".s")),
        ("mlir", _is_of_kernel(path, fields, message) or "MLIR" in message or "Pipeline failed" in message),
        ("clang", any(mark in message for mark in _CLANG)),
        ("gcc", any(mark in message for mark in _GCC)),
    ):
        if holds:
            return tool
    return "compiler"


def _is_of_kernel(path: str, fields: _Fields, message: str) -> bool:
    """Tell MLIR, which gives a column in Python code and no code of its own, from a checker of that code."""
    return path.endswith(".py") and bool(fields.get("column")) and not compiled(_CHECKER_CODE).search(message)


_COMMAND_END = (
    r"['\"] (?:returned non-zero exit status (?P<status>-?\d{1,9})"
    r"|died with <?Signals\.\w{1,20}: (?P<signal>\d{1,4})>?)"
)


_STEP = r"(?:[\[+#][\d/]{0,13}\]? {1,3}|Repro command: )?"
_FIRST_WORD = r"\"([^\"\n]{1,500})\"|'([^'\n]{1,500})'|(\S{1,500})"
_LIST_ITEM = r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\""


def read_invocation(
    line: str, span: Span, process: Process | None, record: RecordHeader | None
) -> CompilerInvocation | None:
    """Read a command line, or the ``Command '[…]'`` of CalledProcessError.

    A negative ``exit_status`` is the number of the signal that ended it.
    """
    failed = _read_failed(line)
    if failed:
        command, status = failed
    else:
        command, status = line.strip(), None
        step = compiled(_STEP).match(command)
        command = command[step.end() :] if step else command
    launcher = compiled(LAUNCHER).match(command)
    word = compiled(_FIRST_WORD).match(command, launcher.end() if launcher else 0)
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


def _read_failed(text: str) -> tuple[str, int] | None:
    """Return command and status of a CalledProcessError, the list joined by spaces."""
    end = compiled(_COMMAND_END).search(text) if "Command " in text else None
    if end is None:
        return None
    quote = text[end.start()]
    start = text.find(f"Command {quote}", 0, end.start())
    if start < 0:
        return None
    command = text[start + len("Command ' ") - 1 : end.start()]
    if command.startswith("["):
        command = " ".join(first or second for first, second in compiled(_LIST_ITEM).findall(command))
    return command, int(end["status"]) if end["status"] else -int(end["signal"])
