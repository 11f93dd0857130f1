"""The tree of Python's own pattern parser, which has no public door.

The parser moved in Python 3.11; its tree is the same in every version that we
support. Everything that looks into it comes through here.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterable, Iterator
from functools import lru_cache
from importlib import import_module
from typing import Any, TypeAlias

from tracelens.ruleset.patterns import FLAGS

#: Nodes: an operation, which has a name, and what it is given.
Items: TypeAlias = Iterable[tuple[Any, Any]]

_parser = import_module("re._parser" if sys.version_info >= (3, 11) else "sre_parse")

#: The upper bound of a repeat that has none.
UNBOUNDED: int = _parser.MAXREPEAT
REPEATS = ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")


# Each pattern is looked at by several readers in turn.
@lru_cache(maxsize=8)
def parse(source: str) -> Any:  # noqa: ANN401  # the parser's tree has no public type
    """Return the tree of a pattern; raises ``re.error``, and a warning as an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return _parser.parse(source, FLAGS)


def bodies(name: str, value: Any) -> Iterator[Items]:  # noqa: ANN401  # as the parser's tree is
    """Yield what stands inside a node that is no repeat."""
    if name == "SUBPATTERN":
        yield value[3]
    elif name == "BRANCH":
        yield from value[1]
    elif name in ("ASSERT", "ASSERT_NOT"):
        yield value[1]
    elif name == "ATOMIC_GROUP":
        yield value


def ignores_case(tree: Any) -> bool:  # noqa: ANN401  # as above
    """Tell whether a pattern, or any part of it, takes small letters for capitals."""
    return bool(tree.state.flags & re.IGNORECASE) or _has_part_without_case(tree)


def _has_part_without_case(items: Items) -> bool:
    for operator, value in items:
        name = operator.name
        if name == "SUBPATTERN" and value[1] & re.IGNORECASE:
            return True
        inner = [value[2]] if name in REPEATS else bodies(name, value)
        if any(_has_part_without_case(body) for body in inner):
            return True
    return False
