"""How processes ended, as shells, kernels, launchers and schedulers tell it.

A crash that prints nothing else is known only from such a line. Each message
becomes one ``ProcessExit``; the table of torchelastic becomes one per rank,
with the rank that failed first marked.
"""

from __future__ import annotations

from collections.abc import Sequence

from tracelens.events import ProcessExit, RecordHeader
from tracelens.expressions import compiled
from tracelens.parsing.exit_shapes import SHAPES, SIGNAL_TEXTS, SIGNALS, WINDOWS_STATUS, Shape
from tracelens.text import Process, Span


def read_exit(
    lines: Sequence[tuple[str, Span]], process: Process | None, record: RecordHeader | None
) -> tuple[ProcessExit, ...]:
    """Read every end of a process that these lines tell of, none for exit code 0."""
    table = _read_table(lines, process, record)
    if table:
        return table
    exits = (_read_line(text.strip(), span, process, record) for text, span in lines)
    return tuple(exit_ for exit_ in exits if exit_)


def _read_line(text: str, span: Span, process: Process | None, record: RecordHeader | None) -> ProcessExit | None:
    for shape in SHAPES:
        for gate in shape.gates:
            if gate in text:
                break
        else:
            continue
        match = compiled(shape.pattern).match(text)
        if match is None:
            continue
        fields = match.groupdict()
        code = _integer(fields.get("code"))
        signal = _signal(shape, fields, code)
        if code == 0 and signal is None:
            return None
        return ProcessExit(
            span=span,
            process=process,
            record=record,
            message=text,
            signal=signal,
            exit_code=code,
            pid=_integer(fields.get("pid")),
            rank=_integer(fields.get("rank")),
        )
    return None


def _integer(text: str | None) -> int | None:
    return int(text) if text else None


def _signal(shape: Shape, fields: dict[str, str | None], code: int | None) -> str | None:
    if fields.get("signal"):
        return fields["signal"]
    text, number, status = fields.get("text"), fields.get("number"), fields.get("hex")
    if text:
        return SIGNAL_TEXTS.get(text.strip().lower(), shape.signal)
    if number:
        return SIGNALS.get(int(number))
    if status:
        return WINDOWS_STATUS.get(int(status, 16))
    return shape.signal or signal_of_code(code)


def signal_of_code(code: int | None) -> str | None:
    """Return the signal behind an exit code, in any of its spellings.

    Python gives ``-9``, shells ``137``, Windows ``0xC0000005`` as a signed or
    an unsigned number. Plain codes have no signal.
    """
    if code is None:
        return None
    if -64 <= code < 0:
        return SIGNALS.get(-code)
    if 128 < code < 160:
        return SIGNALS.get(code - 128)
    return WINDOWS_STATUS.get(code & 0xFFFFFFFF) if abs(code) > 0xFFFF else None


_TABLE_ROW = r"\s{0,40}(rank|exitcode) {0,8}: (-?\d{1,10})(?: \(pid: (\d{1,9})\))?"


def _read_table(
    lines: Sequence[tuple[str, Span]], process: Process | None, record: RecordHeader | None
) -> tuple[ProcessExit, ...]:
    """Read torchelastic's summary; empty where these lines are none."""
    exits: list[ProcessExit] = []
    is_first = False
    rank: int | None = None
    for text, span in lines:
        if "Root Cause (first observed failure)" in text:
            is_first = True
        elif "Other Failures:" in text:
            is_first = False
        row = compiled(_TABLE_ROW).match(text)
        if row is None:
            continue
        name, number, pid = row.groups()
        if name == "rank":
            rank = int(number)
        elif pid:
            exits.append(
                ProcessExit(
                    span=span,
                    process=process,
                    record=record,
                    message=text.strip(),
                    signal=signal_of_code(int(number)),
                    exit_code=int(number),
                    pid=int(pid),
                    rank=rank,
                    first_failure=is_first,
                )
            )
    return tuple(exits)
