"""The messages of the tools below torch, and what each means where it stands.

``tools.yml`` lists facts: what a compiler, linker, loader, driver or kernel
prints, and the label in each circumstance. A circumstance is the log around
the message: the same errno is a full cache in one and a full data disk in
another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from corpus.lab.inventory.decisions import NOT_A_FAILURE, WRAPPER
from tracelens.api import analyze_text
from tracelens.findings import Diagnosis, Outcome
from tracelens.ruleset.bundled import load_ruleset

FACTS = Path(__file__).with_name("tools.yml")


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolMessage:
    """One message in one circumstance; ``labels`` are all that are right, the best first."""

    tool: str
    circumstance: str
    message: str
    labels: tuple[str, ...]
    log: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolVerdict:
    """A message with the answer it got."""

    told: ToolMessage
    answer: Diagnosis

    @property
    def is_right(self) -> bool:
        """Tell whether the answer is one that the facts allow."""
        return any(self._allows(label) for label in self.told.labels)

    def _allows(self, label: str) -> bool:
        if label == NOT_A_FAILURE:
            return self.answer.outcome is Outcome.CLEAN
        if label == WRAPPER:
            return self.answer.outcome is not Outcome.DIAGNOSED
        return self.answer.label == label

    def __str__(self) -> str:
        """Put everything that helps to decide who is wrong in one line."""
        codes = " ".join(finding.code for finding in self.answer.findings)
        return (
            f"{self.told.tool} in {self.told.circumstance}: {self.told.message!r}: "
            f"facts: {' or '.join(self.told.labels)}; analyze: {self.answer.label or self.answer.outcome.value} {codes}"
        )


def load_tool_messages(file: Path = FACTS) -> tuple[ToolMessage, ...]:
    """Read the facts and put each message into each of its circumstances."""
    document = yaml.safe_load(file.read_text(encoding="utf-8"))
    circumstances: dict[str, str] = document["circumstances"]
    return tuple(
        told
        for tool, entries in document["tools"].items()
        for entry in entries
        for told in _read(tool, entry, circumstances)
    )


def judge_tools(messages: Iterable[ToolMessage]) -> Iterator[ToolVerdict]:
    """Yield a verdict on each message."""
    ruleset = load_ruleset()
    for told in messages:
        yield ToolVerdict(told=told, answer=analyze_text(told.log, ruleset))


def _read(tool: str, entry: dict[str, Any], circumstances: dict[str, str]) -> Iterator[ToolMessage]:
    texts = [entry["says"]] if isinstance(entry["says"], str) else entry["says"]
    for names, given in entry["in"].items():
        labels = (given,) if isinstance(given, str) else tuple(given)
        for name in names.split():
            for message in texts:
                yield ToolMessage(
                    tool=tool,
                    circumstance=name,
                    message=message,
                    labels=labels,
                    log=circumstances[name].replace("{message}", message.rstrip("\n")),
                )
