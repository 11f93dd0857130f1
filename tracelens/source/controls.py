"""Take off what a terminal would have swallowed, and cut text into rows.

After this no row holds a control character, a colour code (sent, spelled out
by a log shipper, or robbed of its escape character by a web page) or an
invisible character. A carriage return ends a row without ending the line; a
progress bar that a message was glued to is no row. Lines of any length cost time
in proportion and a bounded amount of memory.
"""

from __future__ import annotations

import re
from functools import cache

from tracelens.expressions import expression
from tracelens.source.codes import BAR_END, ENTITY, ROW_HEAD, ROW_TAIL, bracket_codes, glued_bars, is_clean
from tracelens.source.decorations import decorations
from tracelens.source.rows import Rows

#: The same for a line, whose rows a progress bar redrew in place for hours.
_LINE_HEAD, _LINE_TAIL = 3 << 20, 1 << 20

#: What the source of a page has for these; a quote is spelled so nowhere else.
_ENTITIES = {"quot": '"', "#39": "'", "#x27": "'", "lt": "<", "gt": ">", "amp": "&"}
_ANY_ENTITY = expression(r"&(quot|#39|#x27|lt|gt|amp);")
_INVISIBLE = "\u200b\ufeff\xad\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069"
#: Spaces that a web page makes of indentation.
_SPACES = "\xa0\u2007\u202f"
#: What a word processor or a chat makes of quotes; it is told by the double ones.
_STRAIGHT = str.maketrans({"\u201c": '"', "\u201d": '"', "\u2018": "'", "\u2019": "'"})
#: Halves of characters that were spelled out; one by itself that stands for a byte is no such.
_HALVES = expression("[\ud800-\udbff][\udc00-\udfff]?|[\udc00-\udc7f\udd00-\udfff]")
#: So often letters in a row may be taken back by as many backspaces.
_MAX_TAKEN_BACK = 32
_TAKEN_BACK = expression("[^\x08\n\r]\x08")


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    """Return the patterns that only decorated text needs, compiled on first use."""
    return (
        # CSI, then OSC/DCS/APC with their payload, then any other escape sequence.
        expression(
            "\x1b(?:\\[[0-?]*[ -/]*[@-~]|[\\]PX^_][^\x07\x1b\n]{0,2048}(?:\x07|\x1b\\\\)|[ -/]*[0-Z\\\\^-~])?"
            "|\x9b[0-?]*[ -/]*[@-~]"
        ),
        expression(r"(?:#033|\^\[|\\+(?:x1[bB]|u001[bB]|033|e)|\u241b)\[[0-9;?]{0,24}[A-HJKSTfhlmsu]"),
        expression("\ufffd?\\[\\d{1,3}(?:;\\d{1,3}){0,8}m|\ufffd\\[m|(?<=m)\\[K|\\[K(?=\n)"),
        expression("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]+"),
    )


def rows_of(text: str, first_line: int) -> Rows:
    """Cut text into rows without control characters."""
    text = _shorten(text, "\n", _LINE_HEAD, _LINE_TAIL)
    text = _shorten(text, "\r\n", ROW_HEAD, ROW_TAIL)
    text = _without_codes(text)
    lines = text.split("\n")
    if len(lines) > 1 and not lines[-1]:
        lines.pop()
    if "\r" not in text:
        return Rows(lines, list(range(first_line, first_line + len(lines))))
    texts: list[str] = []
    numbers: list[int] = []
    for number, line in enumerate(lines, first_line):
        if "\r" not in line:
            texts.append(line)
            numbers.append(number)
            continue
        segments = _without_bars([segment for segment in line.split("\r") if segment.strip()])
        texts += segments
        numbers += [number] * len(segments)
    # Where there was nothing but bars, an empty row is left.
    return Rows(texts or [""], numbers or [first_line])


def _without_bars(segments: list[str]) -> list[str]:
    """Drop the bars of a line that was redrawn: they would tear what stands around them."""
    if not segments:
        return [""]
    messages = [segment for segment in segments if not ends_in_bar(segment)]
    if messages and messages[0] is not segments[0]:
        messages[0] = _margin_of(segments[0]) + messages[0]
    return messages


def _margin_of(bar: str) -> str:
    """Return what decorates a line, which stands before its first bar; a bar pads its own number to three digits."""
    margin = _margin().match(bar)
    if margin is None:
        return ""
    padding = 3 - len(margin["digits"]) if margin["digits"] else 0
    return margin["all"].removesuffix(" " * padding)


def ends_in_bar(text: str) -> bool:
    """Tell whether a progress bar is the last thing in a text."""
    return _bar().search(text, text.rfind("[")) is not None


@cache
def _bar() -> re.Pattern[str]:
    return expression(BAR_END + r"\s*$")


#: What stands before the lines of a stream and only many of them show to be a decoration: a time, a service, a rank.
_LABEL = (
    r"\[?(?:\d{2,4}[-/]\d\d[-/]\d\d[T ])?\d\d:\d\d:\d\d(?:[.,]\d{1,9})?\]?(?= )|[A-Za-z][\w.-]{0,63} {0,40}\|(?= )"
    r"|\d{1,4}:(?= )"
)


@cache
def _margin() -> re.Pattern[str]:
    return expression(rf"(?P<all>(?:[ \t]+|[>|](?= )|{_LABEL}|{decorations().pattern})*)(?P<digits>\d{{1,3}}(?=%\|))?")


def _without_codes(text: str) -> str:
    """Take off codes until none is left: removing one can make another."""
    ansi, spelled, bare, control = _patterns()
    while True:
        before = text
        if "\x1b" in text or "\x9b" in text:
            text = ansi.sub("", text)
        # Codes, each of which has no name here, and bars.
        hints = {hint.lastgroup for hint in bracket_codes().finditer(text)}
        if hints and "#033[" in text:  # rsyslog's spelling; it spells the other controls likewise
            text = text.replace("#015", "\r").replace("#011", "\t").replace("#012", "\r")
        if None in hints:
            text = spelled.sub("", text)
            if _has_bare_codes(text, bare):
                text = bare.sub("", text)
        if "&" in text and ENTITY.search(text):
            text = _ANY_ENTITY.sub(_character, text)
        if not is_clean(text.replace("\r", "")):
            text = _visible(control.sub("", _typed(text)))
        if text == before:
            break
    # Bars have a bracket that the codes are looked for by.
    return glued_bars().sub("\\g<0>\r", text) if hints else text


def _character(entity: re.Match[str]) -> str:
    return _ENTITIES[entity.group(1)]


def _has_bare_codes(text: str, bare: re.Pattern[str]) -> bool:
    """Tell whether `[36m` are colours: something must be set, and something reset."""
    codes = {code.strip("\ufffd") for code in bare.findall(text)}
    resets = codes & {f"[{code}m" for code in ("0", "0;0", "22", "23", "24", "25", "27", "39", "49")}
    return bool(resets) and len(codes) > len(resets)


def _typed(text: str) -> str:
    """Take back what backspaces did: a correction, a spinner, a letter that is bold since it is there twice."""
    for _turn in range(_MAX_TAKEN_BACK):
        if "\x08" not in text:
            break
        text = _TAKEN_BACK.sub("", text)
    return text


def _visible(text: str) -> str:
    if text.isascii():
        return text
    text = _HALVES.sub(_whole, text)
    if "\u201c" in text or "\u201d" in text:
        text = text.translate(_STRAIGHT)
    for character in _INVISIBLE:
        if character in text:
            text = text.replace(character, "")
    for character in _SPACES:
        if character in text:
            text = text.replace(character, " ")
    return text


def _whole(halves: re.Match[str]) -> str:
    return halves[0].encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _shorten(text: str, ends: str, head: int, tail: int) -> str:
    """Leave out the middle of every stretch without one of ``ends`` that is longer than head and tail."""
    stride = (head + tail) // 2
    if len(text) <= head + tail:
        return text
    parts: list[str] = []
    kept = 0
    place = 0
    while place < len(text):
        if _first(text, ends, place, place + stride) >= 0:
            place += stride
            continue
        start = max(text.rfind(end, max(kept, place - stride), place) for end in ends) + 1 or max(kept, place - stride)
        while (stop := _first(text, ends, place, place + stride)) < 0 and place < len(text):
            place += stride
        stop = len(text) if stop < 0 else stop
        if stop - start > head + tail:
            left_out = stop - start - head - tail
            parts += (text[kept : start + head], f"…[{left_out:,} characters left out]…")
            kept = stop - tail
        place = max(place, stop)
    parts.append(text[kept:])
    return "".join(parts)


def _first(text: str, ends: str, start: int, stop: int) -> int:
    """Return the first place of any of ``ends``, or -1."""
    return min((place for end in ends if (place := text.find(end, start, stop)) >= 0), default=-1)
