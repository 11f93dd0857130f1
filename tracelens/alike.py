"""When a log says the same again, and how much of that is worth to keep.

A loop that fails says so a hundred thousand times. What is equal is kept a
few times and then counted, always with its latest place; so is what differs in
numbers only, after more of it. Readers of text and keepers of events go by the
same bounds, so that text need not be read whose event would only be counted.
"""

from __future__ import annotations

import re

from tracelens.events import Event
from tracelens.expressions import expression
from tracelens.typed import NamedTuple, cache

#: Of equal events: so many of the first ones, and always the latest.
EQUAL_KEPT = 15
#: Of those that differ in numbers: so many different ones, and always the latest.
ALIKE_KEPT = 100

#: A number in a message may as well be hexadecimal.
_DIGITS = b"0123456789abcdefABCDEF"
#: Digits that are to stay, as bytes that no text holds.
_SPARED = bytes(byte + 0xC6 if byte in b"0123456789" else byte for byte in range(256))
#: Long messages that begin alike are alike.
_COMPARED = 400


class Repeat(NamedTuple):
    """The latest of some events that are equal or alike to earlier ones, and how many they are."""

    event: Event
    times: int


def shape_of(text: str) -> bytes:
    """Return what is left of a text without its idle numbers: equal for texts that are alike."""
    return without_numbers(text[:_COMPARED].encode("utf-8", "surrogatepass"))


def shapes_of(piece: str) -> list[bytes]:
    """Return what is left of each line without its idle numbers: equal for lines that are alike."""
    data = piece.encode("utf-8", "surrogatepass")
    if _may_tell_of_end(data):
        parts = _ends().split(data)
        parts[1::2] = b"\n".join(parts[1::2]).translate(_SPARED).split(b"\n")[: len(parts) // 2]
        data = b"".join(parts)
    return data.translate(None, _DIGITS).split(b"\n")


def without_numbers(data: bytes) -> bytes:
    """Return what is equal for texts that differ in numbers only, yet tell of the same end: 137 is not 1."""
    rest = data.translate(None, _DIGITS)
    if _may_tell_of_end(data):
        rest += b"".join(_ends().findall(data))
    return rest


def _may_tell_of_end(data: bytes) -> bool:
    # ``in`` tries to take the bytes for a number first, and so makes and drops an error for each event.
    find = data.find
    return find(b"ode") >= 0 or find(b"tatus") >= 0 or find(b"ignal") >= 0


@cache
def _ends() -> re.Pattern[bytes]:
    """Codes, statuses and signals; a group has all of it, for ``split`` to keep it."""
    return expression(rb"((?:ode|tatus|ignal)[ :=]{1,4}-?[0-9]+)")
