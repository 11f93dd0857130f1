"""The loop that drives the LALR tables.

It does what Lark's own parser does, and builds the trees that Lark would
build (a test compares them), but takes tuples for tokens and hands each item
of the grammar over as soon as it is complete. So its memory is bounded by the
largest item and not by the text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tracelens.errors import GrammarError
from tracelens.parsing.tables import END, Tables
from tracelens.typed import Any, NamedTuple, TypeAlias

#: (terminal, start and end offset, index of the first line, number of lines).
Token: TypeAlias = tuple[int, int, int, int, int]


class Node(NamedTuple):
    """A reduced rule: its name and what it was made of."""

    name: str
    parts: list[Token | Node]


#: Rules whose reduction completes an item.
ITEMS = frozenset({"item", "said"})
#: Rules that only string items together.
_STRINGS = frozenset({"_items", "_said"})


def run(tables: Tables, start: str, tokens: Iterable[Token], on_item: Callable[[Token | Node], None]) -> None:
    """Parse ``tokens`` from ``start`` and call ``on_item`` with each item, in order."""
    actions, rules, gotos = tables.actions, tables.rules, tables.gotos
    states = [tables.starts[start]]
    values: list[Any] = []
    for token in tokens:
        terminal = token[0]
        action = actions[states[-1]][terminal]
        while action < 0:
            name, length = rule = rules[-1 - action]
            if length == 1 and name[0] == "_" and name not in _STRINGS:
                # Most reductions: the one child takes the place of the rule.
                states[-1] = gotos[states[-2]][name]
            else:
                _reduce(rule, states, values, on_item)
                states.append(gotos[states[-1]][name])
            action = actions[states[-1]][terminal]
        if action == 0:
            message = f"the grammar is not total: {tables.terminals[terminal]} in state {states[-1]}"
            raise GrammarError(message)
        states.append(action - 1)
        values.append(token)
    end = tables.numbers[END]
    action = actions[states[-1]][end]
    while action < 0:
        name = rules[-1 - action][0]
        _reduce(rules[-1 - action], states, values, on_item)
        if name == start and len(states) == 1:
            return
        states.append(gotos[states[-1]][name])
        action = actions[states[-1]][end]
    message = f"the grammar is not total: the end in state {states[-1]}"
    raise GrammarError(message)


def _reduce(
    rule: tuple[str, int], states: list[int], values: list[Any], on_item: Callable[[Token | Node], None]
) -> None:
    """Replace the newest values by the one value of ``rule``.

    A rule whose name begins with an underscore is no node of its own: its
    children become those of the node around it, as in Lark. They are kept in
    a list, and the list on the left is reused, so long repetitions stay linear.
    """
    name, length = rule
    if length == 1 and name[0] == "_" and name not in _STRINGS:
        del states[-1]
        return
    if length:
        parts = values[-length:]
        del states[-length:]
        del values[-length:]
    else:
        parts = []
    if name in _STRINGS:
        values.append(None)
        return
    children = parts.pop(0) if name[0] == "_" and type(parts[0]) is list else []
    for part in parts:
        if type(part) is list:
            children.extend(part)
        elif part is not None:
            children.append(part)
    if name in ITEMS:
        on_item(children[0])
        values.append(None)
    elif name[0] == "_":
        values.append(children)
    else:
        values.append(Node(name, children))
