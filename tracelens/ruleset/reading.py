"""Reads typed values out of YAML nodes and collects every problem on the way.

Nothing is coerced: a text that looks like a number or a boolean has to be
quoted, and one text is not a list of one. A problem never stops the reading,
so that an author sees all of them at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches
from typing import TypeVar

from tracelens.errors import RuleProblem
from tracelens.ruleset.nodes import Mapping, Node, Scalar, Sequence
from tracelens.typed import Enum

_Choice = TypeVar("_Choice", bound=Enum)

_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_NUMBER = re.compile(r"[-+]?(?:[0-9][0-9_]*\.?[0-9_]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|0[xo][0-9a-fA-F_]+")
_NULL = ("", "~", "null", "Null", "NULL")
_BOOLEAN = ("true", "false", "yes", "no", "on", "off", "y", "n")


class Reader:
    """Reads one rule file; ``problems`` grows as it goes."""

    def __init__(self, file: str) -> None:
        """Start with no problems."""
        self.file = file
        self.problems: list[RuleProblem] = []

    def complain(self, node: Node, where: str, problem: str) -> None:
        """Note one problem at the line of a node."""
        self.problems.append(RuleProblem(file=self.file, line=node.line, where=where, problem=problem))

    def entries(self, node: Node, where: str, allowed: Iterable[str], required: Iterable[str] = ()) -> dict[str, Node]:
        """Return the known keys of a mapping; complains of unknown, repeated and missing ones."""
        if not isinstance(node, Mapping):
            self.complain(node, where, f"expected keys and values, got {describe(node)}")
            return {}
        known = tuple(allowed)
        found: dict[str, Node] = {}
        for key, value in node.entries:
            here = join(where, key.text)
            if key.text not in known:
                self.complain(key, here, f"unknown key; {_allowed(key.text, known)}")
            elif key.text in found:
                self.complain(key, here, f"stands here twice, first on line {found[key.text].line}")
            else:
                found[key.text] = value
        for name in required:
            if name not in found:
                self.complain(node, join(where, name), "missing")
        return found

    def items(self, node: Node, where: str) -> tuple[tuple[str, Node], ...]:
        """Return the items of a list, each with its path."""
        if not isinstance(node, Sequence):
            self.complain(node, where, f"expected a list, got {describe(node)}")
            return ()
        return tuple((f"{where}[{number}]", item) for number, item in enumerate(node.items))

    def text(self, node: Node, where: str) -> str:
        """Return a text; an empty one is a problem."""
        if not isinstance(node, Scalar) or _looks_like(node) != "a text":
            advice = "; quote it if it is meant as text" if isinstance(node, Scalar) else ""
            self.complain(node, where, f"expected a text, got {describe(node)}{advice}")
            return ""
        if not node.text.strip():
            self.complain(node, where, "is empty")
        return node.text

    def texts(self, node: Node, where: str) -> tuple[str, ...]:
        """Return a list of texts."""
        return tuple(self.text(item, here) for here, item in self.items(node, where))

    def flag(self, node: Node, where: str) -> bool:
        """Return true or false."""
        if isinstance(node, Scalar) and not node.quoted and node.text in ("true", "false"):
            return node.text == "true"
        self.complain(node, where, f"expected true or false, got {describe(node)}")
        return False

    def number(self, node: Node, where: str, *, low: int = 0, high: int = 1_000_000) -> int:
        """Return a whole number between two bounds."""
        if not isinstance(node, Scalar) or node.quoted or not _INTEGER.fullmatch(node.text):
            self.complain(node, where, f"expected a whole number, got {describe(node)}")
            return low
        value = int(node.text)
        if not low <= value <= high:
            self.complain(node, where, f"must lie between {low} and {high}, got {value}")
            return low
        return value

    def word(self, node: Node, where: str, allowed: Iterable[str]) -> str:
        """Return one of the allowed words, or an empty text after a complaint."""
        known = tuple(allowed)
        if isinstance(node, Scalar) and node.text in known:
            return node.text
        got = node.text if isinstance(node, Scalar) else ""
        self.complain(node, where, f"{describe(node)} is not allowed; {_allowed(got, known)}")
        return ""

    def choice(self, node: Node, where: str, members: type[_Choice]) -> _Choice:
        """Return one member of an enum; the first one after a complaint."""
        word = self.word(node, where, (member.value for member in members))
        return next((member for member in members if member.value == word), next(iter(members)))


def join(where: str, key: str) -> str:
    """Extend a YAML path by a key."""
    return f"{where}.{key}" if where else key


def path_of(where: str, steps: tuple[str | int, ...]) -> str:
    """Extend a YAML path by keys and numbers."""
    for step in steps:
        where = f"{where}[{step}]" if isinstance(step, int) else join(where, step)
    return where


def steps_of(where: str) -> tuple[str | int, ...]:
    """Return the keys and numbers of a YAML path."""
    return tuple(int(word) if word.isdecimal() else word for word in re.findall(r"[^.\[\]]+", where))


def is_null(node: Node) -> bool:
    """Tell whether a value is YAML's null."""
    return isinstance(node, Scalar) and not node.quoted and node.text in _NULL


def looks_like_flag(node: Node) -> bool:
    """Tell whether a value is true or false, or another YAML's idea of it."""
    return isinstance(node, Scalar) and _looks_like(node) == "true or false"


def describe(node: Node) -> str:
    """Name what stands there, for a message."""
    if isinstance(node, Sequence):
        return "a list"
    if isinstance(node, Mapping):
        return "keys and values"
    kind = _looks_like(node)
    shown = node.text if len(node.text) <= 40 else f"{node.text[:37]}..."
    return kind if kind == "nothing" else f"{kind} ({shown!r})"


def _looks_like(node: Scalar) -> str:
    """Say how YAML readers would take a scalar, those of version 1.1 included."""
    if node.quoted:
        return "a text"
    if node.text in _NULL:
        return "nothing"
    if node.text.lower() in _BOOLEAN:
        return "true or false"
    return "a number" if _NUMBER.fullmatch(node.text) else "a text"


def _allowed(got: str, known: tuple[str, ...]) -> str:
    close = get_close_matches(got, known, n=1)
    listed = f"allowed: {', '.join(known)}"
    return f"did you mean {close[0]}? {listed}" if close else listed
