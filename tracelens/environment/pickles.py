"""Tell whether a pickle is whole without ever unpickling it.

Loading a pickle runs whatever it says. Its frames and opcodes can be walked
without running any. Frames say their length, so the walk over a whole pickle
is short; only one that looks wrong is read opcode by opcode for the proof.
"""

from __future__ import annotations

import pickletools

_PROTOCOL = 0x80
_FRAME = 0x95
_STOP = 0x2E
_FRAMED_PROTOCOL = 4


def pickle_problem(data: bytes) -> str | None:
    """Return what proves that the pickle is broken, ``None`` if it is whole."""
    if not data:
        return "empty"
    if not data.strip(b"\0"):
        return "zeroed"
    if data[0] != _PROTOCOL or len(data) < 2:
        return "not a pickle"
    if data[1] >= _FRAMED_PROTOCOL and len(data) > 2 and data[2] == _FRAME:
        problem = _frames_problem(data)
        if problem is not None or data[-1] == _STOP:
            return problem
    return _opcodes_problem(data)


def _frames_problem(data: bytes) -> str | None:
    position = 2
    while position < len(data) and data[position] == _FRAME:
        if position + 9 > len(data):
            return "ends inside a frame header"
        length = int.from_bytes(data[position + 1 : position + 9], "little")
        if position + 9 + length > len(data):
            return f"cut short: {len(data)} bytes, a frame reaches to {position + 9 + length}"
        position += 9 + length
    return None


def _opcodes_problem(data: bytes) -> str | None:
    end = None
    try:
        for _opcode, _argument, position in pickletools.genops(data):
            end = position
    except ValueError as error:
        return f"does not parse as a pickle: {error}"
    except (IndexError, UnicodeDecodeError, OverflowError) as error:
        return f"does not parse as a pickle: {type(error).__name__}"
    if end is None or data[end] != _STOP:
        return "has no end"
    return None
