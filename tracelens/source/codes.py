"""Quick looks at text for codes of terminals, and for rows too long to keep: most text has none."""

from __future__ import annotations

import re

from tracelens.expressions import expression
from tracelens.typed import cache

#: A row keeps this much of its head and tail; nothing that matters to a diagnosis is longer.
ROW_HEAD, ROW_TAIL = 96 << 10, 32 << 10
#: Bytes that no row keeps; the rest of the control characters end lines or indent.
_DELETED = frozenset(range(0x20)) - {0x09, 0x0A} | {0x7F}
_MARK_DELETED = bytes(1 if byte in _DELETED else 0 for byte in range(256))
_C1_OR_SPACE = expression(rb"\xc2[\x80-\xa0\xad]")
#: A quote is spelled so in the source of a page, and nowhere else.
ENTITY = expression(r"&(?:quot|#39|#x27);")

#: The brackets of a bar of tqdm: `0/28 [00:00<?, ?it/s]`, `5it [00:01, 4.98it/s, loss=1]`. What stands before them is
#: looked back at, so that only brackets are looked for.
BAR_END = (
    r"\[(?:(?<=\d \[)|(?<=\d[kMG] \[)|(?<=it \[)|(?<=it[kMG] \[))\d{1,4}:\d\d(?::\d\d)?(?:<[\d:?]{1,12})?, "
    r"[^\[\]\n\r]{0,120}?(?:it|s|B|\w{1,16})/(?:s|it|\w{1,16})[^\[\]\n\r]{0,120}\]"
)


def is_clean(piece: str) -> bool:
    """Tell, fast, whether a piece of text has no character that ``rows_of`` would take off."""
    if piece.isascii():
        return 1 not in piece.encode().translate(_MARK_DELETED)
    try:
        data = piece.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False  # half a character, which JSON may spell out
    if b"\xc2" in data and _C1_OR_SPACE.search(data):
        return False
    # The invisible characters that are met by themselves, the others come with these; quotes of which compilers put
    # the single ones around names, and word processors and chats both.
    if "\u200b" in piece or "\u201c" in piece or "\u201d" in piece or (b"\xef" in data and b"\xef\xbb\xbf" in data):
        return False
    return 1 not in data.translate(_MARK_DELETED)


def has_hidden_codes(sample: str) -> bool:
    """Tell whether a sample of text has colour codes without escape character, or bars with messages glued on."""
    if "&" in sample and ENTITY.search(sample):
        return True
    hint = bracket_codes().search(sample)
    return hint is not None and (hint.lastgroup is None or glued_bars().search(sample) is not None)


@cache
def bracket_codes() -> re.Pattern[str]:
    """Return a quick pattern for codes that are spelled out, resets that lost their escape character, and bars."""
    escapes = ("#033", "\\^\\[", r"\\x1[bB]", r"\\u001[bB]", r"\\033", r"\\e", "\u241b")
    behind = "|".join(rf"(?<={escape}\[)[0-9;?]{{0,24}}[A-HJKSTfhlmsu]" for escape in escapes)
    return expression(rf"\[(?:(?:0;0|0|2[2-57]|[34]9)m|(?P<bar>\d{{1,4}}:\d\d(?::\d\d)?[<,])|{behind})")


def has_long_row(text: str) -> bool:
    """Tell whether a row may be too long to keep."""
    stride = (ROW_HEAD + ROW_TAIL) // 2
    return any(text.find("\n", place, place + stride) < 0 for place in range(0, len(text) - stride + 1, stride))


@cache
def glued_bars() -> re.Pattern[str]:
    """Return the pattern of bars that a message is glued to."""
    # In JSON, the carriage return behind a bar is still spelled out, or the text ends there.
    return expression(BAR_END + r"(?=[^\n\r]*?[^\s])(?![\r\\\"])")
