"""Character classes over the bytes of UTF-8 text.

ASCII is exact. A class that any character beyond ASCII belongs to takes the
bytes of all of them, one character being up to four bytes; so such a class
matches at least what it matched in decoded text. No class matches a newline.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

NEWLINE = 1 << 10
_ALL = (1 << 128) - 1
#: A character of UTF-8 is up to four bytes; an undecodable byte is one.
_LONGEST = 4
_HIGH = r"\x80-\xff"
_NARROW = 4
_PLAIN = frozenset(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
_SPECIAL = frozenset("\\.^$*+?{}[]|()-&~#")


def _mask(codes: Iterable[int]) -> int:
    mask = 0
    for code in codes:
        mask |= 1 << code
    return mask


_DIGIT = _mask(b"0123456789")
_SPACE = _mask(b" \t\n\r\f\v")
_WORD = _mask(_PLAIN) | 1 << ord("_")
_UPPER = _mask(range(ord("A"), ord("Z") + 1))
#: name in the tree -> ASCII members, whether all others belong, as written
_CATEGORIES = {
    "CATEGORY_DIGIT": (_DIGIT, False, r"\d"),
    "CATEGORY_NOT_DIGIT": (_ALL & ~_DIGIT, True, r"\D"),
    "CATEGORY_SPACE": (_SPACE, False, r"\s"),
    "CATEGORY_NOT_SPACE": (_ALL & ~_SPACE, True, r"\S"),
    "CATEGORY_WORD": (_WORD, False, r"\w"),
    "CATEGORY_NOT_WORD": (_ALL & ~_WORD, True, r"\W"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ByteClass:
    """One character out of a class; ``pattern`` is how Python writes it.

    ``members`` has a bit for each ASCII character, ``beyond`` stands for all
    others together.
    """

    members: int
    beyond: bool
    pattern: str

    @property
    def is_within_lines(self) -> bool:
        """Tell whether anything but a newline belongs to the class."""
        return self.beyond or bool(self.members & ~NEWLINE)

    @property
    def is_everything(self) -> bool:
        """Tell whether each character belongs, the newline too."""
        return self.beyond and self.members == _ALL

    @property
    def listed(self) -> tuple[bytes, ...]:
        """Return the members of a class that says almost as much as one character."""
        if self.beyond or self.members.bit_count() > _NARROW or self.members & NEWLINE:
            return ()
        return tuple(bytes((code,)) for code in range(128) if self.members >> code & 1)

    @property
    def folded_letter(self) -> bytes | None:
        """Return the lower-case letter where the class is one letter in both cases."""
        if self.beyond or self.members.bit_count() != 2:
            return None
        upper = self.members & _UPPER
        return bytes((upper.bit_length() - 1 + 32,)) if upper and self.members == upper | upper << 32 else None

    def once(self) -> str:
        """Return the expression of one character."""
        if not self.beyond:
            return self._set(high=False)
        rest = f"[{_HIGH}]{{1,{_LONGEST}}}"
        return f"(?:{self._set(high=False)}|{rest})" if self.members & ~NEWLINE else rest

    def repeated(self, low: int, high: int | None) -> str:
        """Return the expression of ``low`` to ``high`` characters."""
        if (low, high) == (1, 1):
            return self.once()
        if high is not None and self.beyond:
            high *= _LONGEST
        marks = {(0, None): "*", (1, None): "+", (0, 1): "?"}
        mark = marks.get((low, high), f"{{{low},{'' if high is None else high}}}")
        return self._set(high=self.beyond) + mark

    def _set(self, *, high: bool) -> str:
        members = self.members & ~NEWLINE
        others = _ALL & ~members
        if high and others.bit_count() < members.bit_count():
            return "." if others == NEWLINE else f"[^{_ranges(others)}]"
        return f"[{_ranges(members)}{_HIGH if high else ''}]"


ANY = ByteClass(members=_ALL & ~NEWLINE, beyond=True, pattern=".")


def class_of(name: str, value: Any, *, ignore_case: bool) -> ByteClass:  # noqa: ANN401 - a node of Python's parser
    """Return the class of a tree's node that matches one character."""
    if name == "ANY":
        return ANY
    if name == "LITERAL":
        lower, upper = chr(value).lower(), chr(value).upper()
        return ByteClass(members=_mask((ord(lower), ord(upper))), beyond=False, pattern=f"[{lower}{upper}]")
    items = [("NEGATE", None), ("LITERAL", value)] if name == "NOT_LITERAL" else [(op.name, av) for op, av in value]
    negated = items[0][0] == "NEGATE"
    members, beyond, written = 0, False, ""
    for kind, argument in items[negated:]:
        each_members, each_beyond, each_written = _member(kind, argument)
        members |= each_members
        beyond |= each_beyond
        written += each_written
    if ignore_case:
        members |= (members & _UPPER) << 32 | (members >> 32 & _UPPER)
    if negated:
        # Not every character beyond ASCII can be among those that are excluded.
        members, beyond = _ALL & ~members, True
    is_category = not negated and len(items) == 1 and items[0][0] == "CATEGORY"
    pattern = written if is_category else f"[{'^' if negated else ''}{written}]"
    return ByteClass(members=members, beyond=beyond, pattern=f"(?i:{pattern})" if ignore_case else pattern)


def _member(kind: str, value: Any) -> tuple[int, bool, str]:  # noqa: ANN401 - as above
    if kind == "CATEGORY":
        return _CATEGORIES[value.name]
    first, last = value if kind == "RANGE" else (value, value)
    written = escape(chr(first)) if first == last else f"{escape(chr(first))}-{escape(chr(last))}"
    return _mask(range(first, min(last, 127) + 1)), last > 127, written


def single(byte: int) -> str:
    """Return the expression of one byte."""
    if byte in _PLAIN or byte == ord(" "):
        return chr(byte)
    if 0x20 < byte < 0x7F:
        return "\\" + chr(byte) if chr(byte) in _SPECIAL else chr(byte)
    return f"\\x{byte:02x}"


def escape(character: str) -> str:
    """Return the pattern of one character, inside a class or outside."""
    if character in _SPECIAL:
        return "\\" + character
    return character if character.isprintable() else _escape_code(ord(character))


def _escape_code(code: int) -> str:
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _ranges(members: int) -> str:
    written = []
    code = 0
    while members >> code:
        if not members >> code & 1:
            code += 1
            continue
        last = code
        while members >> (last + 1) & 1:
            last += 1
        written.append(_byte(code) if code == last else f"{_byte(code)}-{_byte(last)}")
        code = last + 1
    return "".join(written)


def _byte(code: int) -> str:
    return chr(code) if code in _PLAIN else f"\\x{code:02x}"
