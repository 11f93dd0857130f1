"""A first draft of a rule for a failure that no rule explains.

The draft is made of what the log says and of nothing else: it names no cause,
offers no fix, and says of itself that it is a draft. It is handed out only
after it was read as any rule file is, and after it matched its log.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from tracelens.engine.diagnose import Judgement
from tracelens.engine.evidence import Excerpt
from tracelens.engine.failures import is_wrapper
from tracelens.engine.fields import everything_said, said_by
from tracelens.engine.match import Matcher
from tracelens.engine.trial import try_rule
from tracelens.errors import UsageError
from tracelens.events import CompilerDiagnostic, Event, ExceptionChain, NinjaBuild, ProcessExit
from tracelens.findings import Confidence, Role, Severity
from tracelens.record import Record
from tracelens.redaction import Redactor
from tracelens.report.harmless import harmless, harmless_line
from tracelens.ruleset.as_yaml import dump_yaml
from tracelens.ruleset.model import Rule
from tracelens.ruleset.patterns import shortened
from tracelens.ruleset.read_rule import LONGEST_EXAMPLE, read_rule
from tracelens.ruleset.triggers import find_deafness
from tracelens.text import Span

_LABEL = "outside/other"
_UNKNOWN = "What causes it, what fixes it and which label is right, the log alone does not say."
_CAUTION = "# It quotes the log. Secrets, names and hosts were taken out where they were recognised: look once more.\n"
_WORDS = 4
_MIN_WORD = 3
#: Of a message so much goes into a pattern: enough to tell it from others.
_LONGEST_PATTERN = 160
#: What differs from run to run, and what stands for it; anything else is taken as it is.
_VARIABLE = re.compile(
    r"(?P<address>0x[0-9a-fA-F]+)"
    r"|(?P<path>(?:[A-Za-z]:)?[\w.~+<>-]*[/\\][\w./\\~+<>-]+)"
    r"|(?P<private><[a-z]+(?:-[a-z]+)*\d*>)"
    r"|(?P<hash>\b(?:c[a-z2-7]{50,51}|[0-9a-f]{16,})\b)"
    r"|(?P<number>(?<!Errno )\b\d+(?:[.,]\d+)*)"
    r"|(?P<name>'[^'\n]*')"
    r"|(?P<odd>[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]+)"
)
_STANDS_FOR = {
    "address": r"0x[0-9a-fA-F]+",
    "path": r"\S{1,200}",
    "private": r"\S{1,200}",
    "hash": r"\w{16,}",
    "number": r"\d[\d.,]*",
    "name": r"'[^'\n]*'",
    "odd": r"[^\n]{1,20}",
}
#: Characters that mean something in a pattern; ``re.escape`` also takes blanks for such.
_MEANING = re.compile(r"[\\.^$*+?{}()|\[\]]")


class Draft(Record):
    """A rule file to be: its name, its text, and the line of the log that it is made from."""

    file: str
    text: str
    line: int


def draft_rule(judgement: Judgement, excerpt: Excerpt, *, code: str, source: str, labels: tuple[str, ...]) -> Draft:
    """Return a draft for the failure that a log leaves unexplained; raises ``UsageError`` when there is none."""
    event, span = _subject(judgement, harmless_line(source))
    raw = excerpt(span)
    # A rule is written to be passed on.
    redactor = Redactor([raw, *everything_said(event)])
    drafter = _Drafter(code=code, source=redactor.redact(harmless_line(source)), line=span.line, labels=labels)
    raw = redactor.redact(raw)
    for condition, said in _conditions(event, redactor.redact):
        rule, draft = drafter.draft(condition, harmless_line(shortened(said.partition("\n")[0])), raw)
        if rule is not None and Matcher(judgement.log).matches(rule.when, rule.unless):
            return draft
    message = f"{drafter.source}: the failure on line {drafter.line} says nothing that a rule could look for"
    raise UsageError(message)


def _subject(judgement: Judgement, source: str) -> tuple[Event, Span]:
    """Return what a draft is for: what no rule explains, or only one that knows nothing more specific."""
    failure = judgement.unexplained
    if failure is not None:
        return judgement.log.events[failure.event], failure.span
    best = judgement.ranked[0].best if judgement.ranked else None
    if best is not None and best.rule.role is Role.FALLBACK and best.severity is not Severity.HANDLED:
        proof = best.match.primary
        return judgement.log.events[proof.subject.event], proof.span
    found = f"{best.rule.code} ({best.rule.label}) answers for it" if best else "no failure is in it"
    message = f"{source}: there is nothing to draft a rule from: {found}"
    raise UsageError(message)


def _conditions(event: Event, redact: Callable[[str], str]) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield conditions for an event, the most telling one first, with what it says without what is private."""
    if isinstance(event, ExceptionChain):
        inner = next((each for each in event.exceptions if not is_wrapper(each)), event.exceptions[0])
        said, kind = redact(said_by(inner)), {"type": rf"(?:^|\.){_escaped(inner.type_name.rpartition('.')[2])}$"}
        for pattern in _patterns(redact(inner.message)):
            yield {"exception": {**kind, "message": pattern}}, said
        yield {"exception": kind}, said
    elif isinstance(event, CompilerDiagnostic):
        for pattern in _patterns(redact(event.message)):
            yield {"diagnostic": {"severity": ["error", "fatal error"], "message": pattern}}, redact(event.message)
    elif isinstance(event, ProcessExit | NinjaBuild):
        kind_name = "exit" if isinstance(event, ProcessExit) else "ninja"
        for pattern in _patterns(redact(event.message)):
            yield {kind_name: {"message": pattern}}, redact(event.message)


def _patterns(message: str) -> Iterator[str]:
    """Yield patterns for the first line of a message that says something, the most general one first."""
    line = next((line.strip() for line in message.split("\n") if line.strip()), "")
    if line:
        yield _generalised(line)
        yield _escaped(line[:_LONGEST_PATTERN].rpartition(" ")[0] or line[:_LONGEST_PATTERN])


def _generalised(line: str) -> str:
    pieces: list[str] = []
    position = 0
    for match in _VARIABLE.finditer(line):
        if match.start() > _LONGEST_PATTERN:
            break
        pieces += [_escaped(line[position : match.start()]), _STANDS_FOR[match.lastgroup or "name"]]
        position = match.end()
    if position < _LONGEST_PATTERN:
        rest = line[position:_LONGEST_PATTERN]
        pieces.append(_escaped(rest if len(line) <= _LONGEST_PATTERN else rest.rpartition(" ")[0]))
    return "".join(pieces)


def _shows(rule: Rule, text: str) -> bool:
    return bool(text.strip()) and len(text) <= LONGEST_EXAMPLE and bool(try_rule(rule, text))


def _escaped(text: str) -> str:
    return _MEANING.sub(r"\\\g<0>", text)


class _Drafter(Record):
    """Writes drafts for one failure."""

    code: str
    source: str
    line: int
    labels: tuple[str, ...]

    def draft(self, condition: dict[str, Any], said: str, raw: str) -> tuple[Rule | None, Draft]:
        """Return a draft, and the rule in it if it is a sound one; ``raw`` is what the log holds of the failure."""
        said = " ".join(said.split())[:LONGEST_EXAMPLE]
        name = _name(said)
        file = f"{self.code}-{name}.yml"
        data: dict[str, Any] = {
            "code": self.code,
            "name": name,
            "label": _LABEL,
            "title": _braced(f"Draft: {said[:_LONGEST_PATTERN]}"),
            "summary": "A draft that nobody has judged yet; it only recognises this message again.",
            "severity": Severity.FATAL.value,
            "confidence": Confidence.POSSIBLE.value,
            "when": condition,
            "explanation": f"Drafted from line {self.line} of one log. {_UNKNOWN}",
        }
        rule = self._read(data, file)
        example = next((text for text in (said, harmless(raw)) if rule and _shows(rule, text)), None)
        if example:
            data["examples"] = {"positive": [example]}
            rule = self._read(data, file)
        head = f"# A draft, made by tracelens from line {self.line} of {self.source}; nobody has judged its cause.\n"
        return rule, Draft(file=file, text=f"{head}{_CAUTION}{dump_yaml(data)}", line=self.line)

    def _read(self, data: dict[str, Any], file: str) -> Rule | None:
        rule, _ = read_rule(dump_yaml(data).encode(), file=file, labels=self.labels, foreign=True)
        return rule if rule is not None and not any(find_deafness(rule.when)) else None


def _name(said: str) -> str:
    head = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", said.rpartition(".")[2] if said.isidentifier() else said)
    words = [word.lower() for word in re.findall(r"[A-Za-z]+", head) if len(word) >= _MIN_WORD]
    return "-".join(words[:_WORDS]) or "failure"


def _braced(text: str) -> str:
    """Return a text in which braces stand for themselves."""
    return text.replace("{", "{{").replace("}", "}}")
