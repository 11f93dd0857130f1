"""Counts how many of the graphs in a folder are read, built, and equal to their text."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from tracelens.verify.graph import FoundGraph, GraphIr, GraphKind, Level, Refusal, find_graphs, read_graph

_OUTCOMES = ("equal", "ran", "differs", "failed", "died", "refused")
_MEANINGS = """\
equal: rebuilt, and equal to the text executed by Python; ran: rebuilt and run, the text
itself is no Python; differs, failed, died: of the rebuilt graph; refused: with a reason"""


class Result(NamedTuple):
    """What came of one graph."""

    graph: FoundGraph
    outcome: str
    reason: str
    in_double: str = ""

    @property
    def program(self) -> str:
        """Return the name of the program it is of."""
        path = Path(self.graph.source)
        return path.parent.name if path.name == "log.txt" else path.parent.parent.name


def measure(folder: Path) -> str:
    """Return a table, and the reasons for all that is not equal."""
    graphs = list(_distinct(folder))
    with ThreadPoolExecutor(2) as pool:
        read = list(pool.map(read_graph, graphs))
    refused = [one for one in read if isinstance(one, Refusal)]
    results = [Result(one.found, "refused", f"{one.code.value}: {one.construct}") for one in refused]
    results += _try([one for one in read if isinstance(one, GraphIr)])
    return "\n".join((*_table(results), "", _MEANINGS, "", *_reasons(results), "", *_references(results)))


def _distinct(folder: Path) -> Iterator[FoundGraph]:
    """Yield each graph once: the trace repeats what the logs have."""
    seen: set[tuple[bool, str]] = set()
    for log in sorted(folder.glob("**/log.txt")):
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
        yield from _new(find_graphs(lines, [log.parent], log_name=str(log)), seen)
    yield from _new(find_graphs((), [folder]), seen)


def _new(graphs: tuple[FoundGraph, ...], seen: set[tuple[bool, str]]) -> Iterator[FoundGraph]:
    for graph in graphs:
        key = (graph.level is Level.ATEN, graph.text)
        if graph.kind is not GraphKind.AOT_JOINT and key not in seen:
            seen.add(key)
            yield graph


def _try(read: list[GraphIr]) -> Iterator[Result]:
    command = [sys.executable, "-W", "ignore", "-m", "corpus.graphs.trial"]
    tasks = "".join(json.dumps({"ir": json.loads(one.json), "text": one.found.text}) + "\n" for one in read)
    done = subprocess.run(command, input=tasks.encode(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    for one, line in zip(read, done.stdout.decode().splitlines(), strict=True):
        answer = json.loads(line)
        yield Result(one.found, answer["outcome"], answer["reason"], answer.get("in_double", ""))


def _table(results: list[Result]) -> Iterator[str]:
    yield f"{'':26}{'graphs':>8}" + "".join(f"{outcome:>9}" for outcome in _OUTCOMES) + "   rebuilt"
    rows = [(kind.value, [result for result in results if result.graph.kind is kind]) for kind in GraphKind]
    rows += [(f"all {level.value}", [result for result in results if result.graph.level is level]) for level in Level]
    for name, of_row in rows:
        if of_row:
            counts = Counter(result.outcome for result in of_row)
            rebuilt = 100 * (counts["equal"] + counts["ran"]) / len(of_row)
            numbers = "".join(f"{counts[outcome]:>9}" for outcome in _OUTCOMES)
            yield f"{name:26}{len(of_row):>8}{numbers}{rebuilt:>8.1f} %"


def _reasons(results: list[Result]) -> Iterator[str]:
    reasons: dict[tuple[str, str], list[str]] = {}
    for result in results:
        if result.outcome != "equal":
            reasons.setdefault((result.outcome, result.reason), []).append(result.program)
    for (outcome, reason), names in sorted(reasons.items(), key=lambda item: (item[0][0], -len(item[1]))):
        yield f"{len(names):>4} {outcome:8} {reason}  [{', '.join(sorted(set(names))[:3])}]"


def _references(results: list[Result]) -> Iterator[str]:
    """Tell for how many graphs float64 gives something to compare with, and why not for the others."""
    said = Counter(result.in_double for result in results if result.in_double)
    yield f"in float64: {said['measured']} of {said.total()} graphs that run and draw no random numbers"
    for words, count in said.most_common():
        if words != "measured":
            yield f"{count:>4} {words}"
