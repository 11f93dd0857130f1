"""Private keys: PEM blocks, on one line or over several, and what is left of one that was cut."""

from __future__ import annotations

from tracelens.expressions import expression
from tracelens.redaction.ledger import Kind, Ledger

_BEGIN = expression(r"-----BEGIN [A-Z0-9 ]{1,80}-----|^Private-Lines:")
_END = expression(r"-----END [A-Z0-9 ]{1,80}-----|^Private-MAC:")
#: The headers of old PEM and of PGP blocks.
_HEADER = expression(r"(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset): [^\n]*$")
#: A word of the letters of a key, with decorations before it and perhaps JSON around it.
_MATERIAL = expression(r"(?:^|(?<=[\s\"'|>]))[A-Za-z0-9+/]{2,200}={0,2}(?=(?:\\n)?(?:[\s\"',\\]|$))")
_DECORATION = frozenset({"stdout", "stderr", "stream", "log", "time", "message", "textPayload"})
_KINDS_OF_LETTERS = tuple(expression(kind) for kind in ("[a-z]", "[A-Z]", "[0-9]"))
#: A line of a key has 64 letters, or 76.
_FULL_LINE = 60
_LONG_WORD = 16
_FEW_WORDS = 3
#: A block without an end is given up after so many lines; a key has fewer.
_MAX_LINES = 400


def redact_keys(text: str, ledger: Ledger) -> str:
    """Return the text without private keys and certificates; every line stays a line."""
    reader = _Reader(ledger)
    return "\n".join([reader.read(line) for line in text.split("\n")])


class _Reader:
    """Reads line by line and knows whether it is within a key."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._left = 0
        self._after_full_line = False

    def read(self, line: str) -> str:
        if self._left:
            return self._read_inside(line)
        if "-----BEGIN " in line or line.startswith("Private-Lines:"):
            return self._read_blocks(line)
        return self._read_remains(line)

    def _read_blocks(self, line: str) -> str:
        """Take out the blocks that begin on a line; the last of them may go on."""
        shown, position = [], 0
        while begin := _BEGIN.search(line, position):
            end = _END.search(line, begin.end())
            shown += [line[position : begin.start()], self._mark(line[begin.start() : end.end() if end else None])]
            if end is None:
                self._left = _MAX_LINES
                return "".join(shown)
            position = end.end()
        return "".join((*shown, line[position:]))

    def _read_inside(self, line: str) -> str:
        self._left -= 1
        end = _END.search(line)
        if end:
            self._left = 0
            return self._without_material(line[: end.start()]) + self._mark(end.group()) + line[end.end() :]
        header = _HEADER.search(line)
        if header:
            return line[: header.start()] + self._mark(header.group())
        shown = self._without_material(line)
        if shown == line and len(line.split()) > _FEW_WORDS:
            # An empty line stands between the headers and the key; prose is no part of a key.
            self._left = 0
            return self._read_remains(line)
        return shown

    def _without_material(self, line: str) -> str:
        words = [match.group() for match in _MATERIAL.finditer(line)]
        if len(words) > _FEW_WORDS + len(_DECORATION) or (
            len(words) > _FEW_WORDS and max(map(len, words)) < _LONG_WORD
        ):
            return line
        return _MATERIAL.sub(
            lambda match: match.group() if match.group() in _DECORATION else self._mark(match.group()), line
        )

    def _read_remains(self, line: str) -> str:
        """Take out a line that can only be the middle or the end of a key whose beginning was cut away."""
        found = None
        if len(line) >= _FULL_LINE or self._after_full_line:
            found = next((match for match in _MATERIAL.finditer(line) if self._is_key(match.group())), None)
        self._after_full_line = found is not None and len(found.group()) >= _FULL_LINE
        if found is None and "-----END " in line:
            end = _END.search(line)
            return line if end is None else line[: end.start()] + self._mark(end.group()) + line[end.end() :]
        return line if found is None else line[: found.start()] + self._mark(found.group()) + line[found.end() :]

    def _is_key(self, word: str) -> bool:
        """Tell the letters of a key from hashes, paths and words: they are of all kinds."""
        enough = len(word) >= _FULL_LINE or (self._after_full_line and len(word) >= _LONG_WORD)
        return enough and word.count("/") * 8 < len(word) and all(kind.search(word) for kind in _KINDS_OF_LETTERS)

    def _mark(self, original: str) -> str:
        return self._ledger.secret(Kind.PRIVATE_KEY, original)
