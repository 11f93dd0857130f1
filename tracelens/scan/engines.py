"""The engines that look for gates, and which of them to take.

An engine reports each occurrence of each gate and nothing else, so that what
is found does not depend on it. Native engines are imported here only, when an
input is large enough to be worth it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from importlib import import_module

from tracelens.scan.options import EngineName
from tracelens.scan.plan import Gate
from tracelens.typed import Any, Protocol

#: Engines report an occurrence as ``end << GATE_BITS | gate``, with the offset of its end.
GATE_BITS = 16
GATE_MASK = (1 << GATE_BITS) - 1


class Engine(Protocol):
    """Looks for gates in complete lines."""

    name: str

    def occurrences(self, buffer: bytearray, start: int, end: int) -> list[int]:
        """Return all occurrences in ``buffer[start - 1:end]``, in order of their ends.

        The byte before ``start`` is a newline, and part of what is looked for at the start of a line.
        """
        ...


class HyperscanEngine:
    """The fastest: hyperscan in block mode; not for use by two threads at once."""

    name = "hyperscan"

    # Two habits of hyperscan 5.4, measured on noise and on compiler logs: for less than some fifty texts it takes a
    # matcher that is two to three times slower; and if no text is shorter than two bytes, or three where there are
    # hundreds, it looks at every second or fourth byte only, which means false alarms most of the time. Texts that
    # stand in no log fill up the number, and the shortest is among them: not shorter than need be, since texts of
    # another length take a bucket.
    _FEWEST = 100
    _MANY = 250

    def __init__(self, gates: Sequence[Gate], serialized: bytes | None = None) -> None:
        """Compile, or take a database that ``serialize`` has given; raises ``ValueError`` if it is another's."""
        self._hyperscan: Any = import_module("hyperscan")
        mode = self._hyperscan.HS_MODE_BLOCK
        if serialized is None:
            self._database = self._hyperscan.Database(mode=mode)
            expressions, flags = self._sources(gates)
            self._database.compile(
                expressions=expressions, ids=list(range(len(expressions))), elements=len(expressions), flags=flags
            )
        else:
            try:
                self._database = self._hyperscan.loadb(serialized, mode)
                self._database.scratch = self._hyperscan.Scratch(self._database)
            except self._hyperscan.error as error:
                message = f"hyperscan refuses the database: {error}"
                raise ValueError(message) from error
        self._found: list[int] = []
        append = self._found.append
        # hyperscan calls this once for each occurrence: it must do as little as can be.
        self._on_match: Callable[..., None] = lambda gate, _from, to, _flags, _context: append(to << GATE_BITS | gate)

    def serialize(self) -> bytes:
        """Return the database as bytes for the same hyperscan on the same kind of CPU."""
        data: bytes = self._hyperscan.dumpb(self._database)
        return data

    def occurrences(self, buffer: bytearray, start: int, end: int) -> list[int]:
        """Return all occurrences in ``buffer[start - 1:end]``, in order of their ends."""
        self._found.clear()
        self._database.scan(memoryview(buffer)[start - 1 : end], self._on_match)
        if not self._found:
            return []
        base = (start - 1) << GATE_BITS
        return sorted(code + base for code in self._found)

    def _sources(self, gates: Sequence[Gate]) -> tuple[list[bytes], list[int]]:
        hyperscan = self._hyperscan
        expressions = [
            gate.expression.encode() if gate.expression else b"".join(b"\\x%02x" % byte for byte in gate.text)
            for gate in gates
        ]
        flags = [hyperscan.HS_FLAG_MULTILINE | (hyperscan.HS_FLAG_CASELESS if gate.folded else 0) for gate in gates]
        short = rb"\xff\xfe" if len(gates) >= self._MANY else rb"\xff"
        fillers = [short, *map(_filler, range(self._FEWEST - len(gates)))]
        return expressions + fillers, flags + [hyperscan.HS_FLAG_QUIET] * len(fillers)


def _filler(number: int) -> bytes:
    """Return the expression of a text of eight bytes that no UTF-8 holds, unlike those of other numbers up to 511."""
    digits = (number * 331 % 512, number * 173 % 512)
    return b"".join(b"\\x%02x" % (0xF8 | digit >> shift & 7) for digit in digits for shift in (0, 3, 6, 1))


class Re2Engine:
    """RE2 on one alternation of all gates, then each gate that begins where it matched."""

    name = "re2"

    def __init__(self, gates: Sequence[Gate]) -> None:
        """Compile the alternation, and each expression for itself."""
        re2 = import_module("re2")
        options = _re2_options(re2)
        sources = [
            gate.expression or (f"(?i:{_quoted(gate.text)})" if gate.folded else _quoted(gate.text)) for gate in gates
        ]
        self._any: Any = re2.compile(f"(?m){'|'.join(sources)}".encode("latin-1"), options) if sources else None
        self._expressions = [
            (number, re2.compile(f"(?m){gate.expression}".encode(), options))
            for number, gate in enumerate(gates)
            if gate.expression
        ]
        self._by_start: dict[bytes, list[tuple[bytes, int, bool]]] = {}
        for number, gate in enumerate(gates):
            if gate.text:
                start = gate.text[:3].lower()
                self._by_start.setdefault(start, []).append((gate.text, number, gate.folded))

    def occurrences(self, buffer: bytearray, start: int, end: int) -> list[int]:
        """Return all occurrences in ``buffer[start - 1:end]``, in order of their ends."""
        found: list[int] = []
        position = start - 1
        while self._any is not None:
            match = self._any.search(buffer, position, end)
            if match is None:
                break
            place = match.start()
            for text, number, folded in self._by_start.get(bytes(buffer[place : place + 3]).lower(), ()):
                stands = buffer[place : place + len(text)]
                if (stands.lower() if folded else stands) == text and place + len(text) <= end:
                    found.append(place + len(text) << GATE_BITS | number)
            for number, expression in self._expressions:
                here = expression.match(buffer, place, end)
                if here is not None:
                    found.append(here.end() << GATE_BITS | number)
            position = place + 1
        found.sort()
        return found


def linear_search(expression: str) -> Callable[..., Any]:
    """Return RE2's search for an expression over bytes; raises ``ImportError`` without it."""
    re2 = import_module("re2")
    search: Callable[..., Any] = re2.compile(f"(?m){expression}".encode(), _re2_options(re2)).search
    return search


def _re2_options(re2: Any) -> Any:  # noqa: ANN401 - RE2 ships no types
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.log_errors = False
    options.max_mem = 32 << 20
    return options


class PythonEngine:
    """Plain text search for one gate after the other; the slowest, and always there."""

    name = "python"

    def __init__(self, gates: Sequence[Gate]) -> None:
        """Take the gates; only those that are expressions need compiling."""
        self._texts = [(gate.text, number) for number, gate in enumerate(gates) if gate.text and not gate.folded]
        self._folded = [(gate.text, number) for number, gate in enumerate(gates) if gate.text and gate.folded]
        self._expressions = [
            (number, re.compile(gate.expression.encode(), re.MULTILINE))
            for number, gate in enumerate(gates)
            if gate.expression
        ]

    def occurrences(self, buffer: bytearray, start: int, end: int) -> list[int]:
        """Return all occurrences in ``buffer[start - 1:end]``, in order of their ends."""
        found: list[int] = []
        base = start - 1
        piece = bytes(memoryview(buffer)[base:end])
        for texts, data in ((self._texts, piece), (self._folded, piece.lower() if self._folded else b"")):
            for text, number in texts:
                position = data.find(text)
                while position >= 0:
                    found.append(base + position + len(text) << GATE_BITS | number)
                    position = data.find(text, position + 1)
        for number, expression in self._expressions:
            found += _each_line(expression.search, number, buffer, start, end)
        found.sort()
        return found


def _each_line(search: Callable[..., Any], number: int, buffer: bytearray, start: int, end: int) -> list[int]:
    """Return one occurrence of an expression for each line that has any."""
    found = []
    while start < end and (match := search(buffer, start, end)) is not None:
        found.append(match.end() << GATE_BITS | number)
        start = buffer.find(b"\n", match.end(), end) + 1 or end
    return found


def _quoted(text: bytes) -> str:
    return "".join(f"\\x{byte:02x}" for byte in text)


def engine_names(wanted: EngineName) -> tuple[EngineName, ...]:
    """Return the engines to try, best first."""
    return ("hyperscan", "re2", "python") if wanted == "auto" else (wanted,)
