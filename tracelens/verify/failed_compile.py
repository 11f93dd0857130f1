"""Which compilation a failure was in, by the id that torch gives each of them: ``0/2``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tracelens.events import CompileId
from tracelens.findings import Diagnosis, Evidence
from tracelens.parsing.records import read_compile_id, read_header
from tracelens.source import split_strands
from tracelens.text import Region
from tracelens.timeline import Compilation, CompileStatus

#: A line that may have an id in its header: cheap, for a log can be long.
_WITH_ID = re.compile(r"\[!?\d{1,9}/\d")

_LONGEST_TRACEBACK = 400
#: Functions of torch that run, or compile, a backward pass and nothing else.
_BACKWARD = re.compile(r"\bin (?:_engine_run_backward|_?bw_compiler\w*|compile_backward)\b")


def failed_compile(diagnosis: Diagnosis, lines: Sequence[str]) -> CompileId | None:
    """Return the compilation that the first finding is about; ``None`` where nothing says which.

    Torch writes the id into the header of what it logs while it compiles, so the failure
    is of the one that the same process named last before it. A traceback alone has none,
    yet a trace beside the log has the failure, too.
    """
    evidence = diagnosis.findings[0].root
    if evidence is None:
        return None
    named = _named_before(evidence, lines) if evidence.source is None else None
    return named or _failed_in_trace(diagnosis, evidence)


def is_in_backward(diagnosis: Diagnosis, lines: Sequence[str]) -> bool | None:
    """Tell whether the failure came out of a backward pass; ``None`` where the log does not show it."""
    evidence = diagnosis.findings[0].root
    if evidence is None or evidence.source is not None:
        return None
    end = min(evidence.span.end_line, len(lines))
    frames = lines[max(0, end - _LONGEST_TRACEBACK) : end]
    begins = max((number for number, line in enumerate(frames) if "Traceback (most recent call" in line), default=0)
    return True if any(_BACKWARD.search(line) for line in frames[begins:]) else None


def _named_before(evidence: Evidence, lines: Sequence[str]) -> CompileId | None:
    end = min(evidence.span.end_line, len(lines))
    numbers = [number for number, line in enumerate(lines[:end], 1) if number == end or _WITH_ID.search(line)]
    text = "".join(lines[number - 1].rstrip("\r") + "\n" for number in numbers)
    for strand in split_strands(Region(first_line=1, text=text)):
        if strand.last_line_numbers and strand.last_line_numbers[-1] == len(numbers):
            return next(_ids(reversed(strand.text.splitlines())), None)
    return None


def _ids(lines: Iterator[str]) -> Iterator[CompileId]:
    for line in lines:
        header = read_header(line)
        if header and header[0].compile_id is not None:
            yield header[0].compile_id


def _failed_in_trace(diagnosis: Diagnosis, evidence: Evidence) -> CompileId | None:
    compilations = diagnosis.timeline.compilations if diagnosis.timeline else ()
    failed = [each for each in compilations if each.status is CompileStatus.FAILED]
    if evidence.source is not None:
        before = [each for each in failed if each.source == evidence.source and each.line <= evidence.span.line]
        return _id_of(before)
    said = evidence.text.strip()
    return _id_of([each for each in failed if each.failure and each.failure in said]) or _id_of(failed)


def _id_of(compilations: Sequence[Compilation]) -> CompileId | None:
    return read_compile_id(compilations[-1].compile_id) if compilations else None
