"""Strands made from text, as a source without decorations would make them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TypeVar

from tracelens.events import ChainedException, Event, ExceptionChain, StackFrame
from tracelens.parsing import Parsed, parse_strand
from tracelens.text import Process, Strand

CORPUS = Path(__file__).parents[2] / "corpus"
_DECORATION = re.compile(
    r"^(?:\[(?:rank|default)\d+\]: ?|\((?:\w+ )?pid=\d+[^)]*\) |\x1b\[[0-9;]*m)+|\x1b\[[0-9;]*m", re.MULTILINE
)

E = TypeVar("E", bound=Event)

HEAD = "Traceback (most recent call last):\n"
FRAME = '  File "/home/u/train.py", line 12, in main\n    y = model(x)\n'
TORCH_FRAME = (
    '  File "/opt/venv/lib/python3.11/site-packages/torch/_dynamo/eval_frame.py", line 663, in _fn\n'
    "    raise e.with_traceback(None) from None\n"
)


def strand(text: str, process: Process | None = None) -> Strand:
    if text and not text.endswith("\n"):
        text += "\n"
    return Strand(process=process, text=text, line_numbers=range(1, text.count("\n") + 1))


def parsed(text: str) -> Parsed:
    return parse_strand(strand(text))


def events_of(kind: type[E], text: str) -> list[E]:
    return [event for event in parsed(text).events if isinstance(event, kind)]


def chain(text: str) -> ExceptionChain:
    """Return the only chain of a text."""
    (only,) = events_of(ExceptionChain, text)
    return only


def names(found: ExceptionChain) -> list[str]:
    """Return the exceptions of a chain, innermost first, without their modules."""
    return [exception.type_name.rpartition(".")[2] for exception in found.exceptions]


def innermost(found: ExceptionChain) -> ChainedException:
    return found.exceptions[0]


def frames(exception: ChainedException) -> list[StackFrame]:
    """Return the stack frames of an exception without what was left out."""
    return [frame for frame in exception.frames if isinstance(frame, StackFrame)]


def corpus_text(case: str) -> str:
    """Return the log of a corpus case without colours and without the marks of ranks."""
    data = (CORPUS / case / "input.log").read_bytes()
    return _DECORATION.sub("", data.decode("utf-8", "surrogateescape").replace("\r\n", "\n"))


def corpus_cases() -> list[str]:
    return sorted(str(path.parent.relative_to(CORPUS)) for path in CORPUS.glob("*/**/input.log"))
