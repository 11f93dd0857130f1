from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lark import Lark, Token, Tree
from lark.lexer import Lexer

from tests.parsing.strand import corpus_text, strand
from tracelens.errors import GrammarError
from tracelens.parsing.blocks import block_of
from tracelens.parsing.classify import Classifier
from tracelens.parsing.machine import Node, run
from tracelens.parsing.machine import Token as OurToken
from tracelens.parsing.tables import END, STARTS, Rows, grammar_text, load_tables

TABLES = load_tables()
STATES = range(len(TABLES.actions.texts))
TERMINALS = [name for name in TABLES.terminals if name != END]


class NoLexer(Lexer):
    """Stands in for a lexer: the tests hand tokens to the parser themselves."""

    def __init__(self, _conf: Any) -> None:
        pass

    def lex(self, lexer_state: Any, parser_state: Any) -> Iterator[Token]:  # noqa: ARG002
        yield from ()


LARK = Lark(
    grammar_text(),
    parser="lalr",
    lexer=NoLexer,
    start=list(STARTS),
    maybe_placeholders=False,
    keep_all_tokens=True,
    propagate_positions=False,
)


def by_lark(start: str, kinds: list[str]) -> list[Any]:
    tokens = [Token(kind, str(index)) for index, kind in enumerate(kinds)]
    tree = LARK.parser.parser.parse(_Stream(tokens), start)
    return [plain(item) for item in tree.children]


class _Stream:
    """What Lark's parser needs of its lexer thread."""

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens

    def lex(self, _state: Any) -> Iterator[Token]:
        return iter(self._tokens)


def plain(tree: Any) -> Any:
    if isinstance(tree, Tree):
        name = str(tree.data)
        if name in {"item", "said"}:
            return plain(tree.children[0])
        return (name, [plain(child) for child in tree.children])
    return str(tree.type), int(tree)


def by_us(start: str, kinds: list[str]) -> list[Any]:
    items: list[Any] = []
    tokens = [(TABLES.numbers[kind], index, index, index, 1) for index, kind in enumerate(kinds)]
    run(TABLES, start, tokens, lambda item: items.append(ours(item)))
    return items


def ours(item: OurToken | Node) -> Any:
    if isinstance(item, Node):
        return (item.name, [ours(part) for part in item.parts])
    return TABLES.terminals[item[0]], item[1]


@pytest.mark.parametrize("start", STARTS)
@given(kinds=st.lists(st.sampled_from(TERMINALS), max_size=60))
def test_any_tokens_give_the_tree_that_lark_gives(start, kinds):
    assert by_us(start, kinds) == by_lark(start, kinds)


@pytest.mark.parametrize(
    "case",
    [
        "lab/2.13.0/codegen-bad-cpp",
        "lab/2.13.0/nocxx-ipython-plain",
        "lab/2.5.1/nocxx-pytest",
        "lab/2.13.0/suppress-nocxx",
        "lab/2.13.0/export-equal-strict",
        "reports/044-ptxas-sm86-vscode-exception",
        "reports/234-deprecatedtypeproperties-macro-line-windows",
    ],
)
def test_a_real_log_gives_the_tree_that_lark_gives(case):
    block = block_of(strand(corpus_text(case)))
    kinds = [TABLES.terminals[token[0]] for token in Classifier(block, TABLES.numbers).tokens()]
    assert len(kinds) > 1
    assert by_us("strand", kinds) == by_lark("strand", kinds)


def test_every_state_that_can_be_reached_takes_every_kind_of_line():
    gotos = [goto for state in STATES for goto in TABLES.gotos[state].items()]
    accepting = {state for name, state in gotos if name in STARTS}
    partial = {state for state in STATES if 0 in TABLES.actions[state]}
    assert partial <= accepting


def test_no_tokens_are_a_strand_without_items():
    assert by_us("strand", []) == []


def test_an_item_is_handed_over_before_the_next_begins():
    seen: list[int] = []

    def tokens() -> Iterator[OurToken]:
        for index in range(5):
            yield (TABLES.numbers["RECORD"], index, index, index, 1)
            assert len(seen) >= index - 1

    run(TABLES, "strand", tokens(), lambda _item: seen.append(1))
    assert len(seen) == 5


def test_tables_that_are_not_total_are_our_own_fault():
    broken = replace(TABLES, actions=Rows([""] * len(STATES), lambda _row: [0] * len(TABLES.terminals)))
    with pytest.raises(GrammarError, match="RECORD in state"):
        run(broken, "strand", [(TABLES.numbers["RECORD"], 0, 0, 0, 1)], lambda _item: None)
    with pytest.raises(GrammarError, match="the end in state"):
        run(broken, "strand", [], lambda _item: None)
