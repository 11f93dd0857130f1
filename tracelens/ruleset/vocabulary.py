"""The words of rule files: which fields a leaf may carry, of which type, and what each kind of leaf tells a text."""

from __future__ import annotations

from typing import NamedTuple

from tracelens.events import GuardKind, Level, Owner
from tracelens.ruleset.model import Kind
from tracelens.topics import Topic
from tracelens.typed import Enum


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

_GUARD_CAPTURES = ("guard", "kind", "source", "dimension", "expected", "actual")

#: What each kind of leaf gives to titles and commands without any named group.
AUTOMATIC_CAPTURES: dict[Kind, tuple[str, ...]] = {
    Kind.EXCEPTION: ("type", "message", "frame", "place"),
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
