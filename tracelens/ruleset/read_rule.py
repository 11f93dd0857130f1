"""One rule file: bytes in, a ``Rule`` or every problem of the file out."""

from __future__ import annotations

import re
from typing import TypeVar

from tracelens.errors import RuleProblem
from tracelens.findings import Confidence, FixKind, NotHelpful, Risk, Role, Severity, Stage
from tracelens.ruleset.model import NO_EXAMPLES, Carrier, Examples, FixTemplate, Handles, Rule
from tracelens.ruleset.nodes import Node, Scalar, Sequence, node_at, parse_nodes
from tracelens.ruleset.read_condition import UNREADABLE, ConditionReader
from tracelens.ruleset.reading import Reader, is_null, join
from tracelens.ruleset.templates import hole_names
from tracelens.ruleset.versions import SUBJECTS, is_range
from tracelens.ruleset.vocabulary import ENVIRONMENT_CAPTURES, PLATFORMS
from tracelens.typed import Enum

#: More than this belongs into a case of the corpus.
LONGEST_EXAMPLE = 2000

_Choice = TypeVar("_Choice", bound=Enum)

REQUIRED = ("code", "name", "label", "title", "summary", "severity", "confidence", "when", "explanation")
KEYS = (
    *REQUIRED,
    "aliases",
    "stage",
    "role",
    "weight",
    "carrier",
    "versions",
    "unless",
    "handles",
    "fixes",
    "not_helpful",
    "references",
    "matches",
    "rejects",
    "examples",
)
FIX_REQUIRED = ("id", "title", "kind", "risk", "commands")
FIX_KEYS = (*FIX_REQUIRED, "needs_root", "proven", "unproven")
HANDLES_KEYS = ("as", "before", "after", "only", "quiet", "since", "unless")
HANDLED_AS = ("handled", "degraded")
CODE = re.compile(r"[A-Z]{2,8}[0-9]{3,4}")
NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
URL = re.compile(r"https?://[^\s<>\"]+")
CASE = re.compile(r"[A-Za-z0-9._+-]+(?:/[A-Za-z0-9._+-]+)+")
#: The first digit of our own codes says the cause.
_FIRST_DIGITS = {"toolchain": "1", "cache": "2", "dynamic-shapes": "3", "abi": "4", "outside": "9", "none": "05678"}


def read_rule(
    content: bytes, *, file: str, labels: tuple[str, ...], foreign: bool
) -> tuple[Rule | None, tuple[RuleProblem, ...]]:
    """Return the rule, or ``None`` and what is wrong; ``file`` is shown, its last part checked."""
    document = parse_nodes(content, file=file)
    if isinstance(document, RuleProblem):
        return None, (document,)
    form = _RuleReader(Reader(file), foreign=foreign)
    rule = form.read(document, labels)
    return (None, tuple(form.problems)) if form.problems else (rule, ())


class _RuleReader:
    def __init__(self, reader: Reader, *, foreign: bool) -> None:
        self._reader = reader
        self._foreign = foreign
        self._conditions = ConditionReader(reader, foreign=foreign)
        self._entries: dict[str, Node] = {}
        self.problems = reader.problems

    def read(self, document: Node, labels: tuple[str, ...]) -> Rule:
        reader = self._reader
        self._entries = entries = reader.entries(document, "", KEYS, required=REQUIRED)
        code, name, label = self._identity(document, labels)
        when = self._conditions.read(entries["when"], "when", anchored=False) if "when" in entries else UNREADABLE
        captures = tuple(self._conditions.captures)
        unless = tuple(self._conditions.read(item, here, anchored=True) for here, item in self._list("unless"))
        known = (*captures, *ENVIRONMENT_CAPTURES)
        return Rule(
            code=code,
            name=name,
            label=label,
            title=self._template("title", known),
            summary=self._template("summary", known),
            severity=self._severity(label),
            confidence=self._choice("confidence", Confidence, Confidence.POSSIBLE),
            stage=None if self._is_null("stage") else self._choice("stage", Stage, Stage.RUNTIME),
            role=self._choice("role", Role, Role.CAUSE),
            weight=reader.number(entries["weight"], "weight", low=-1000, high=1000) if "weight" in entries else 0,
            carrier=self._choice("carrier", Carrier, Carrier.LOWER),
            versions=self._versions(),
            when=when,
            unless=unless,
            handles=self._handles(label),
            explanation=self._text("explanation"),
            fixes=self._fixes(known),
            not_helpful=self._not_helpful(),
            references=self._matching("references", URL, "a plain URL"),
            matches=self._matching("matches", CASE, "a case, such as lab/2.13.0/inductor-no-gxx"),
            rejects=self._matching("rejects", CASE, "a case, such as lab/2.13.0/mlp"),
            aliases=self._matching("aliases", NAME, "a name of small letters, digits and hyphens"),
            foreign=self._foreign,
            examples=self._examples(),
        )

    def _identity(self, document: Node, labels: tuple[str, ...]) -> tuple[str, str, str]:
        reader = self._reader
        code, name, label = self._text("code"), self._text("name"), self._text("label")
        if code and not CODE.fullmatch(code):
            reader.complain(self._entries["code"], "code", f"{code!r} is not capitals and three digits, such as TL101")
        if name and not NAME.fullmatch(name):
            reader.complain(self._entries["name"], "name", f"{name!r} is not small letters, digits and hyphens")
        if label and label not in labels:
            reader.word(self._entries["label"], "label", labels)
        elif code.startswith("TL") and code[2:3] not in _FIRST_DIGITS.get(label.partition("/")[0], code[2:3]):
            digits = " or ".join(f"TL{digit}" for digit in _FIRST_DIGITS[label.partition("/")[0]])
            reader.complain(self._entries["code"], "code", f"a code for {label} starts with {digits}")
        file_name = re.split(r"[/\\]", reader.file)[-1]
        sound = code and name and not any(problem.where in ("code", "name") for problem in reader.problems)
        if sound and file_name not in (f"{code}-{name}.yml", f"{code}-{name}.yaml"):
            reader.complain(document, "file", f"must be called {code}-{name}.yml")
        return code, name, label

    def _severity(self, label: str) -> Severity:
        severity = self._choice("severity", Severity, Severity.FATAL)
        if label == "none/clean" and severity is not Severity.HANDLED and "severity" in self._entries:
            problem = "what is none/clean is handled: it never ends a run"
            self._reader.complain(self._entries["severity"], "severity", problem)
        return severity

    def _is_null(self, key: str) -> bool:
        return key not in self._entries or is_null(self._entries[key])

    def _text(self, key: str) -> str:
        return self._reader.text(self._entries[key], key) if key in self._entries else ""

    def _list(self, key: str) -> tuple[tuple[str, Node], ...]:
        return self._reader.items(self._entries[key], key) if key in self._entries else ()

    def _choice(self, key: str, members: type[_Choice], default: _Choice) -> _Choice:
        return self._reader.choice(self._entries[key], key, members) if key in self._entries else default

    def _matching(self, key: str, shape: re.Pattern[str], meant: str) -> tuple[str, ...]:
        texts: list[str] = []
        for here, item in self._list(key):
            text = self._reader.text(item, here)
            if text and not shape.fullmatch(text):
                self._reader.complain(item, here, f"{text!r} is not {meant}")
            if text in texts:
                self._reader.complain(item, here, f"{text!r} stands here twice")
            texts.append(text)
        return tuple(texts)

    def _template(self, key: str, known: tuple[str, ...]) -> str:
        text = self._text(key)
        if text:
            self._check_holes(self._entries[key], key, text, known)
        return text

    def _check_holes(self, node: Node, where: str, text: str, known: tuple[str, ...]) -> None:
        for name in hole_names(text):
            if name not in known:
                problem = (
                    f"nothing captures {{{name}}}; allowed: {', '.join(sorted(known))}; write {{{{{name}}}}} for braces"
                )
                self._reader.complain(node, where, problem)

    def _versions(self) -> tuple[tuple[str, str], ...]:
        if "versions" not in self._entries:
            return ()
        ranges: list[tuple[str, str]] = []
        for name, node in self._reader.entries(self._entries["versions"], "versions", SUBJECTS).items():
            text = self._reader.text(node, f"versions.{name}")
            if text and not is_range(text):
                self._reader.complain(node, f"versions.{name}", f"{text!r} is no range such as '>=2.6,<2.9'")
            ranges.append((name, text))
        return tuple(ranges)

    def _handles(self, label: str) -> Handles | None:
        if "handles" not in self._entries:
            return None
        node, reader = self._entries["handles"], self._reader
        if label and label != "none/clean":
            reader.complain(node, "handles", "is for rules with the label none/clean")
        entries = reader.entries(node, "handles", HANDLES_KEYS, required=("as",))
        severity = Severity.HANDLED
        if "as" in entries:
            severity = Severity(reader.word(entries["as"], "handles.as", HANDLED_AS) or "handled")
        before, after = (
            reader.number(entries[key], f"handles.{key}") if key in entries else 0 for key in ("before", "after")
        )
        only, unless = (
            self._conditions.pattern(entries[key], f"handles.{key}") if key in entries else None
            for key in ("only", "unless")
        )
        starts = reader.items(entries["since"], "handles.since") if "since" in entries else ()
        since = tuple(self._conditions.pattern(item, here) for here, item in starts)
        quiet = "quiet" in entries and reader.flag(entries["quiet"], "handles.quiet")
        return Handles(severity, before=before, after=after, only=only, quiet=quiet, since=since, unless=unless)

    def _fixes(self, known: tuple[str, ...]) -> tuple[FixTemplate, ...]:
        fixes: list[FixTemplate] = []
        for here, item in self._list("fixes"):
            fix = self._fix(item, here, known)
            if fix.id and fix.id in (other.id for other in fixes):
                self._reader.complain(item, join(here, "id"), f"{fix.id!r} stands here twice")
            fixes.append(fix)
        return tuple(fixes)

    def _fix(self, node: Node, where: str, known: tuple[str, ...]) -> FixTemplate:
        reader = self._reader
        entries = reader.entries(node, where, FIX_KEYS, required=FIX_REQUIRED)
        texts = {
            key: reader.text(entries[key], join(where, key)) if key in entries else None
            for key in ("id", "title", "proven", "unproven")
        }
        identity, proven = texts["id"], texts["proven"]
        if identity and not NAME.fullmatch(identity):
            reader.complain(entries["id"], join(where, "id"), f"{identity!r} is not small letters, digits and hyphens")
        if (proven is None) is (texts["unproven"] is None):
            reader.complain(node, where, "give either proven: a case, or unproven: the reason why there is no proof")
        if proven and not CASE.fullmatch(proven):
            reader.complain(
                entries["proven"], join(where, "proven"), f"{proven!r} is not a case, such as lab/2.13.0/mlp"
            )
        if texts["title"]:
            self._check_holes(entries["title"], join(where, "title"), texts["title"], known)
        commands = self._commands(entries["commands"], join(where, "commands"), known) if "commands" in entries else ()
        return FixTemplate(
            id=identity or "",
            title=texts["title"] or "",
            kind=reader.choice(entries["kind"], join(where, "kind"), FixKind) if "kind" in entries else FixKind.SHELL,
            risk=reader.choice(entries["risk"], join(where, "risk"), Risk) if "risk" in entries else Risk.SAFE,
            needs_root=reader.flag(entries["needs_root"], join(where, "needs_root"))
            if "needs_root" in entries
            else False,
            commands=commands,
            proven=proven,
            unproven=texts["unproven"],
        )

    def _commands(self, node: Node, where: str, known: tuple[str, ...]) -> tuple[tuple[str, tuple[str, ...]], ...]:
        commands: list[tuple[str, tuple[str, ...]]] = []
        entries = self._reader.entries(node, where, PLATFORMS)
        for platform, value in entries.items():
            here = join(where, platform)
            if isinstance(value, Sequence):
                lines = self._reader.texts(value, here)
            else:
                lines = tuple(self._reader.text(value, here).rstrip("\n").split("\n"))
            for line in lines:
                self._check_holes(value, here, line, known)
            commands.append((platform, lines))
        if not commands and not isinstance(node, Scalar | Sequence):
            self._reader.complain(node, where, f"names no platform; allowed: {', '.join(PLATFORMS)}")
        return tuple(sorted(commands, key=lambda pair: PLATFORMS.index(pair[0])))

    def _not_helpful(self) -> tuple[NotHelpful, ...]:
        found: list[NotHelpful] = []
        for here, item in self._list("not_helpful"):
            entries = self._reader.entries(item, here, ("advice", "why"), required=("advice", "why"))
            texts = {key: self._reader.text(node, join(here, key)) for key, node in entries.items()}
            found.append(NotHelpful(advice=texts.get("advice", ""), why=texts.get("why", "")))
        return tuple(found)

    def _examples(self) -> Examples:
        if "examples" not in self._entries:
            return NO_EXAMPLES
        reader, node = self._reader, self._entries["examples"]
        read: dict[str, tuple[str, ...]] = {}
        for key, value in reader.entries(node, "examples", Examples._fields).items():
            here = join("examples", key)
            read[key] = texts = reader.texts(value, here)
            for number, text in enumerate(texts):
                if len(text) > LONGEST_EXAMPLE:
                    problem = (
                        f"longer than {LONGEST_EXAMPLE} characters: an example shows one message, a case a whole log"
                    )
                    reader.complain(node_at(value, (number,)), f"{here}[{number}]", problem)
                if text in texts[:number]:
                    reader.complain(node_at(value, (number,)), f"{here}[{number}]", "stands here twice")
        return Examples(**read)
