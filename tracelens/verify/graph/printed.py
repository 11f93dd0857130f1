"""Graphs that a log holds itself: those of TORCH_LOGS=graph_code, aot_graphs, pre_grad_graphs, post_grad_graphs."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator

from tracelens.events import CompileId
from tracelens.parsing.records import read_compile_id
from tracelens.source import split_strands
from tracelens.text import Region, Strand
from tracelens.verify.graph.found import FoundGraph, GraphKind, Origin

_ARTIFACTS = ("[__graph_code", "[__aot_graphs]", "[__aot_joint_graph]", "[__pre_grad_graphs]", "[__post_grad_graphs]")
#: Of a log with more, the beginning is not searched: what failed stands at the end.
_MAX_KEPT = 256 << 20

_LINE = re.compile(
    r"[VDIWEC]\d{4} \d\d:\d\d:\d\d\.\d+ (?P<thread>[\d ]+) \S+:\d+\] (?P<ids>(?:\[[^\]_][^\]]*\] )*)"
    r"\[__(?P<artifact>\w+)\] ?(?P<message>.*)"
)
_COMPILE_ID = re.compile(r"\[(!?[\d/_]+)\]")
_TITLE = re.compile(r" ?={3,} (.*?) ={3,}")
_CLASS = re.compile(r"(?:\s*\S+)?\s*(class (?:<lambda>|\w+)\((?:torch\.)?nn\.Module\):\s*)\Z")


def find_printed(log_lines: Iterable[str], log_name: str) -> Iterator[FoundGraph]:
    """Yield the graphs of a log, for each process in the order it printed them."""
    kept: deque[tuple[int, str]] = deque()
    size = 0
    for number, line in enumerate(log_lines, 1):
        if "[__" in line and any(artifact in line for artifact in _ARTIFACTS):
            kept.append((number, line.rstrip("\r\n").replace("\n", " ")))
            size += len(line)
            while size > _MAX_KEPT:
                size -= len(kept.popleft()[1])
    if kept:
        numbers = [number for number, _ in kept]
        text = "".join(f"{line}\n" for _, line in kept)
        for strand in split_strands(Region(first_line=1, text=text)):
            yield from _of_process(strand, numbers, log_name)


def _of_process(strand: Strand, numbers: list[int], log_name: str) -> Iterator[FoundGraph]:
    open_graphs: dict[tuple[str, str], _Printed] = {}
    for position, text in enumerate(strand.text.split("\n")):
        line = _LINE.match(text)
        if not line:
            continue
        key = (line["thread"], line["artifact"])
        current = open_graphs.get(key)
        if line["message"].startswith("TRACED GRAPH"):
            if current and current.is_whole:
                yield current.found(log_name)
            open_graphs[key] = _Printed(line["artifact"], _compile_id(line["ids"]))
        elif current and not current.add(line["message"], numbers[strand.line_numbers[position] - 1]):
            del open_graphs[key]
            if current.is_whole:
                yield current.found(log_name)
    for current in open_graphs.values():
        if current.is_whole:
            yield current.found(log_name)


class _Printed:
    """A graph of which some lines were seen."""

    def __init__(self, artifact: str, compile_id: CompileId | None) -> None:
        self._artifact = artifact
        self._compile_id = compile_id
        self._title = ""
        self._text: list[str] = []
        self._lines: list[int] = []

    @property
    def is_whole(self) -> bool:
        # What torch printed before its last word on the matter is printed again.
        return bool(self._text) and not self._title.startswith("pre insert")

    def add(self, message: str, line: int) -> bool:
        """Take the next line of the artifact, unless the graph is over."""
        if not self._text:
            title, start = _TITLE.match(message), _CLASS.match(message)
            if title:
                self._title = title[1]
            if start:
                message = start[1]
            else:
                return True
        elif message.strip() and not message.startswith((" ", "\t", "#")):
            return False
        self._text.append(message)
        self._lines.append(line)
        return True

    def found(self, log_name: str) -> FoundGraph:
        while self._text and not self._text[-1].strip():
            self._text.pop()
            self._lines.pop()
        return FoundGraph(
            kind=_kind(self._artifact, self._title.casefold()),
            origin=Origin.LOG,
            source=log_name,
            text="\n".join(self._text),
            lines=tuple(self._lines),
            title=self._title,
            compile_id=self._compile_id,
        )


def _kind(artifact: str, title: str) -> GraphKind:
    if artifact.startswith("graph_code"):
        return GraphKind.GRAPH_CODE
    if artifact == "pre_grad_graphs":
        return GraphKind.PRE_GRAD
    if artifact == "post_grad_graphs":
        return GraphKind.POST_GRAD
    if "joint" in title or "joint" in artifact:
        return GraphKind.AOT_JOINT
    return GraphKind.AOT_BACKWARD if "backward" in title else GraphKind.AOT_FORWARD


def _compile_id(ids: str) -> CompileId | None:
    shown = _COMPILE_ID.search(ids)
    return read_compile_id(shown[1]) if shown else None
