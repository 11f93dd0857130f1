"""The LALR tables of the grammar, made by Lark once and kept as two lines of JSON.

The ``.lark`` files are the grammar. Importing Lark and analysing them costs
more than reading a whole crash log, so an installed wheel carries the tables
ready made, and a checkout keeps them in the user's cache directory. Either
file is used only if it was made from these very ``.lark`` files, by the Lark
that is installed, and arrived whole; otherwise the tables are made afresh.
"""

from __future__ import annotations

import os
import sys
from binascii import crc32
from collections.abc import Callable, Mapping, Sequence

from tracelens.errors import GrammarError
from tracelens.plain_json import loads
from tracelens.private_cache import read_private, write_private
from tracelens.record import Record
from tracelens.typed import Any, TypeVar, cache, suppress

#: Raised whenever the layout of the JSON file changes.
FORMAT = 4
GRAMMAR_DIR = os.path.join(os.path.dirname(__file__), "grammar")
#: Read in this order, as one grammar.
GRAMMAR_FILES = ("terminals.lark", "traceback.lark", "build.lark", "compile.lark", "strand.lark")
PACKAGED = os.path.join(GRAMMAR_DIR, "tables.json")
STARTS = ("strand", "payload")
#: The pseudo terminal after the last token.
END = "$END"


_V = TypeVar("_V")


class Rows(dict[int, _V]):
    """The rows of a table by their numbers, each read when it is first asked for: a log needs a tenth of them."""

    def __init__(self, texts: Sequence[str], read: Callable[[str], _V]) -> None:
        """Take all rows as texts, and what reads one."""
        super().__init__()
        self.texts = texts
        self._read = read

    def __missing__(self, number: int) -> _V:
        """Read a row."""
        row = self[number] = self._read(self.texts[number])
        return row

    def __eq__(self, other: object) -> bool:
        """Compare all rows, read or not."""
        return isinstance(other, Rows) and self.texts == other.texts

    __hash__ = None  # as of any dictionary


class Tables(Record):
    """What ``machine.run`` needs.

    ``actions[state][terminal]`` is ``target + 1`` for a shift, ``-rule - 1``
    for a reduction and 0 for an error; ``rules[rule]`` is (name, length);
    ``gotos[state]`` maps the name of a reduced rule to the next state;
    ``numbers`` maps the name of a terminal to the number that tokens carry.
    """

    terminals: tuple[str, ...]
    numbers: Mapping[str, int]
    rules: Rows[tuple[str, int]]
    actions: Rows[Sequence[int]]
    gotos: Rows[Mapping[str, int]]
    starts: Mapping[str, int]


def grammar_text() -> str:
    """Return the whole grammar as one text."""
    return "\n".join(_text_of(os.path.join(GRAMMAR_DIR, name)) for name in GRAMMAR_FILES)


@cache
def load_tables() -> Tables:
    """Return the tables: from the wheel, else from the cache, else made by Lark."""
    grammar = grammar_text()
    key = _key(grammar, None)
    with suppress(OSError, ValueError, KeyError, TypeError):
        return _read(_text_of(PACKAGED), key)
    key = _key(grammar, lark_version())
    name = f"grammar-{key}.json"
    with suppress(ValueError, KeyError, TypeError, AttributeError, RecursionError):
        kept = read_private(name)
        if kept is not None:
            return _read(kept.decode("utf-8"), key)
    text = compile_tables(grammar, key)
    write_private(name, text.encode())
    return _read(text, key)


def packaged_tables() -> str:
    """Return the JSON text that the build hook puts into the wheel."""
    grammar = grammar_text()
    return compile_tables(grammar, _key(grammar, None))


def compile_tables(grammar: str, key: str) -> str:
    """Let Lark make the tables of ``grammar`` and return them as JSON text."""
    import json

    body = json.dumps(_tabulate(_analyse(grammar)), separators=(",", ":"), sort_keys=True)
    return f"{json.dumps([key, crc32(body.encode())])}\n{body}"


def _key(grammar: str, lark_version: str | None) -> str:
    """Return what tells grammars apart; it guards against accidents, the place of the file against people."""
    return f"{FORMAT}-{lark_version}-{len(grammar)}-{crc32(grammar.encode()):08x}"


def _text_of(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


def lark_version() -> str | None:
    """Return Lark's version without importing it, which would cost 50 ms; ``None`` if it is not there."""
    for folder in sys.path:
        with suppress(OSError), open(os.path.join(folder, "lark", "__init__.py"), encoding="utf-8") as source:
            for line in source:
                if line.startswith("__version__"):
                    return line.partition("=")[2].strip(" \"'\n")
            return None
    return None


def _read(text: str, key: str) -> Tables:
    """Turn two lines of JSON into tables, or raise if they are not what ``key`` asks for."""
    head, _, body = text.partition("\n")
    if loads(head) != [key, crc32(body.encode())]:
        message = "the tables were made from something else"
        raise ValueError(message)
    data = loads(body)
    terminals = data["terminals"].split()
    width = len(terminals)
    return Tables(
        terminals=tuple(terminals),
        numbers={name: number for number, name in enumerate(terminals)},
        rules=Rows(data["rules"], _rule),
        actions=Rows(data["actions"], lambda row: _expand(row, width)),
        gotos=Rows(data["gotos"], _goto),
        starts=data["starts"],
    )


def _rule(row: str) -> tuple[str, int]:
    name, length = row.split()
    return name, int(length)


def _goto(row: str) -> dict[str, int]:
    words = row.split()
    return dict(zip(words[::2], map(int, words[1::2]), strict=True))


def _expand(row: str, width: int) -> list[int]:
    """Undo ``_fold``."""
    default, *pairs = map(int, row.split())
    actions = [default] * width
    for index in range(0, len(pairs), 2):
        actions[pairs[index]] = pairs[index + 1]
    return actions


def _fold(actions: Sequence[int]) -> str:
    """Write down the most frequent action once, and the others one by one."""
    default = max(sorted(set(actions)), key=actions.count)
    row = [default]
    for terminal, action in enumerate(actions):
        if action != default:
            row += (terminal, action)
    return " ".join(map(str, row))


def _analyse(grammar: str) -> Any:  # noqa: ANN401 - Lark's parse table has no public type
    try:
        # 50 ms that most runs do not pay.
        from lark import Lark
        from lark.lexer import Lexer
    except ImportError as error:
        message = "lark is not installed, and no ready-made grammar tables fit this version"
        raise GrammarError(message) from error

    class NoLexer(Lexer):
        def __init__(self, _conf: Any) -> None:  # noqa: ANN401 - Lark's protocol
            pass

        lex = None  # type: ignore[assignment] # nothing is parsed here

    parser = Lark(grammar, parser="lalr", lexer=NoLexer, start=list(STARTS), maybe_placeholders=False)
    return parser.parser.parser._parse_table  # noqa: SLF001 - Lark offers no other way; pinned below 2, tested against it


def _tabulate(table: Any) -> dict[str, Any]:  # noqa: ANN401 - see _analyse
    """Write Lark's table in our numbers, which are the same each time, as Lark's are not."""
    from lark.parsers.lalr_analysis import Shift

    states = _in_order(table, Shift)
    numbers = {state: number for number, state in enumerate(states)}
    terminals = sorted({str(name) for row in table.states.values() for name in row if name.isupper()})
    reductions = [target for row in table.states.values() for action, target in row.values() if action is not Shift]
    rules = {str(rule): rule for rule in reductions}
    order = {text: number for number, text in enumerate(sorted(rules))}
    actions = []
    for state in states:
        row = [0] * len(terminals)
        for name, (action, target) in table.states[state].items():
            if name.isupper():
                shift = action is Shift
                row[terminals.index(name)] = numbers[target] + 1 if shift else -1 - order[str(target)]
        actions.append(_fold(row))
    return {
        "terminals": " ".join(terminals),
        "rules": [f"{rules[text].origin.name} {len(rules[text].expansion)}" for text in order],
        "actions": actions,
        "gotos": [
            " ".join(
                f"{name} {numbers[target]}"
                for name, (_action, target) in sorted(table.states[state].items())
                if name.islower()
            )
            for state in states
        ],
        "starts": {name: numbers[table.start_states[name]] for name in STARTS},
    }


def _in_order(table: Any, shift: Any) -> list[Any]:  # noqa: ANN401 - see _analyse
    """Return the states as they are reached from the starts, by the names on the way."""
    states = [table.start_states[name] for name in STARTS]
    for state in states:
        row = table.states[state]
        for name in sorted(row):
            action, target = row[name]
            if action is shift and target not in states:
                states.append(target)
    return states
