"""YAML as nodes that know their line, and nothing a rule file may not hold.

Built from the parser's events, so that a file is never turned into Python
objects by anyone but us. Aliases (and with them YAML bombs), tags, several
documents, deep nesting and large files are refused before anything is built.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import yaml

from tracelens.errors import RuleProblem

#: A rule is a page or two of prose; nobody needs more than this.
MAX_BYTES = 64 * 1024
MAX_NODES = 4000
MAX_DEPTH = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Scalar:
    """A text as written; ``quoted`` ones are never numbers or booleans."""

    line: int
    text: str
    quoted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Sequence:
    """A list."""

    line: int
    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mapping:
    """Keys and values in file order; a key may stand there twice."""

    line: int
    entries: tuple[tuple[Scalar, Node], ...]


Node: TypeAlias = Scalar | Sequence | Mapping


class _Refused(Exception):  # noqa: N818  # never leaves this module
    def __init__(self, line: int, problem: str) -> None:
        super().__init__(line, problem)
        self.line = line
        self.problem = problem


def parse_nodes(content: bytes, *, file: str) -> Node | RuleProblem:
    """Return the one document of a file, or why it cannot be read."""
    if len(content) > MAX_BYTES:
        return RuleProblem(file=file, line=1, where="file", problem=f"larger than {MAX_BYTES // 1024} KiB")
    try:
        return _Builder().build(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        return RuleProblem(file=file, line=line, where="file", problem="not UTF-8")
    except _Refused as error:
        return RuleProblem(file=file, line=error.line, where="file", problem=error.problem)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        return RuleProblem(file=file, line=line, where="file", problem=f"not YAML: {error.problem or error.context}")
    except yaml.YAMLError as error:
        return RuleProblem(file=file, line=1, where="file", problem=f"not YAML: {' '.join(str(error).split())}")


def node_at(node: Node, steps: tuple[str | int, ...]) -> Node:
    """Return what stands at the end of some keys and numbers, or the last thing on the way that is there."""
    for step in steps:
        if isinstance(node, Mapping):
            node = next((value for key, value in node.entries if key.text == step), node)
        elif isinstance(node, Sequence) and isinstance(step, int) and step < len(node.items):
            node = node.items[step]
    return node


class _Builder:
    """Turns the parser's events into nodes, without recursion."""

    def __init__(self) -> None:
        # Of each open collection: its line, whether it is a mapping, and its nodes.
        self._open: list[tuple[int, bool, list[Node]]] = []
        self._documents: list[Node] = []
        self._nodes = 0

    def build(self, text: str) -> Node:
        """Return the one document in ``text``."""
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        for event in yaml.parse(text, Loader=loader):
            self._take(event)
        if len(self._documents) != 1:
            raise _Refused(1, "a rule file holds exactly one YAML document")
        return self._documents[0]

    def _take(self, event: Any) -> None:  # noqa: ANN401  # the stubs know only the base class of events
        line = event.start_mark.line + 1
        if isinstance(event, yaml.AliasEvent):
            raise _Refused(line, "aliases are not allowed")
        if isinstance(event, yaml.NodeEvent):
            self._admit(event, line)
        if isinstance(event, yaml.ScalarEvent):
            self._add(Scalar(line=line, text=event.value, quoted=bool(event.style)))
        elif isinstance(event, yaml.CollectionStartEvent):
            self._open.append((line, isinstance(event, yaml.MappingStartEvent), []))
            if len(self._open) > MAX_DEPTH:
                raise _Refused(line, f"nested more than {MAX_DEPTH} deep")
        elif isinstance(event, yaml.CollectionEndEvent):
            self._close()

    def _admit(self, event: Any, line: int) -> None:  # noqa: ANN401  # as above
        self._nodes += 1
        if self._nodes > MAX_NODES:
            raise _Refused(line, f"more than {MAX_NODES} values")
        if event.anchor is not None:
            raise _Refused(line, "anchors are not allowed")
        if event.tag is not None:
            raise _Refused(line, f"the tag {event.tag} is not allowed")

    def _close(self) -> None:
        line, is_mapping, nodes = self._open.pop()
        if not is_mapping:
            self._add(Sequence(line=line, items=tuple(nodes)))
            return
        entries: list[tuple[Scalar, Node]] = []
        for key, value in zip(nodes[::2], nodes[1::2], strict=True):
            if not isinstance(key, Scalar):
                raise _Refused(key.line, "a key is a plain word")
            entries.append((key, value))
        self._add(Mapping(line=line, entries=tuple(entries)))

    def _add(self, node: Node) -> None:
        if self._open:
            self._open[-1][2].append(node)
        else:
            self._documents.append(node)
