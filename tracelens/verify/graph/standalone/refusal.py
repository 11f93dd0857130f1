"""Why a graph cannot be had from a text: a code to act on, and words to show."""

from __future__ import annotations

from enum import Enum


class RefusalCode(Enum):
    """What kind of thing stands in the way."""

    #: Larger, longer or deeper than is read, or more than the limits of the child allow.
    TOO_LARGE = "too-large"
    #: Not the text that torch writes: no Python, or cut off.
    SYNTAX = "syntax"
    #: No graph in the text, or a graph without the sizes of its inputs.
    NO_GRAPH = "no-graph"
    #: A statement, expression or signature that torch never prints in a graph.
    CONSTRUCT = "construct"
    #: A function or method that is on no allow list.
    FUNCTION = "function"
    #: An operator that is denied, of a foreign library, or not in this torch.
    OPERATOR = "operator"
    #: A module that is on no allow list.
    MODULE = "module"
    #: The text names a constant whose value it does not hold; a script does.
    ATTRIBUTE = "attribute"
    #: The text names an inner graph without its body; a printed graph has it.
    SUBGRAPH = "subgraph"
    #: A size symbol without a value.
    SYMBOL = "symbol"
    #: An input that cannot be made from what the text says.
    INPUT = "input"


class RefusedError(Exception):
    """The text, or what it stands for, is refused; ``line`` is 1-based in the text."""

    def __init__(self, code: RefusalCode, construct: str, line: int | None = None) -> None:
        """Keep the construct short enough for one line of a report."""
        super().__init__(code, construct[:160], line)
        self.code = code
        self.construct = construct[:160]
        self.line = line

    def __str__(self) -> str:
        """Name the place first, as compilers do."""
        return self.construct if self.line is None else f"line {self.line}: {self.construct}"
