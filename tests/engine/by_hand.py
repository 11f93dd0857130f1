"""Events and rules made by hand, the real classes with the boring fields filled in."""

from __future__ import annotations

from collections.abc import Iterable

from tracelens.engine.diagnose import Reading, diagnose
from tracelens.engine.log import Log
from tracelens.engine.store import EventStore
from tracelens.events import (
    ChainedException,
    CompilerDiagnostic,
    Event,
    ExceptionChain,
    GuardFailure,
    GuardKind,
    Level,
    LogRecord,
    Owner,
    ProcessExit,
    Recompile,
    RecordHeader,
    Relation,
    StackFrame,
    Text,
)
from tracelens.findings import Coverage, Diagnosis
from tracelens.ruleset.compiled import RuleSet, entries_of
from tracelens.ruleset.model import Rule
from tracelens.ruleset.read_rule import read_rule
from tracelens.text import Process, Span

LABELS = (
    "toolchain/cxx-missing",
    "toolchain/python-headers",
    "cache/permission",
    "dynamic-shapes/recompile-limit",
    "outside/runtime-error",
    "outside/distributed",
    "none/clean",
)
RANK0, RANK1, RANK3 = (Process(name=f"rank {number}", rank=number) for number in (0, 1, 3))


#: Letters that no hexadecimal number has, one for each digit.
_LETTERS = str.maketrans("0123456789", "ghijklmnop")


def in_letters(number: int) -> str:
    """Return a word of its own for each number, so that texts with it differ in more than numbers."""
    return str(number).translate(_LETTERS)


def span(line: int, end_line: int | None = None) -> Span:
    return Span(line=line, end_line=end_line or line)


def header(level: Level = Level.WARNING, time: str | None = None) -> RecordHeader:
    return RecordHeader(level=level, location="torch/_dynamo/convert_frame.py:1", time=time)


def text(message: str, line: int, process: Process | None = None) -> Text:
    return Text(span=span(line, line + message.count("\n")), process=process, message=message)


def record(message: str, line: int, level: Level = Level.WARNING, process: Process | None = None) -> LogRecord:
    return LogRecord(span=span(line), process=process, record=header(level), message=message)


def diagnostic(message: str, line: int, severity: str = "error", path: str | None = "main.c") -> CompilerDiagnostic:
    return CompilerDiagnostic(span=span(line), tool="gcc", severity=severity, message=message, path=path, line=5)


def frame(path: str, owner: Owner = Owner.TORCH, function: str = "f") -> StackFrame:
    return StackFrame(path=path, line=10, function=function, owner=owner)


def chain(
    *said: str,
    line: int = 1,
    process: Process | None = None,
    level: Level | None = None,
    frames: Iterable[StackFrame] = (),
    unfinished: bool = False,
) -> ExceptionChain:
    """Chain exceptions given as ``Type: message``, innermost first; each ends a traceback of two lines of head."""
    exceptions: list[ChainedException] = []
    position = line
    for number, one in enumerate(said):
        type_name, _, message = one.partition(": ")
        first = position + 2
        last = first + message.count("\n")
        exceptions.append(
            ChainedException(
                type_name=type_name,
                message=message,
                span=span(first, last),
                frames=tuple(frames),
                relation=None if number == len(said) - 1 else Relation.CAUSE,
            )
        )
        position = last + 1
    return ExceptionChain(
        span=span(line, position - 1),
        process=process,
        record=header(level) if level else None,
        exceptions=tuple(exceptions),
        unfinished=unfinished,
    )


def exit_of(
    message: str, line: int, *, signal: str | None = None, rank: int | None = None, first: bool = False
) -> ProcessExit:
    return ProcessExit(
        span=span(line), message=message, signal=signal, exit_code=None if signal else 1, rank=rank, first_failure=first
    )


def guard(kind: GuardKind, line: int, expression: str = "guard") -> GuardFailure:
    return GuardFailure(span=span(line), expression=expression, kind=kind, source="x", dimension=1)


def recompile(line: int, *guards: GuardFailure, function: str = "forward") -> Recompile:
    return Recompile(span=span(line, line + len(guards)), function=function, location="m.py:1", guards=guards)


def rule(condition: str, *, code: str = "TL101", label: str = "toolchain/cxx-missing", more: str = "") -> Rule:
    """Read a rule with the real reader; ``condition`` is the YAML below ``when:``, ``more`` stands at its end."""
    name = f"rule-{code.lower()}"
    body = "\n".join(f"  {line}" for line in condition.strip("\n").split("\n"))
    defaults = {
        "severity": "handled" if label == "none/clean" else "fatal",
        "confidence": "certain",
        "title": "A title",
        "summary": "A summary",
    }
    head = "".join(f"{key}: {value}\n" for key, value in defaults.items() if f"\n{key}:" not in f"\n{more}")
    source = f"code: {code}\nname: {name}\nlabel: {label}\n{head}explanation: Why.\nwhen:\n{body}\n{more}\n"
    read, problems = read_rule(source.encode(), file=f"{code}-{name}.yml", labels=LABELS, foreign=False)
    assert problems == (), "\n".join(map(str, problems))
    assert read is not None
    return read


def log_of(*events: Event) -> Log:
    return Log(EventStore(events).events())


def diagnosis_of(events: Iterable[Event] | EventStore, *rules: Rule, raw: str = "") -> Diagnosis:
    """Diagnose events; ``raw`` is the text of the input, for its evidence."""
    lines = raw.split("\n") if raw else []

    def excerpt(part: Span) -> str:
        return "\n".join(lines[part.line - 1 : part.end_line])

    reading = Reading(coverage=Coverage(lines=1000, parsed=1000, unparsed=0))
    return diagnose(events, RuleSet(entries_of(rules)), excerpt=excerpt, reading=reading, strict=True)
